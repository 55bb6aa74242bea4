//! Checks codes: those of an authenticator app, and recovery codes. Each works once.

use anyhow::anyhow;
use totp_rs::{Builder, Totp};

use crate::accounts::login::Second;
use crate::state::Tenancy;
use crate::store::factors as store;
use crate::token::hash_text;
use atrium_core::db::Write;
use atrium_core::error::{Error, Result};
use atrium_core::keyring::mac;
use atrium_core::types::{Id, Millis};

pub const PURPOSE: &str = "totp";
pub const RECOVERY_CODES: usize = 10;
const RECOVERY_PURPOSE: &str = "recovery_code";
const RECOVERY_LENGTH: usize = 10;
/// Lowercase letters and digits that look different in every font.
const RECOVERY_ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// SHA-1, six digits, thirty seconds: the only combination that every app supports.
pub fn totp(secret: Vec<u8>, account: &str) -> Result<Totp> {
    let totp = Builder::new().with_secret(secret).with_account_name(account);
    let totp = totp.with_issuer(Some("Atrium")).build();
    totp.map_err(|error| Error::internal(anyhow!("totp: {error}")))
}

/// The time step a code belongs to: the current, previous or next one.
pub fn matched_step(totp: &Totp, code: &str, now: Millis) -> Option<i64> {
    let seconds = u64::try_from(now.0 / Millis::SECOND).ok()?;
    totp.check(code, seconds).and_then(|step| i64::try_from(step).ok())
}

/// Uses a code up. None if it is wrong or was used before.
pub async fn spend(
    atrium: &Tenancy,
    tx: &mut Write,
    user_id: &Id,
    code: &str,
) -> Result<Option<Second>> {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).take(64).collect();
    let Some(factor) = store::totp(tx, user_id).await?.filter(|row| row.confirmed_at.is_some())
    else {
        return Ok(None);
    };
    if code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()) {
        let secret = atrium.keyring.open_sealed(PURPOSE, &factor.secret)?;
        let step = matched_step(&totp(secret, "Atrium")?, &code, atrium.now());
        let Some(step) = step else { return Ok(None) };
        // Also refuses every earlier step, so that a code read over someone's shoulder is worthless.
        return Ok(store::use_step(tx, user_id, step).await?.then_some(Second::Totp));
    }
    let hash = hash_recovery_code(atrium, user_id, &code);
    let used = store::use_recovery_code(tx, user_id, &hash, atrium.now()).await?;
    Ok(used.then_some(Second::RecoveryCode))
}

/// Replaces the person's recovery codes. They are returned only this once; only hashes are stored.
pub async fn renew_recovery_codes(
    atrium: &Tenancy,
    tx: &mut Write,
    user_id: &Id,
) -> Result<Vec<String>> {
    let codes: Vec<String> = (0..RECOVERY_CODES).map(|_| new_recovery_code(atrium)).collect();
    store::delete_recovery_codes(tx, user_id).await?;
    for code in &codes {
        store::insert_recovery_code(tx, user_id, &hash_recovery_code(atrium, user_id, code))
            .await?;
    }
    Ok(codes)
}

/// Fifty bits, far more than can be guessed against the throttle.
fn new_recovery_code(atrium: &Tenancy) -> String {
    let random: [u8; RECOVERY_LENGTH] = atrium.entropy.bytes();
    let letters = random.map(|byte| char::from(RECOVERY_ALPHABET[usize::from(byte % 32)]));
    let text: String = letters.iter().collect();
    format!("{}-{}", &text[..5], &text[5..])
}

fn hash_recovery_code(atrium: &Tenancy, user_id: &Id, code: &str) -> String {
    let plain = code.to_lowercase().replace('-', "");
    let key = atrium.keyring.derive(RECOVERY_PURPOSE);
    hash_text(&mac(&key, &[user_id.as_str().as_bytes(), b"\n", plain.as_bytes()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_standard() {
        // RFC 6238, appendix B, cut to six digits.
        let totp = totp(b"12345678901234567890".to_vec(), "jane@example.com").unwrap();
        let at = |seconds: i64| Millis(seconds * Millis::SECOND);
        assert_eq!(matched_step(&totp, "287082", at(59)), Some(1));
        assert_eq!(matched_step(&totp, "005924", at(1_234_567_890)), Some(41_152_263));
        // The app's clock may be off by one step, but not two.
        assert_eq!(matched_step(&totp, "287082", at(89)), Some(1));
        assert_eq!(matched_step(&totp, "287082", at(121)), None);
        assert_eq!(matched_step(&totp, "", at(59)), None);
        assert_eq!(matched_step(&totp, "28708²", at(59)), None);
    }

    #[test]
    fn the_alphabet_has_no_lookalikes() {
        for lookalike in b"lo01" {
            assert!(!RECOVERY_ALPHABET.contains(lookalike));
        }
    }
}
