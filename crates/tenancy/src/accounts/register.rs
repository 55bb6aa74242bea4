//! From a link to an account: what the link is for, and the form it leads to.

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse};
use http::HeaderMap;
use http::header::SET_COOKIE;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use utoipa::{IntoParams, ToSchema};

use super::create::{self, NewAccount};
use super::mailed_tokens::{self, MailedToken};
use super::{email, setup, user_locale};
use crate::current_user::CurrentUser;
use crate::orgs::{invitations, my_invitations};
use crate::session;
use crate::state::Tenancy;
use crate::store::accounts as store;
use crate::store::orgs::{self, InvitationRow};
use crate::throttle;
use crate::token::{hash_token, new_token};
use atrium_core::audit::Actor;
use atrium_core::client::Client;
use atrium_core::config::Registration;
use atrium_core::error::{Code, Result};
use atrium_core::http::json::{Data, Done, Json, Query};
use atrium_core::locale::Locale;
use atrium_core::mail::templates;
use atrium_core::timezone;
use atrium_core::types::{Id, Millis};

/// The purpose of a link that proves an address.
pub const PURPOSE: &str = "register";
const LIFETIME: i64 = Millis::DAY;

#[derive(Deserialize, ToSchema)]
pub struct Register {
    email: String,
    /// Language of the mail; by default that of the page.
    locale: Option<String>,
}

/// Mails a registration link to the address. The answer is the same whether or not it has an account;
/// only the mail says so.
#[utoipa::path(
    post,
    path = "/api/v1/register",
    operation_id = "register",
    tag = "account",
    security(()),
    request_body = Register,
    responses((status = 200, body = Data<Done>), (status = 429))
)]
pub async fn register(
    State(atrium): State<Tenancy>,
    client: Client,
    locale: Locale,
    Json(input): Json<Register>,
) -> Result<Data<Done>> {
    refuse_when_closed(&atrium)?;
    let email = mailed_tokens::admit(&atrium, PURPOSE, &input.email, &client).await?;
    let locale = input.locale.as_deref().and_then(Locale::parse).unwrap_or(locale);
    let user = store::user_by_email(&mut *atrium.db.read().await?, &email).await?;
    let token = new_token(&atrium);
    let server = &atrium.settings.server;
    let letter = match &user {
        Some(_) => {
            let locale = user_locale(user.as_ref(), locale);
            templates::already_registered(locale, &server.link("/login"))
        }
        None => templates::register(locale, &server.link(&format!("/emailValidator/{token}"))),
    };
    let letter = MailedToken {
        purpose: PURPOSE,
        lifetime: LIFETIME,
        token: &token,
        code_hash: None,
        email: Some(&email.as_typed),
        user: None,
        to: Some(&email.as_typed),
        letter,
    };
    mailed_tokens::send(&atrium, letter).await?;
    Ok(Data(Done {}))
}

fn refuse_when_closed(atrium: &Tenancy) -> Result<()> {
    match atrium.settings.console.registration {
        Registration::Open => Ok(()),
        Registration::Invite => Err(Code::RegistrationClosed.into()),
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TokenQuery {
    token: String,
}

#[derive(Serialize, ToSchema)]
pub struct TokenView {
    /// The address the link was sent to; a setup link has none.
    email: Option<String>,
    kind: TokenKind,
    /// The name of the organization that an invitation leads to.
    organization: Option<String>,
    /// For a change of address: the account's current address.
    account: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// A person registers their own address.
    Register,
    /// A person was invited to an organization.
    Invitation,
    /// The first account of an empty instance.
    Setup,
    /// A person moves their account to this address; continue with POST /email/confirm.
    EmailChange,
}

impl TokenKind {
    fn parse(purpose: &str) -> Option<Self> {
        match purpose {
            setup::PURPOSE => Some(Self::Setup),
            PURPOSE => Some(Self::Register),
            email::PURPOSE => Some(Self::EmailChange),
            invitations::PURPOSE => Some(Self::Invitation),
            _ => None,
        }
    }
}

/// What a link is for. 410 when it was used or has expired.
#[utoipa::path(
    get,
    path = "/api/v1/register/token",
    operation_id = "register_token_view",
    tag = "account",
    security(()),
    params(TokenQuery),
    responses((status = 200, body = Data<TokenView>), (status = 410))
)]
pub async fn register_token_view(
    State(atrium): State<Tenancy>,
    Query(query): Query<TokenQuery>,
) -> Result<Data<TokenView>> {
    let mut db = atrium.db.read().await?;
    let token = store::live_token(&mut db, &hash_token(&query.token), atrium.now()).await?;
    let token = token.ok_or(Code::TokenGone)?;
    let kind = TokenKind::parse(&token.purpose).ok_or(Code::TokenGone)?;
    if kind == TokenKind::Setup && !store::awaits_setup(&mut db).await? {
        return Err(Code::TokenGone.into());
    }
    let organization = team_of(&atrium, &mut db, &token).await?;
    let mut account = None;
    if let (TokenKind::EmailChange, Some(user_id)) = (kind, &token.user_id) {
        account = store::user_by_id(&mut db, user_id).await?.map(|user| user.email);
    }
    Ok(Data(TokenView { email: token.email, kind, organization, account }))
}

/// The name of the organization that a link leads to, for links of that kind.
pub async fn team_of(
    atrium: &Tenancy,
    db: &mut AnyConnection,
    token: &store::TokenRow,
) -> Result<Option<String>> {
    match TokenKind::parse(&token.purpose) {
        Some(TokenKind::Invitation) => Ok(Some(invitation_of(atrium, db, token).await?.org_name)),
        _ => Ok(None),
    }
}

/// The invitation behind a link, while it can still be accepted.
async fn invitation_of(
    atrium: &Tenancy,
    db: &mut AnyConnection,
    token: &store::TokenRow,
) -> Result<InvitationRow> {
    let id = token.payload.as_deref().and_then(Id::parse).ok_or(Code::TokenGone)?;
    let row = orgs::invitation(db, &id).await?;
    let row = row.filter(|row| row.state == "pending" && row.expires_at > atrium.now());
    row.ok_or_else(|| Code::TokenGone.into())
}

#[derive(Deserialize, ToSchema)]
pub struct RegisterProfile {
    token: String,
    /// Only for a setup link, which was not sent to an address.
    email: Option<String>,
    name: String,
    #[schema(format = "password")]
    password: String,
    /// Not for an invitation, which leads to an existing team.
    organization_name: Option<String>,
    /// IANA name, as the browser reports it.
    timezone: Option<String>,
}

/// Makes the account a link is for, with its first organization and app, and signs in.
#[utoipa::path(
    post,
    path = "/api/v1/register/profile",
    operation_id = "register_profile",
    tag = "account",
    security(()),
    request_body = RegisterProfile,
    responses((status = 200, body = Data<CurrentUser>, description = "Signed in; sets the session cookie"), (status = 409), (status = 410))
)]
pub async fn register_profile(
    State(atrium): State<Tenancy>,
    client: Client,
    locale: Locale,
    headers: HeaderMap,
    Json(input): Json<RegisterProfile>,
) -> Result<impl IntoResponse> {
    let now = atrium.now();
    let token =
        store::live_token(&mut *atrium.db.read().await?, &hash_token(&input.token), now).await?;
    let token = token.ok_or(Code::TokenGone)?;
    let kind = TokenKind::parse(&token.purpose).filter(|kind| *kind != TokenKind::EmailChange);
    let kind = kind.ok_or(Code::TokenGone)?;
    if kind == TokenKind::Register {
        refuse_when_closed(&atrium)?;
    }
    let team = team_of(&atrium, &mut *atrium.db.read().await?, &token).await?;
    // Checked before the password is hashed, so that strangers without a link cause no cost.
    let account = create::check(
        &atrium,
        NewAccount {
            email: token.email.clone().or(input.email).unwrap_or_default(),
            name: input.name,
            password: input.password,
            // Invited people join a team and do not create one.
            organization: (kind != TokenKind::Invitation)
                .then(|| input.organization_name.unwrap_or_default()),
            locale,
            // A browser may know zones that we do not; that must not keep anyone out.
            timezone: input.timezone.filter(|name| timezone::exists(name)),
        },
        team.as_deref(),
    )
    .await?;

    let mut tx = atrium.db.write().await?;
    let is_first = store::finish_setup(&mut tx, now).await?;
    let too_late = kind == TokenKind::Setup && !is_first;
    if too_late || !store::use_token(&mut tx, &token.id, now).await? {
        return Err(Code::TokenGone.into());
    }
    // Locks are always taken in this order: an organization before the instance's audit chain.
    let mut invitation = None;
    if kind == TokenKind::Invitation {
        let row = invitation_of(&atrium, &mut tx, &token).await?;
        orgs::lock(&mut tx, &row.org_id).await?;
        invitation = Some(row);
    }
    let created = create::insert(&atrium, &mut tx, Actor::anonymous(&client), &account).await?;
    if kind == TokenKind::Setup {
        let actor = Actor::user(created.user_id.clone(), &client);
        create::make_operator(&atrium, &mut tx, actor, &created.user_id).await?;
    }
    if let Some(row) = invitation {
        let actor = Actor::user(created.user_id.clone(), &client);
        my_invitations::accept(&atrium, &mut tx, &actor, &created.user_id, &row).await?;
    }
    let (session_id, cookie) =
        session::begin(&atrium, &mut tx, &headers, &created.user_id, &client, false, None).await?;
    let shown = session::shown(&atrium, &session_id, false);
    let current = session::current_user(&atrium, &mut tx, &created.user_id, shown).await?;
    let current = current.ok_or(Code::TokenGone)?;
    tx.commit().await?;
    let device = throttle::device_cookie(&atrium, account.email(), &headers);
    Ok((AppendHeaders([(SET_COOKIE, cookie), (SET_COOKIE, device)]), Data(current)))
}
