//! Slows down guessing: ten failures per account and fifty per address in fifteen minutes are free,
//! then each further attempt waits longer. It never locks an account: a browser that has signed in to
//! the account before is counted separately, so a stranger cannot keep the owner out.
//!
//! An attempt counts as failed before its password is checked, so that a thousand at once cannot slip
//! past the count; a successful one takes its count back.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use http::header::HeaderValue;
use sqlx::AnyConnection;
use sqlx_macros::FromRow;
use subtle::ConstantTimeEq;

use crate::state::Tenancy;
use atrium_core::client::{Client, network_of};
use atrium_core::db::Write;
use atrium_core::error::{Error, Result};
use atrium_core::keyring::mac;
use atrium_core::text::Email;
use atrium_core::types::{Id, Millis};

const WINDOW: i64 = 15 * Millis::MINUTE;
const FREE_PER_ACCOUNT: i64 = 10;
const FREE_PER_ADDRESS: i64 = 50;
const FIRST_DELAY: i64 = 15 * Millis::SECOND;
const LONGEST_DELAY: i64 = 15 * Millis::MINUTE;
/// Mails that one network may request in a window: an office requests many, nobody hundreds.
const FREE_MAILS: i64 = 60;
/// Sign-in pages that one network may open in a window, each with a passkey challenge.
const FREE_CHALLENGES: i64 = 600;
/// Unsuccessful returns from a provider that one network may have in a window.
const FREE_RETURNS: i64 = 300;
/// Outside servers that one person may have us call in a window.
const FREE_PROBES: i64 = 60;
/// New passwords that one network may have checked in a window, while they are typed.
const FREE_NEW_PASSWORDS: i64 = 600;
/// Sign-ins at outside providers that one network may begin in a window.
const FREE_TRIPS: i64 = 600;
/// Addresses that one person may invite in a window.
const FREE_INVITATIONS: i64 = 300;
const FREE_INVITATIONS_TO_ONE: i64 = 6;
const RESEND_AFTER: i64 = Millis::MINUTE;
const ACCOUNTS_PER_DEVICE: usize = 8;
const DEVICE_COOKIE_SECONDS: i64 = 400 * 24 * 60 * 60;

/// The counters an attempt falls under, each with its number of free failures.
pub struct Attempt {
    scopes: Vec<(String, i64)>,
    /// How often this attempt was counted: twice for a sign-in of two steps.
    counted: i64,
}

impl Attempt {
    pub fn of(atrium: &Tenancy, email: &Email, client: &Client, headers: &HeaderMap) -> Self {
        // Keyed hashes: the table must not become a list of the addresses people typed.
        let account = account_mark(atrium, email);
        let scopes = match known_device(atrium, email, headers) {
            Some(device) => vec![(format!("device:{account}:{device}"), FREE_PER_ACCOUNT)],
            None => vec![
                (format!("account:{account}"), FREE_PER_ACCOUNT),
                (format!("address:{}", network_of(client.ip)), FREE_PER_ADDRESS),
            ],
        };
        Self { scopes, counted: 1 }
    }

    /// The second step of a sign-in whose first step was also counted.
    pub fn after_first_step(self) -> Self {
        Self { counted: 2, ..self }
    }

    fn one(scope: String, free: i64) -> Self {
        Self { scopes: vec![(scope, free)], counted: 1 }
    }
}

impl Attempt {
    /// For returns from a provider, which nobody can guess: a whole office may return at nine o'clock.
    pub fn of_return(client: &Client) -> Self {
        Self::one(format!("return:{}", network_of(client.ip)), FREE_RETURNS)
    }

    /// For proofs that name no account until they are checked, and cannot be guessed.
    pub fn of_address(client: &Client) -> Self {
        Self::one(format!("address:{}", network_of(client.ip)), FREE_PER_ADDRESS)
    }
}

/// Bounds how many challenges the database keeps for one network.
pub async fn count_challenge(atrium: &Tenancy, client: &Client) -> Result<()> {
    let scope = format!("challenge:{}", network_of(client.ip));
    count(atrium, &Attempt::one(scope, FREE_CHALLENGES)).await
}

/// Bounds how often one person can have us call servers of their choice.
pub async fn count_probe(atrium: &Tenancy, user_id: &Id) -> Result<()> {
    count(atrium, &Attempt::one(format!("probe:{user_id}"), FREE_PROBES)).await
}

/// Bounds how many sign-ins at outside providers the database keeps for one network.
pub async fn count_trip(atrium: &Tenancy, client: &Client) -> Result<()> {
    let scope = format!("trip:{}", network_of(client.ip));
    count(atrium, &Attempt::one(scope, FREE_TRIPS)).await
}

/// Bounds the cost of checking passwords.
pub async fn count_new_password(atrium: &Tenancy, client: &Client) -> Result<()> {
    let scope = format!("new-password:{}", network_of(client.ip));
    count(atrium, &Attempt::one(scope, FREE_NEW_PASSWORDS)).await
}

/// Bounds how many strangers one person can have us write to, and how often each of them gets mail from
/// anyone.
pub async fn count_invitations(atrium: &Tenancy, user_id: &Id, addresses: &[String]) -> Result<()> {
    for address in addresses {
        let mark = account_mark(atrium, &Email::new(address));
        let scopes = vec![
            (format!("invite:{user_id}"), FREE_INVITATIONS),
            (format!("invite-to:{mark}"), FREE_INVITATIONS_TO_ONE),
        ];
        count(atrium, &Attempt { scopes, counted: 1 }).await?;
    }
    Ok(())
}

/// Bounds how many links one person can create to pass on.
pub async fn count_link(atrium: &Tenancy, user_id: &Id) -> Result<()> {
    count(atrium, &Attempt::one(format!("link:{user_id}"), FREE_INVITATIONS)).await
}

/// Allows one mail of a kind per address and minute, and a limited number of requests per network.
/// Behaves the same for addresses without an account.
pub async fn ask_for_mail(
    atrium: &Tenancy,
    kind: &str,
    email: &Email,
    client: &Client,
) -> Result<()> {
    let network = network_of(client.ip);
    count(atrium, &Attempt::one(format!("mail-from:{network}"), FREE_MAILS)).await?;
    let scope = format!("mail:{kind}:{}", account_mark(atrium, email));
    let now = atrium.now();
    let mut tx = atrium.db.write_relaxed().await?;
    let row = lock(&mut tx, &scope, now).await?;
    refuse_while_blocked(&row, now)?;
    let next = Row { window_start: now, failures: 0, blocked_until: now.plus(RESEND_AFTER) };
    update(&mut tx, &scope, &next).await?;
    tx.commit().await
}

/// Counts an attempt at the account's own password, from a signed-in session.
pub async fn count_password_check(atrium: &Tenancy, user_id: &Id) -> Result<()> {
    let scope = password_check_scope(user_id);
    count(atrium, &Attempt::one(scope, FREE_PER_ACCOUNT)).await
}

pub async fn forget_password_checks(tx: &mut Write, user_id: &Id) -> Result<()> {
    let scope = password_check_scope(user_id);
    forget(tx, &Attempt::one(scope, FREE_PER_ACCOUNT)).await
}

/// Counts an attempt at confirming an authenticator app.
pub async fn count_code_check(atrium: &Tenancy, user_id: &Id) -> Result<()> {
    count(atrium, &code_checks(user_id)).await
}

pub async fn forget_code_checks(tx: &mut Write, user_id: &Id) -> Result<()> {
    forget(tx, &code_checks(user_id)).await
}

fn code_checks(user_id: &Id) -> Attempt {
    Attempt::one(format!("code:{user_id}"), FREE_PER_ACCOUNT)
}

fn password_check_scope(user_id: &Id) -> String {
    format!("password:{user_id}")
}

#[derive(FromRow)]
struct Row {
    window_start: Millis,
    failures: i64,
    blocked_until: Millis,
}

/// Counts an attempt, or refuses it with the time to wait.
pub async fn count(atrium: &Tenancy, attempt: &Attempt) -> Result<()> {
    let now = atrium.now();
    let mut tx = atrium.db.write_relaxed().await?;
    for (scope, free) in &attempt.scopes {
        let row = lock(&mut tx, scope, now).await?;
        refuse_while_blocked(&row, now)?;
        update(&mut tx, scope, &counted(row, *free, now)).await?;
    }
    tx.commit().await
}

fn refuse_while_blocked(row: &Row, now: Millis) -> Result<()> {
    if row.blocked_until <= now {
        return Ok(());
    }
    let seconds = (row.blocked_until.since(now) + 999) / Millis::SECOND;
    Err(Error::throttled(u64::try_from(seconds).unwrap_or(1)))
}

async fn update(db: &mut AnyConnection, scope: &str, row: &Row) -> Result<()> {
    sqlx::query(
        "UPDATE throttles SET window_start = $1, failures = $2, blocked_until = $3 WHERE scope = $4",
    )
    .bind(row.window_start)
    .bind(row.failures)
    .bind(row.blocked_until)
    .bind(scope)
    .execute(db)
    .await?;
    Ok(())
}

fn counted(row: Row, free: i64, now: Millis) -> Row {
    // The quiet period starts when waiting ends, or the longest wait would reset the count.
    let fresh = now.since(row.window_start.max(row.blocked_until)) >= WINDOW;
    let failures = if fresh { 1 } else { row.failures + 1 };
    let over = failures - free;
    if over < 0 {
        let window_start = if fresh { now } else { row.window_start };
        return Row { window_start, failures, blocked_until: Millis(0) };
    }
    let delay = FIRST_DELAY.saturating_mul(1 << over.min(20)).min(LONGEST_DELAY);
    // From here on the window moves along: the delay grows until there is a quiet period.
    Row { window_start: now, failures, blocked_until: now.plus(delay) }
}

/// Reads a counter and locks it until the transaction ends.
async fn lock(db: &mut AnyConnection, scope: &str, now: Millis) -> Result<Row> {
    Ok(sqlx::query_as(
        "INSERT INTO throttles (scope, window_start, failures, blocked_until) VALUES ($1, $2, 0, 0)
         ON CONFLICT (scope) DO UPDATE SET failures = throttles.failures
         RETURNING window_start, failures, blocked_until",
    )
    .bind(scope)
    .bind(now)
    .fetch_one(db)
    .await?)
}

/// Takes back the count of a successful attempt: resets the account's, reduces the address's.
pub async fn forget(tx: &mut Write, attempt: &Attempt) -> Result<()> {
    for (scope, _) in &attempt.scopes {
        let statement = if scope.starts_with("address:") {
            "UPDATE throttles SET failures = failures - $2, blocked_until = 0
             WHERE scope = $1 AND failures >= $2"
        } else {
            "DELETE FROM throttles WHERE scope = $1 AND $2 > 0"
        };
        sqlx::query(statement).bind(scope).bind(attempt.counted).execute(&mut **tx).await?;
    }
    Ok(())
}

/// Removes counters that no longer matter.
pub async fn sweep(atrium: &Tenancy) -> Result<u64> {
    let mut tx = atrium.db.write_relaxed().await?;
    let swept = sqlx::query("DELETE FROM throttles WHERE window_start < $1")
        .bind(atrium.now().plus(-WINDOW - LONGEST_DELAY))
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(swept.rows_affected())
}

/// A cookie that proves which accounts this browser has signed in to: a random name, and for each
/// account a keyed hash of the account and the name. The name stays the same across sign-ins.
pub fn device_cookie(atrium: &Tenancy, email: &Email, headers: &HeaderMap) -> HeaderValue {
    let given = atrium.device_cookie.read(headers).and_then(Device::parse);
    let device = given.unwrap_or_else(|| Device {
        name: URL_SAFE_NO_PAD.encode(atrium.entropy.bytes::<12>()),
        proofs: Vec::new(),
    });
    let proof = device_proof(atrium, email, &device.name);
    let others = device.proofs.iter().filter(|known| **known != proof);
    let proofs: Vec<&String> =
        std::iter::once(&proof).chain(others).take(ACCOUNTS_PER_DEVICE).collect();
    let value = proofs.iter().fold(device.name.clone(), |value, proof| format!("{value}.{proof}"));
    atrium.device_cookie.set(&value, DEVICE_COOKIE_SECONDS)
}

pub fn is_known_device(atrium: &Tenancy, email: &Email, headers: &HeaderMap) -> bool {
    known_device(atrium, email, headers).is_some()
}

/// The browser's name, if it has signed in to this account.
fn known_device(atrium: &Tenancy, email: &Email, headers: &HeaderMap) -> Option<String> {
    let device = atrium.device_cookie.read(headers).and_then(Device::parse)?;
    let expected = device_proof(atrium, email, &device.name);
    let known =
        device.proofs.iter().any(|proof| bool::from(expected.as_bytes().ct_eq(proof.as_bytes())));
    known.then_some(device.name)
}

struct Device {
    name: String,
    /// Newest first. Those of other accounts are kept unchecked: that would take the account's address.
    proofs: Vec<String>,
}

impl Device {
    fn parse(cookie: &str) -> Option<Self> {
        let mut parts = cookie.split('.').take(1 + ACCOUNTS_PER_DEVICE).map(str::to_owned);
        let name = parts.next().filter(|name| name.len() == 16)?;
        let is_proof = |text: &String| {
            text.len() == 22
                && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        };
        Some(Self { name, proofs: parts.filter(is_proof).collect() })
    }
}

/// A keyed hash to identify an address where the address itself must not appear.
pub fn account_mark(atrium: &Tenancy, email: &Email) -> String {
    short_mac(atrium, "throttle", &[email.normalized.as_bytes()])
}

fn device_proof(atrium: &Tenancy, email: &Email, device: &str) -> String {
    short_mac(atrium, "device", &[device.as_bytes(), b"\n", email.normalized.as_bytes()])
}

fn short_mac(atrium: &Tenancy, purpose: &str, parts: &[&[u8]]) -> String {
    URL_SAFE_NO_PAD.encode(&mac(&atrium.keyring.derive(purpose), parts)[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_are_free_and_then_the_wait_doubles() {
        let mut row = Row { window_start: Millis(0), failures: 0, blocked_until: Millis(0) };
        for _ in 0..9 {
            row = counted(row, FREE_PER_ACCOUNT, Millis(1_000));
            assert_eq!(row.blocked_until, Millis(0));
        }
        let mut now = Millis(2_000);
        for delay in [15, 30, 60, 120, 240, 480, 900, 900] {
            row = counted(row, FREE_PER_ACCOUNT, now);
            assert_eq!(row.blocked_until.since(now), delay * Millis::SECOND);
            now = row.blocked_until;
        }
    }

    #[test]
    fn quiet_ends_the_count() {
        let row = Row { window_start: Millis(0), failures: 500, blocked_until: Millis(5) };
        let row = counted(row, FREE_PER_ACCOUNT, Millis(WINDOW + 5));
        assert_eq!((row.failures, row.blocked_until), (1, Millis(0)));
    }
}
