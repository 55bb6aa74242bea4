//! Secrets mailed to a person, shared by registration links, codes and reset links. The same rows are
//! written for an address without an account, so that neither the answer nor its timing shows whether one
//! exists.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::state::Tenancy;
use crate::store::accounts::{self as store, NewToken, UserRow};
use crate::throttle;
use crate::token::hash_token;
use atrium_core::client::Client;
use atrium_core::error::Result;
use atrium_core::mail::Letter;
use atrium_core::outbox::mail;
use atrium_core::text::{Checks, Email};
use atrium_core::types::Millis;

/// Requests a mail to an address.
#[derive(Deserialize, ToSchema)]
pub struct MailRequest {
    email: String,
}

impl MailRequest {
    /// The address, if it is valid and not throttled.
    pub async fn admit(&self, atrium: &Tenancy, kind: &str, client: &Client) -> Result<Email> {
        admit(atrium, kind, &self.email, client).await
    }
}

pub async fn admit(atrium: &Tenancy, kind: &str, text: &str, client: &Client) -> Result<Email> {
    let mut checks = Checks::default();
    let email = checks.email("email", text);
    checks.finish()?;
    throttle::ask_for_mail(atrium, kind, &email, client).await?;
    Ok(email)
}

/// The account of an address, unless it is disabled.
pub async fn account(atrium: &Tenancy, email: &Email) -> Result<Option<UserRow>> {
    let user = store::user_by_email(&mut *atrium.db.read().await?, email).await?;
    Ok(user.filter(|user| user.disabled_at.is_none()))
}

/// A secret and the mail that carries it.
pub struct MailedToken<'a> {
    pub purpose: &'static str,
    pub lifetime: i64,
    pub token: &'a str,
    pub code_hash: Option<&'a str>,
    /// The address the secret is valid for.
    pub email: Option<&'a str>,
    /// The account it opens.
    pub user: Option<&'a UserRow>,
    /// None when there is no account to write to.
    pub to: Option<&'a str>,
    pub letter: Letter,
}

pub async fn send(atrium: &Tenancy, mailed: MailedToken<'_>) -> Result<()> {
    let now: Millis = atrium.now();
    let row = NewToken {
        id: &atrium.new_id(),
        purpose: mailed.purpose,
        hash: &hash_token(mailed.token),
        email: mailed.email,
        user_id: mailed.user.map(|user| &user.id),
        code_hash: mailed.code_hash,
        payload: None,
        at: now,
        expires_at: now.plus(mailed.lifetime),
    };
    let mut tx = atrium.db.write_uncached().await?;
    store::insert_token(&mut tx, row).await?;
    mail::enqueue(atrium, &mut tx, mailed.to, mailed.letter).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(())
}
