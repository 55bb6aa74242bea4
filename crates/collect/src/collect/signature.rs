//! Signed requests: an HMAC over method, path, key, nonce, time and payload. The order of the steps
//! matters (shared with docs/decisions/0013): checks that are cheap and reveal nothing come first,
//! remembering the nonce comes after the signature, and the key's own state comes last.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http::HeaderMap;
use parking_lot::Mutex;
use sha2::Sha256;
use subtle::ConstantTimeEq;

use atrium_core::types::Millis;

const WINDOW: i64 = 5 * Millis::MINUTE;
/// Far more than one machine's traffic within the window; beyond it signed requests must wait.
const REMEMBERED_MAX: usize = 8_000_000;

pub const KEY_ID: &str = "x-access-key-id";
pub const TIMESTAMP: &str = "x-timestamp";
pub const NONCE: &str = "x-nonce";
pub const SIGNATURE: &str = "x-signature";
const HEADERS: [&str; 4] = [KEY_ID, TIMESTAMP, NONCE, SIGNATURE];

/// The headers' claims, parsed strictly; nothing is proven yet.
#[derive(Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    pub key_id: &'a str,
    timestamp: &'a str,
    nonce: &'a str,
    signature: [u8; 32],
    at: Millis,
}

/// Whether the request claims to be signed: one of the headers is enough.
pub fn is_claimed(headers: &HeaderMap) -> bool {
    HEADERS.iter().any(|name| headers.contains_key(*name))
}

impl<'a> Claim<'a> {
    /// None if anything is wrong; which header it was is not revealed.
    pub fn read(headers: &'a HeaderMap, now: Millis) -> Option<Self> {
        let key_id = single(headers, KEY_ID, 64)?;
        let timestamp = single(headers, TIMESTAMP, 16)?;
        let nonce = single(headers, NONCE, 6)?;
        let signature = single(headers, SIGNATURE, 44)?;
        let at = Millis(whole(timestamp)?);
        if nonce.len() != 6 || !nonce.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        if now.since(at).abs() > WINDOW {
            return None;
        }
        let signature = STANDARD.decode(signature).ok()?.try_into().ok()?;
        Some(Self { key_id, timestamp, nonce, signature, at })
    }

    /// Compares in constant time. Without a key a made-up one is used, so that an unknown key takes as
    /// long as a known one.
    pub fn is_right(
        &self,
        secret: Option<&[u8]>,
        method: &str,
        path: &str,
        payload: &[u8],
    ) -> bool {
        let made_up = [0_u8; 40];
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.unwrap_or(&made_up)) else {
            return false;
        };
        for part in [method, path, self.key_id, self.nonce, self.timestamp] {
            mac.update(part.as_bytes());
            mac.update(b"\n");
        }
        mac.update(payload);
        let expected: [u8; 32] = mac.finalize().into_bytes().into();
        bool::from(expected.ct_eq(&self.signature)) && secret.is_some()
    }
}

fn single<'a>(headers: &'a HeaderMap, name: &str, max: usize) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    (values.next().is_none() && !value.is_empty() && value.len() <= max).then_some(value)
}

/// Digits only: no sign, spaces or leading zeros.
fn whole(text: &str) -> Option<i64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    if plain { text.parse().ok() } else { None }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Memory {
    New,
    Seen,
    /// No room: try again later.
    Full,
}

/// The nonces of correctly signed requests, by the second they name, for as long as a request for that
/// second would be accepted.
#[derive(Default)]
pub struct Nonces {
    hasher: RandomState,
    seen: Mutex<(BTreeMap<i64, HashSet<u64>>, usize)>,
}

impl Nonces {
    pub fn remember(&self, claim: &Claim<'_>, now: Millis) -> Memory {
        let hash = self.hasher.hash_one((claim.key_id, claim.nonce, claim.timestamp));
        let mut guard = self.seen.lock();
        let (seconds, count) = &mut *guard;
        let oldest = (now.0 - WINDOW) / Millis::SECOND;
        while let Some(entry) = seconds.first_entry() {
            if *entry.key() >= oldest {
                break;
            }
            *count -= entry.remove().len();
        }
        if *count >= REMEMBERED_MAX {
            return Memory::Full;
        }
        if seconds.entry(claim.at.0 / Millis::SECOND).or_default().insert(hash) {
            *count += 1;
            Memory::New
        } else {
            Memory::Seen
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const NOW: Millis = Millis(1_763_200_000_000);

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    fn right() -> Vec<(&'static str, &'static str)> {
        vec![
            (KEY_ID, "AKEXAMPLE"),
            (TIMESTAMP, "1763200000000"),
            (NONCE, "012345"),
            (SIGNATURE, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        ]
    }

    #[test]
    fn headers_are_read_strictly() {
        assert!(Claim::read(&headers(&right()), NOW).is_some());
        for (at, value) in [
            (1, "01763200000000"),
            (1, "+1763200000000"),
            (1, "1763200000000.0"),
            (1, "1763200300001"),
            (1, "1763199699999"),
            (1, "99999999999999999"),
            (2, "12345"),
            (2, "1234567"),
            (2, "12345a"),
            (3, "AAAA"),
            (3, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
            (3, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB="),
            (3, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-="),
        ] {
            let mut list = right();
            list[at].1 = value;
            assert!(Claim::read(&headers(&list), NOW).is_none(), "{value}");
        }
        for at in 0..4 {
            let mut missing = right();
            missing.remove(at);
            assert!(Claim::read(&headers(&missing), NOW).is_none());
            let mut twice = right();
            twice.push(twice[at]);
            assert!(Claim::read(&headers(&twice), NOW).is_none());
        }
    }

    /// Computed with Python's hmac module.
    #[test]
    fn the_signature_is_the_documented_one() {
        let list = [
            (KEY_ID, "AKEXAMPLE"),
            (TIMESTAMP, "1763200000000"),
            (NONCE, "012345"),
            (SIGNATURE, EXPECTED),
        ];
        let headers = headers(&list);
        let claim = Claim::read(&headers, NOW).unwrap();
        let right = |secret: Option<&[u8]>, method, path, body: &[u8]| {
            claim.is_right(secret, method, path, body)
        };
        assert!(right(Some(b"secret"), "POST", "/v1/collect", b"{}"));
        assert!(!right(Some(b"Secret"), "POST", "/v1/collect", b"{}"));
        assert!(!right(None, "POST", "/v1/collect", b"{}"));
        assert!(!right(Some(b"secret"), "GET", "/v1/collect", b"{}"));
        assert!(!right(Some(b"secret"), "POST", "/v1/collect/", b"{}"));
        assert!(!right(Some(b"secret"), "POST", "/v1/collect", b"{} "));
    }

    const EXPECTED: &str = "BSPkmvmVJqYnCRG4Kv43X+fCArnImVxoI0upzHeHuHI=";

    #[test]
    fn a_nonce_is_good_once_while_its_time_lasts() {
        let nonces = Nonces::default();
        let list = headers(&right());
        let claim = Claim::read(&list, NOW).unwrap();
        assert_eq!(nonces.remember(&claim, NOW), Memory::New);
        assert_eq!(nonces.remember(&claim, NOW.plus(WINDOW)), Memory::Seen);
        nonces.remember(&Claim { at: NOW.plus(2 * WINDOW), ..claim }, NOW.plus(2 * WINDOW));
        assert_eq!(nonces.seen.lock().1, 1);
    }
}
