//! Caches what sessions stand for, while the database says that nothing changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use axum::body::Bytes;
use quick_cache::sync::Cache;

use crate::current_user::CurrentUser;
use crate::store::accounts::SessionRow;
use crate::token::TokenHash;
use atrium_core::http::json::Data;
use atrium_core::types::{Id, Millis};

pub const IDLE_LIMIT: i64 = 14 * Millis::DAY;
pub const ABSOLUTE_LIMIT: i64 = 30 * Millis::DAY;
/// How stale "last seen" may get before it is written again.
const TOUCH_EVERY: i64 = 5 * Millis::MINUTE;

/// What a session stands for, as of one epoch of the database.
pub struct Principal {
    pub session_id: Id,
    pub user: CurrentUser,
    /// The answer to GET /current, serialized once: every page begins with that call.
    pub answer: Bytes,
    created_at: Millis,
    last_seen_at: AtomicI64,
    pub proven_at: Millis,
    /// Whether the person signed in with two factors.
    pub two_factors: bool,
    /// The organizations through whose providers the person signed in.
    pub through: Vec<Id>,
    pub epoch: i64,
}

impl Principal {
    pub fn new(session: SessionRow, through: Vec<Id>, user: CurrentUser, epoch: i64) -> Self {
        Self {
            through,
            session_id: session.id,
            answer: serde_json::to_vec(&Data(&user)).unwrap_or_default().into(),
            user,
            created_at: session.created_at,
            proven_at: session.proven_at.unwrap_or(session.created_at),
            two_factors: session.second_factor_at.is_some(),
            last_seen_at: AtomicI64::new(session.last_seen_at.0),
            epoch,
        }
    }

    /// Whether the answer is still right: false once a deadline in it has passed.
    pub fn is_current(&self, now: Millis) -> bool {
        let mfa = &self.user.mfa;
        mfa.required || mfa.required_from.is_none_or(|from| now < from)
    }

    pub fn is_alive(&self, now: Millis) -> bool {
        let seen = Millis(self.last_seen_at.load(Ordering::Relaxed));
        now.since(self.created_at) < ABSOLUTE_LIMIT && now.since(seen) < IDLE_LIMIT
    }

    /// Whether this request should record that the session was seen.
    pub fn is_due_for_touch(&self, now: Millis) -> bool {
        let seen = self.last_seen_at.load(Ordering::Relaxed);
        now.0 - seen >= TOUCH_EVERY
            && self
                .last_seen_at
                .compare_exchange(seen, now.0, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }
}

pub struct SessionCache {
    pub principals: Cache<TokenHash, Arc<Principal>>,
}

impl Default for SessionCache {
    fn default() -> Self {
        Self::new()
    }
}

impl SessionCache {
    pub fn new() -> Self {
        Self { principals: Cache::new(10_000) }
    }
}
