//! OAuth flows: a browser goes to an outside provider and comes back. The provider returns our `state`,
//! which works once, for ten minutes, only in the browser that started the flow and, if someone was
//! signed in, only for that person. Otherwise an attacker could make a victim's browser finish a flow
//! that the attacker started.

use http::HeaderMap;
use http::header::HeaderValue;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use super::ticket::{self, Ticket};
use crate::session::SignedIn;
use crate::state::Tenancy;
use crate::store::accounts as store;
use crate::token::{hash_text, hash_token, new_token};
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

const LIFETIME: i64 = 10 * Millis::MINUTE;
/// The length of a `new_token`; we never set a cookie of any other length.
const BROWSER_LENGTH: usize = 43;

/// A flow that has started: `state` goes to the provider, `cookie` to the browser.
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
    #[serde(rename = "trip")]
    data: T,
}

/// Stores what the callback needs. `purpose` keeps different kinds of flows apart.
pub async fn begin(
    atrium: &Tenancy,
    headers: &HeaderMap,
    purpose: &'static str,
    asked_by: Option<&SignedIn>,
    data: &impl Serialize,
) -> Result<Begun> {
    // The browser keeps its secret, so that a second tab does not break the first one's flow.
    let known = atrium.flow_cookie.read(headers).filter(|value| value.len() == BROWSER_LENGTH);
    let plain =
        |value: &&str| value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    let browser = known.filter(plain).map_or_else(|| new_token(atrium), str::to_owned);
    // WeChat Work takes letters and digits only.
    let state = hash_text(&atrium.entropy.bytes::<32>());
    let kept = Kept {
        browser: hash_text(&hash_token(&browser)),
        asked_by: asked_by.map(|it| (it.user().id.clone(), it.session_id().clone())),
        data,
    };
    let user_id = asked_by.map(|it| &it.user().id);
    let ticket = Ticket { purpose, lifetime: LIFETIME, user_id, email: None };
    let mut tx = atrium.db.write_relaxed().await?;
    ticket::keep(atrium, &mut tx, ticket, &state, &kept).await?;
    tx.commit().await?;
    Ok(Begun { state, cookie: atrium.flow_cookie.set(&browser, LIFETIME / Millis::SECOND) })
}

/// A flow that came back.
pub struct Returned<T> {
    /// Who asked, in which session; the caller compares it with who is signed in now.
    pub asked_by: Option<(Id, Id)>,
    pub data: T,
}

/// Consumes a `state`. None when it is unknown, used, expired, or from another browser.
pub async fn take<T: DeserializeOwned>(
    atrium: &Tenancy,
    headers: &HeaderMap,
    purpose: &'static str,
    state: &str,
) -> Result<Option<Returned<T>>> {
    let Some(browser) = atrium.flow_cookie.read(headers) else { return Ok(None) };
    let now = atrium.now();
    let mut tx = atrium.db.write_relaxed().await?;
    let row = store::live_token(&mut tx, &hash_token(state), now).await?;
    let Some(row) = row.filter(|row| row.purpose == purpose) else { return Ok(None) };
    let kept: Kept<T> = ticket::open(atrium, &row)?;
    let ours = hash_text(&hash_token(browser));
    let same_browser: bool = ours.as_bytes().ct_eq(kept.browser.as_bytes()).into();
    if !same_browser || !store::use_token(&mut tx, &row.id, now).await? {
        return Ok(None);
    }
    tx.commit().await?;
    Ok(Some(Returned { asked_by: kept.asked_by, data: kept.data }))
}
