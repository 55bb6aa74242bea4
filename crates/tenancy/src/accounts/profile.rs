//! A person's own profile and password.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{password_check, reauth};
use crate::current_user::CurrentUser;
use crate::notifications::{self, Notice, Recipient};
use crate::password;
use crate::session::{self, SignedIn};
use crate::state::Tenancy;
use crate::store::accounts::{self as store, ProfileChange};
use crate::throttle;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Done, Json};
use atrium_core::locale::Locale;
use atrium_core::text::Checks;
use atrium_core::timezone;

#[derive(Deserialize, ToSchema)]
pub struct ProfileUpdate {
    name: Option<String>,
    /// Language of mails: zh-CN or en-US.
    locale: Option<String>,
    /// IANA name.
    timezone: Option<String>,
}

/// Changes name, language of mails or time zone; omitted fields stay as they are.
#[utoipa::path(
    put,
    path = "/api/v1/current/profile",
    operation_id = "profile_update",
    tag = "account",
    security(("session" = [])),
    request_body = ProfileUpdate,
    responses((status = 200, body = Data<CurrentUser>))
)]
pub async fn profile_update(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    Json(input): Json<ProfileUpdate>,
) -> Result<Data<CurrentUser>> {
    let mut checks = Checks::default();
    let name = input.name.map(|name| checks.name("name", &name));
    if input.locale.as_deref().is_some_and(|locale| Locale::parse(locale).is_none()) {
        checks.fail(Fault::new(Code::BadLocale).on("locale"));
    }
    if input.timezone.as_deref().is_some_and(|name| !timezone::exists(name)) {
        checks.fail(Fault::new(Code::BadTimezone).on("timezone"));
    }
    checks.finish()?;

    let change = ProfileChange {
        name: name.as_deref(),
        locale: input.locale.as_deref(),
        timezone: input.timezone.as_deref(),
    };
    let before = signed_in.user();
    let mut tx = atrium.db.write().await?;
    store::update_profile(&mut tx, &before.id, &change).await?;
    let after = session::current_user(&atrium, &mut tx, &before.id, signed_in.shown())
        .await?
        .ok_or(Code::NotSignedIn)?;
    let event = Event::new("account.profile", "user", &before.id).with(json!({
        "before": { "name": before.name, "locale": before.locale, "timezone": before.timezone },
        "after": { "name": after.name, "locale": after.locale, "timezone": after.timezone },
    }));
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    tx.commit().await?;
    Ok(Data(after))
}

#[derive(Deserialize, ToSchema)]
pub struct PasswordUpdate {
    #[schema(format = "password")]
    current_password: String,
    #[schema(format = "password")]
    new_password: String,
}

/// Changes the password and ends every other session.
#[utoipa::path(
    put,
    path = "/api/v1/current/password",
    operation_id = "password_update",
    tag = "account",
    security(("session" = [])),
    request_body = PasswordUpdate,
    responses((status = 200, body = Data<Done>), (status = 429))
)]
pub async fn password_update(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    Json(input): Json<PasswordUpdate>,
) -> Result<Data<Done>> {
    let user = signed_in.user();
    let about = {
        let mut db = atrium.db.read().await?;
        password_check::about_account(&mut db, &user.id, &user.email, &user.name).await?
    };
    let about: Vec<&str> = about.iter().map(String::as_str).collect();
    let mut checks = Checks::default();
    password::check_new(&mut checks, "new_password", &input.new_password, &about);
    checks.finish()?;
    if !reauth::check_password(&atrium, &signed_in, input.current_password).await? {
        return Err(Fault::new(Code::WrongPassword).on("current_password").into());
    }
    let hash = atrium.hasher.hash(input.new_password).await?;

    let mut tx = atrium.db.write().await?;
    store::update_password(&mut tx, &user.id, &hash).await?;
    store::delete_sessions_of(&mut tx, &user.id, Some(signed_in.session_id())).await?;
    store::delete_tokens_of(&mut tx, &user.id).await?;
    throttle::forget_password_checks(&mut tx, &user.id).await?;
    let event = Event::new("account.password_change", "user", &user.id);
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    // Changing it required the old password.
    store::note_proof(&mut tx, signed_in.session_id(), atrium.now()).await?;
    let notice = Notice::PasswordChanged;
    notifications::notify(&atrium, &mut tx, &Recipient::from(user), &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}
