//! Whether a new password would be accepted, checked while it is typed, so that the console's meter needs
//! no rules of its own.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use utoipa::ToSchema;

use super::register;
use crate::password::password_fault;
use crate::session::MaybeSignedIn;
use crate::state::Tenancy;
use crate::store::{accounts as store, orgs};
use crate::throttle;
use crate::token::hash_token;
use atrium_core::client::Client;
use atrium_core::error::{Code, Result};
use atrium_core::http::json::{Data, Json};
use atrium_core::locale::Locale;
use atrium_core::text::EMAIL_MAX;
use atrium_core::types::Id;

/// How many words about the person a form may send.
const MOST_WORDS: usize = 5;

#[derive(Deserialize, ToSchema)]
pub struct PasswordCheck {
    #[schema(format = "password")]
    password: String,
    /// What else was typed into the form: address, name, team. Only the first five count.
    about: Option<Vec<String>>,
    /// The link that led to the form, if any: the server knows whom it was sent to.
    token: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct PasswordVerdict {
    acceptable: bool,
    /// Why not: a code, and its text in the language of the request.
    #[schema(value_type = Option<Code>)]
    code: Option<&'static str>,
    message: Option<String>,
}

/// Whether a new password would be accepted. Nothing is stored.
#[utoipa::path(
    post,
    path = "/api/v1/password/check",
    operation_id = "password_check",
    tag = "account",
    security(()),
    request_body = PasswordCheck,
    responses((status = 200, body = Data<PasswordVerdict>), (status = 429))
)]
pub async fn password_check(
    State(atrium): State<Tenancy>,
    MaybeSignedIn(signed_in): MaybeSignedIn,
    client: Client,
    locale: Locale,
    Json(input): Json<PasswordCheck>,
) -> Result<Data<PasswordVerdict>> {
    throttle::count_new_password(&atrium, &client).await?;
    let typed = input.about.unwrap_or_default().into_iter().take(MOST_WORDS);
    let mut about: Vec<String> = typed.map(|text| text.chars().take(EMAIL_MAX).collect()).collect();
    {
        let mut db = atrium.db.read().await?;
        if let Some(user) = signed_in.as_ref().map(|signed_in| signed_in.user()) {
            about.extend(about_account(&mut db, &user.id, &user.email, &user.name).await?);
        }
        if let Some(token) = &input.token {
            about.extend(about_link(&atrium, &mut db, token).await?);
        }
    }
    let about: Vec<&str> = about.iter().map(String::as_str).collect();
    let fault = password_fault(&input.password, &about);
    Ok(Data(PasswordVerdict {
        acceptable: fault.is_none(),
        code: fault.as_ref().map(|fault| fault.code.as_str()),
        message: fault.map(|fault| fault.text(locale)),
    }))
}

/// What anyone who knows the person would try.
pub async fn about_account(
    db: &mut AnyConnection,
    id: &Id,
    email: &str,
    name: &str,
) -> Result<Vec<String>> {
    let mut about = vec![email.to_owned(), name.to_owned()];
    about.extend(orgs::names_of_member(db, id).await?);
    Ok(about)
}

/// The same for the recipient of a link. An invalid link gives nothing.
async fn about_link(atrium: &Tenancy, db: &mut AnyConnection, token: &str) -> Result<Vec<String>> {
    let Some(token) = store::live_token(db, &hash_token(token), atrium.now()).await? else {
        return Ok(Vec::new());
    };
    if let Some(user_id) = &token.user_id
        && let Some(user) = store::user_by_id(db, user_id).await?
    {
        return about_account(db, &user.id, &user.email, &user.name).await;
    }
    let team = register::team_of(atrium, db, &token).await?;
    Ok(token.email.into_iter().chain(team).collect())
}
