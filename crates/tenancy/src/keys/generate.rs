//! The format of keys, and the source of their randomness. Each kind has its own prefix, so that
//! repository scanners can find a leaked one.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::store::keys::{ApiKeyKind, MadeAccessKey, MadeApiKey, hash_of};
use atrium_core::Core;
use atrium_core::error::Result;

/// Letters and digits that are not mistaken for one another.
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ACCESS_KEY_LENGTH: usize = 20;

pub fn api_key(core: &Core, kind: ApiKeyKind) -> MadeApiKey {
    let value = match kind {
        ApiKeyKind::Collect => {
            format!("ck_{}", URL_SAFE_NO_PAD.encode(core.entropy.bytes::<24>()))
        }
        ApiKeyKind::Query => format!("qk_{}", URL_SAFE_NO_PAD.encode(core.entropy.bytes::<32>())),
    };
    MadeApiKey { kind, hash: hash_of(&value), hint: hint_of(&value), value }
}

/// The beginning and end of a value, by which people recognize one they have.
fn hint_of(value: &str) -> String {
    let (start, end) = (value.get(..7), value.get(value.len().saturating_sub(4)..));
    format!("{}…{}", start.unwrap_or_default(), end.unwrap_or_default())
}

pub fn access_key(core: &Core) -> Result<MadeAccessKey> {
    let random = core.entropy.bytes::<ACCESS_KEY_LENGTH>();
    let letters = random.iter().map(|byte| char::from(ALPHABET[usize::from(byte & 31)]));
    let id: String = "AK".chars().chain(letters).collect();
    let secret = URL_SAFE_NO_PAD.encode(core.entropy.bytes::<32>());
    let sealed = core.keyring.seal(&purpose(&id), secret.as_bytes(), &core.entropy)?;
    Ok(MadeAccessKey { id, secret, sealed })
}

pub fn open_secret(core: &Core, id: &str, sealed: &str) -> Result<Vec<u8>> {
    Ok(core.keyring.open_sealed(&purpose(id), sealed)?)
}

/// Bound to the key: a secret moved to another row cannot be opened there.
fn purpose(id: &str) -> String {
    format!("access-key/{id}")
}

pub fn is_access_key_id(text: &str) -> bool {
    text.strip_prefix("AK").is_some_and(|rest| {
        rest.len() == ACCESS_KEY_LENGTH && rest.bytes().all(|byte| ALPHABET.contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_shows_little() {
        assert_eq!(hint_of("qk_AbCdEFGHIJKLMNOPQRSTUVWXYZ0123456789_-wxyz"), "qk_AbCd…wxyz");
    }

    #[test]
    fn ids_have_one_form() {
        assert!(is_access_key_id("AKABCDEFGHIJKLMNOPQR27"));
        for other in
            ["", "AK", "AKABCDEFGHIJKLMNOPQR2", "AKabcdefghijklmnopqr27", "AK1BCDEFGHIJKLMNOPQR27"]
        {
            assert!(!is_access_key_id(other), "{other}");
        }
    }
}
