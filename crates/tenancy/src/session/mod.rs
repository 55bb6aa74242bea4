//! Sessions: a random token in a cookie, its hash in the database, and a cache of what it stands for
//! (`session_cache.rs`), valid while the database says that nothing changed.

mod load;

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRef, FromRequestParts};
use http::HeaderMap;
use http::header::HeaderValue;
use http::request::Parts;

use crate::current_user::CurrentUser;
use crate::session_cache::{ABSOLUTE_LIMIT, IDLE_LIMIT, Principal};
use crate::state::Tenancy;
use crate::store::accounts::{self as store, Shown};
use crate::token::{hash_token, new_token};
use atrium_core::audit::Actor;
use atrium_core::caller::{Caller, Who};
use atrium_core::client::Client;
use atrium_core::db::Write;
use atrium_core::error::{Code, Result};
use atrium_core::types::{Id, Millis};

pub use load::{current_user, shown};

/// Most sessions per account; beyond that, the one unused for longest ends.
const MOST_AT_ONCE: i64 = 50;
/// How long a proof of identity counts as recent.
const RECENT: i64 = 15 * Millis::MINUTE;

/// The signed-in person. As a handler argument: 401 without a live session.
pub struct SignedIn {
    principal: Arc<Principal>,
    client: Client,
    /// Anyone who became an owner or operator before this now needs a second factor.
    factor_due_before: Millis,
}

impl SignedIn {
    fn new(atrium: &Tenancy, principal: Arc<Principal>, client: Client) -> Self {
        let factor_due_before = atrium.privileged_mfa.due_before(atrium.now());
        Self { principal, client, factor_due_before }
    }

    /// Whether someone who has been an owner or operator since `since` has had enough time to set up a
    /// second factor.
    pub fn is_factor_due(&self, since: Millis) -> bool {
        since < self.factor_due_before
    }

    pub fn user(&self) -> &CurrentUser {
        &self.principal.user
    }

    /// The user, as in GET /current.
    pub fn answer(&self) -> Bytes {
        self.principal.answer.clone()
    }

    /// When the person last proved who they are.
    pub fn proven_at(&self) -> Millis {
        self.principal.proven_at
    }

    /// Whether the person signed in with two factors.
    pub fn has_two_factors(&self) -> bool {
        self.principal.two_factors
    }

    /// Whether the person came through this organization's provider.
    pub fn came_through(&self, org_id: &Id) -> bool {
        self.principal.through.contains(org_id)
    }

    pub fn shown(&self) -> Shown<'_> {
        Shown {
            session_id: self.session_id(),
            two_factors: self.has_two_factors(),
            factor_due_before: self.factor_due_before,
        }
    }

    /// Refuses what a stolen session must not do, unless the person proved who they are within the last
    /// 15 minutes, with the second factor if they have one.
    pub fn want_recent(&self, atrium: &Tenancy) -> Result<()> {
        let recent = atrium.now().since(self.principal.proven_at) < RECENT;
        if recent && (self.has_two_factors() || !self.user().mfa.totp) {
            return Ok(());
        }
        Err(Code::ReauthRequired.into())
    }

    pub fn session_id(&self) -> &Id {
        &self.principal.session_id
    }

    pub fn actor(&self) -> Actor {
        Actor::user(self.principal.user.id.clone(), &self.client)
    }
}

impl<S> FromRequestParts<S> for SignedIn
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = atrium_core::error::Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let principal = find(atrium, &parts.headers).await?.ok_or(Code::NotSignedIn)?;
        Caller::of(parts).is(Who::User(principal.user.id.clone()));
        Ok(Self::new(atrium, principal, Client::of_parts(parts, atrium)))
    }
}

/// The signed-in person, who proved who they are within the last 15 minutes. As a handler argument: 403
/// `reauth_required` otherwise, for what a stolen session must not do.
pub struct RecentlySignedIn(pub SignedIn);

impl<S> FromRequestParts<S> for RecentlySignedIn
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = atrium_core::error::Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let signed_in = SignedIn::from_request_parts(parts, state).await?;
        signed_in.want_recent(atrium)?;
        Ok(Self(signed_in))
    }
}

/// The signed-in person, who operates this instance. As a handler argument: 403 for anyone else, and
/// for an operator whose time to set up a second factor is over. The factor must be the account's own:
/// an organization's provider only vouches within that organization.
pub struct Operator(SignedIn);

impl Operator {
    pub fn actor(&self) -> Actor {
        self.0.actor()
    }

    /// Like `SignedIn::want_recent`.
    pub fn want_recent(&self, atrium: &Tenancy) -> Result<()> {
        self.0.want_recent(atrium)
    }
}

impl<S> FromRequestParts<S> for Operator
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = atrium_core::error::Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let signed_in = SignedIn::from_request_parts(parts, state).await?;
        if !signed_in.user().operator {
            return Err(Code::Forbidden.into());
        }
        let since = signed_in.user().operator_since;
        let is_due = since.is_some_and(|since| signed_in.is_factor_due(since));
        if is_due && !signed_in.has_two_factors() {
            return Err(Code::SecondFactorRequired.into());
        }
        Ok(Self(signed_in))
    }
}

/// For calls that anyone may make but that treat a signed-in person differently.
pub struct MaybeSignedIn(pub Option<SignedIn>);

impl MaybeSignedIn {
    /// For a handler that must answer even if this fails.
    pub async fn of(atrium: &Tenancy, headers: &HeaderMap, client: &Client) -> Result<Self> {
        let principal = find(atrium, headers).await?;
        Ok(Self(principal.map(|principal| SignedIn::new(atrium, principal, client.clone()))))
    }
}

impl<S> FromRequestParts<S> for MaybeSignedIn
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = atrium_core::error::Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        match SignedIn::from_request_parts(parts, state).await {
            Ok(signed_in) => Ok(Self(Some(signed_in))),
            Err(error) if error.code() == Some(Code::NotSignedIn) => Ok(Self(None)),
            Err(error) => Err(error),
        }
    }
}

async fn find(atrium: &Tenancy, headers: &HeaderMap) -> Result<Option<Arc<Principal>>> {
    let Some(token) = atrium.session_cookie.read(headers).filter(|token| !token.is_empty()) else {
        return Ok(None);
    };
    let hash = hash_token(token);
    // Read the epoch before the session: an answer may then be newer than its epoch, never older.
    let epoch = atrium.db.epoch().await?;
    let now = atrium.now();
    // A session that seems idle here may have been used on another instance, so it is read again.
    let cached = atrium.sessions.principals.get(&hash);
    let cached =
        cached.filter(|found| found.epoch == epoch && found.is_alive(now) && found.is_current(now));
    let principal = match cached {
        Some(principal) => principal,
        None => match load::principal(atrium, &hash, epoch).await? {
            Some(principal) => {
                let principal = Arc::new(principal);
                atrium.sessions.principals.insert(hash, principal.clone());
                principal
            }
            None => {
                atrium.sessions.principals.remove(&hash);
                return Ok(None);
            }
        },
    };
    if !principal.is_alive(now) {
        return Ok(None);
    }
    if principal.is_due_for_touch(now) {
        let (atrium, id) = (atrium.clone(), principal.session_id.clone());
        // The answer need not wait for this, and a failure only costs five minutes of idle time.
        tokio::spawn(async move {
            if let Err(error) = touch(&atrium, &id, now).await {
                tracing::warn!(%error, "could not record when a session was last seen");
            }
        });
    }
    Ok(Some(principal))
}

/// Removes expired sessions.
pub async fn sweep(atrium: &Tenancy) -> Result<u64> {
    let now = atrium.now();
    let mut tx = atrium.db.write_relaxed().await?;
    let (seen_before, made_before) = (now.plus(-IDLE_LIMIT), now.plus(-ABSOLUTE_LIMIT));
    let removed = store::delete_dead_sessions(&mut tx, seen_before, made_before).await?;
    tx.commit().await?;
    Ok(removed)
}

async fn touch(atrium: &Tenancy, id: &Id, now: Millis) -> Result<()> {
    let mut tx = atrium.db.write_relaxed().await?;
    store::touch_session(&mut tx, id, now).await?;
    tx.commit().await
}

/// Starts a session for a user and ends the one the browser came with, so that a session planted before
/// sign-in is useless after it. Returns its id and the cookie; set the cookie once `tx` has committed.
pub async fn begin(
    atrium: &Tenancy,
    tx: &mut Write,
    headers: &HeaderMap,
    user_id: &Id,
    client: &Client,
    two_factors: bool,
    through: Option<&Id>,
) -> Result<(Id, HeaderValue)> {
    let token = new_token(atrium);
    let now = atrium.now();
    let session = store::NewSession {
        id: atrium.new_id(),
        user_id: user_id.clone(),
        token_hash: hash_token(&token),
        at: now,
        ip: client.ip.to_string(),
        user_agent: client.user_agent.clone(),
        two_factors,
    };
    store::insert_session(tx, &session).await?;
    if let Some(org_id) = through {
        store::note_session_org(tx, &session.id, org_id, now).await?;
    }
    if let Some(old) = atrium.session_cookie.read(headers).map(hash_token) {
        // Signing in through a second organization's provider does not leave the first one. But this
        // has a limit: only the first provider itself can renew it.
        if through.is_some() {
            let since = now.plus(-Millis::DAY);
            store::carry_session_orgs(tx, &old, &session, since).await?;
        }
        store::delete_session(tx, &old).await?;
    }
    store::delete_sessions_beyond(tx, user_id, MOST_AT_ONCE).await?;
    store::note_login(tx, user_id, now).await?;
    let cookie = atrium.session_cookie.set(&token, ABSOLUTE_LIMIT / Millis::SECOND);
    Ok((session.id, cookie))
}

/// Ends the session the browser came with, if there is one.
pub async fn end(atrium: &Tenancy, tx: &mut Write, headers: &HeaderMap) -> Result<()> {
    if let Some(token) = atrium.session_cookie.read(headers) {
        store::delete_session(tx, &hash_token(token)).await?;
    }
    Ok(())
}
