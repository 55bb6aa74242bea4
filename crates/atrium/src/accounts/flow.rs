//! Trips to an outside provider and back. The provider returns our `state`, which works once, for
//! ten minutes, in the browser that set out and, where someone signed in asked, for that person:
//! otherwise anyone could have a victim's browser finish a trip that they began themselves.

use http::HeaderMap;
use http::header::HeaderValue;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use super::session::{SignedIn, hash_text, hash_token, new_token};
use super::store;
use super::ticket::{self, Ticket};
use crate::app::AppState;
use crate::error::Result;
use crate::types::{Id, Millis};

const LIFETIME: i64 = 10 * Millis::MINUTE;
/// That of `new_token`: anything else in the cookie is not of our making.
const BROWSER_LENGTH: usize = 43;

/// A trip that has begun: `state` goes to the provider, `cookie` to the browser.
pub struct Begun {
    pub state: String,
    pub cookie: HeaderValue,
}

#[derive(Serialize, Deserialize)]
struct Kept<T> {
    /// The hash of the browser's cookie.
    browser: String,
    /// Who asked, in which session.
    asked_by: Option<(Id, Id)>,
    trip: T,
}

/// Puts away what the way back needs. `purpose` keeps trips of different kinds apart.
pub async fn begin(
    atrium: &AppState,
    headers: &HeaderMap,
    purpose: &'static str,
    asked_by: Option<&SignedIn>,
    trip: &impl Serialize,
) -> Result<Begun> {
    // A second tab must not spoil the first one's trip, so the browser keeps its secret.
    let known = atrium.flow_cookie.read(headers).filter(|value| value.len() == BROWSER_LENGTH);
    let plain =
        |value: &&str| value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    let browser = known.filter(plain).map_or_else(|| new_token(atrium), str::to_owned);
    // WeChat Work takes letters and digits only.
    let state = hash_text(&atrium.entropy.bytes::<32>());
    let kept = Kept {
        browser: hash_text(&hash_token(&browser)),
        asked_by: asked_by.map(|it| (it.user().id.clone(), it.session_id().clone())),
        trip,
    };
    let user_id = asked_by.map(|it| &it.user().id);
    let ticket = Ticket { purpose, lifetime: LIFETIME, user_id, email: None };
    let mut tx = atrium.db.write_minor().await?;
    ticket::keep(atrium, &mut tx, ticket, &state, &kept).await?;
    tx.commit().await?;
    Ok(Begun { state, cookie: atrium.flow_cookie.set(&browser, LIFETIME / Millis::SECOND) })
}

/// A trip that came back.
pub struct Returned<T> {
    /// Who asked, in which session; the caller compares it with who is signed in now.
    pub asked_by: Option<(Id, Id)>,
    pub trip: T,
}

/// Uses a `state` up. None when it is unknown, used, expired, or of another browser.
pub async fn take<T: DeserializeOwned>(
    atrium: &AppState,
    headers: &HeaderMap,
    purpose: &'static str,
    state: &str,
) -> Result<Option<Returned<T>>> {
    let Some(browser) = atrium.flow_cookie.read(headers) else { return Ok(None) };
    let now = atrium.now();
    let mut tx = atrium.db.write_minor().await?;
    let row = store::live_token(&mut tx, &hash_token(state), now).await?;
    let Some(row) = row.filter(|row| row.purpose == purpose) else { return Ok(None) };
    let kept: Kept<T> = ticket::open(atrium, &row)?;
    let ours = hash_text(&hash_token(browser));
    let same_browser: bool = ours.as_bytes().ct_eq(kept.browser.as_bytes()).into();
    if !same_browser || !store::use_token(&mut tx, &row.id, now).await? {
        return Ok(None);
    }
    tx.commit().await?;
    Ok(Some(Returned { asked_by: kept.asked_by, trip: kept.trip }))
}
