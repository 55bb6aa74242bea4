//! Changing one's address: confirmed at the new address, with a notice to the old one.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::mailed_tokens::{self, MailedToken};
use super::user_locale;
use crate::notifications::{self, Notice, Recipient};
use crate::session::RecentlySignedIn;
use crate::state::Tenancy;
use crate::store::accounts as store;
use crate::throttle::{self, Attempt};
use crate::token::{hash_token, new_token};
use atrium_core::audit::{self, Actor, Event};
use atrium_core::client::Client;
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Done, Json};
use atrium_core::locale::Locale;
use atrium_core::mail::templates;
use atrium_core::text::Email;
use atrium_core::types::Millis;

pub const PURPOSE: &str = "email_change";
const LIFETIME: i64 = Millis::DAY;

#[derive(Deserialize, ToSchema)]
pub struct EmailChange {
    email: String,
}

/// Mails a link to the new address. The answer is the same if the address already has an account; only
/// the mail says so.
#[utoipa::path(
    post,
    path = "/api/v1/current/email",
    operation_id = "email_change",
    tag = "account",
    security(("session" = [])),
    request_body = EmailChange,
    responses((status = 200, body = Data<Done>), (status = 429))
)]
pub async fn email_change(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
    client: Client,
    Json(input): Json<EmailChange>,
) -> Result<Data<Done>> {
    let user = signed_in.user();
    if Email::new(&input.email).normalized == Email::new(&user.email).normalized {
        return Err(Fault::new(Code::SameEmail).on("email").into());
    }
    let email = mailed_tokens::admit(&atrium, PURPOSE, &input.email, &client).await?;
    let mut db = atrium.db.read().await?;
    let taken = store::user_by_email(&mut db, &email).await?;
    let row = store::user_by_id(&mut db, &user.id).await?.ok_or(Code::NotSignedIn)?;
    drop(db);
    let token = new_token(&atrium);
    let server = &atrium.settings.server;
    let locale = Locale::parse(&user.locale).unwrap_or_default();
    let letter = match &taken {
        Some(owner) => {
            templates::already_registered(user_locale(Some(owner), locale), &server.link("/login"))
        }
        None => {
            let link = server.link(&format!("/emailValidator/{token}"));
            templates::email_change(locale, &user.email, &link)
        }
    };
    let mailed = MailedToken {
        purpose: PURPOSE,
        lifetime: LIFETIME,
        token: &token,
        code_hash: None,
        email: Some(&email.as_typed),
        user: Some(&row),
        to: Some(&email.as_typed),
        letter,
    };
    mailed_tokens::send(&atrium, mailed).await?;
    let mut tx = atrium.db.write_uncached().await?;
    let event = Event::new("account.email_change_ask", "user", &user.id);
    let event = event.with(json!({ "email": email.as_typed }));
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    // The old address is notified while the change can still be stopped.
    let notice = Notice::EmailChangeAsked { email: email.as_typed };
    notifications::notify(&atrium, &mut tx, &Recipient::from(user), &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}

#[derive(Deserialize, ToSchema)]
pub struct EmailConfirmation {
    token: String,
}

#[derive(Serialize, ToSchema)]
pub struct EmailConfirmed {
    email: String,
}

/// Confirms a new address with the link that was mailed there. Needs no session: the mail may be
/// read on another device.
#[utoipa::path(
    post,
    path = "/api/v1/email/confirm",
    operation_id = "email_confirm",
    tag = "account",
    security(()),
    request_body = EmailConfirmation,
    responses((status = 200, body = Data<EmailConfirmed>), (status = 409), (status = 410), (status = 429))
)]
pub async fn email_confirm(
    State(atrium): State<Tenancy>,
    client: Client,
    Json(input): Json<EmailConfirmation>,
) -> Result<Data<EmailConfirmed>> {
    let (gone, now) = (|| Error::from(Code::TokenGone), atrium.now());
    // Counted before anything is locked, so that guessing blocks nobody.
    let attempt = Attempt::of_address(&client);
    throttle::count(&atrium, &attempt).await?;
    let token =
        store::live_token(&mut *atrium.db.read().await?, &hash_token(&input.token), now).await?;
    let token = token.filter(|token| token.purpose == PURPOSE).ok_or_else(gone)?;
    let user_id = token.user_id.as_ref().ok_or_else(gone)?;
    let email = Email::new(token.email.as_deref().unwrap_or_default());
    let mut tx = atrium.db.write().await?;
    throttle::forget(&mut tx, &attempt).await?;
    let before = store::user_by_id(&mut tx, user_id).await?;
    let before = before.filter(|user| user.disabled_at.is_none()).ok_or_else(gone)?;
    if !store::use_token(&mut tx, &token.id, now).await? {
        return Err(gone());
    }
    if !store::update_email(&mut tx, user_id, &email, now).await? {
        return Err(Fault::new(Code::EmailTaken).on("email").into());
    }
    // Links mailed to the old address must no longer open the account.
    store::delete_tokens_of(&mut tx, user_id).await?;
    let event = Event::new("account.email_change", "user", user_id);
    let event = event.with(json!({ "before": before.email, "after": email.as_typed }));
    audit::append(&mut tx, &Actor::user(user_id.clone(), &client), event).await?;
    let notice = Notice::EmailChanged { email: email.as_typed.clone() };
    // `before` has the old address, which is the one to notify.
    notifications::notify(&atrium, &mut tx, &Recipient::from(&before), &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(EmailConfirmed { email: email.as_typed }))
}
