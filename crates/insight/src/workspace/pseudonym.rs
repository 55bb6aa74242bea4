//! Pseudonyms of people and devices for callers who may not see ids: always the same for the same id,
//! and not reversible without the instance's master key.

use sha2::{Digest, Sha256};
use warehouse::{Kind, PseudonymKey};

use crate::insight::state::Insight;
use atrium_core::types::Id;

const PREFIX: &str = "p_";
const DIGITS: usize = 32;

/// The pseudonyms of an app's users, or of its devices.
pub struct Pseudonyms {
    pub key: PseudonymKey,
}

impl Pseudonyms {
    pub fn new(atrium: &Insight, app_id: &Id, kind: Kind) -> Self {
        let purpose = format!("pseudonym/{app_id}/{}", kind.as_str());
        Self { key: atrium.keyring.derive(&purpose) }
    }

    /// The same as in the warehouse's SQL. The hash is cut in half, so that it cannot be extended.
    pub fn of(&self, id: &str) -> String {
        let hash = Sha256::new().chain_update(self.key).chain_update(id).finalize();
        format!("{PREFIX}{}", hex::encode(&hash[..DIGITS / 2]))
    }
}

/// The digits of a whole pseudonym.
pub fn digits(text: &str) -> Option<&str> {
    beginning(text).filter(|digits| digits.len() == DIGITS)
}

/// The digits of a text that may be the beginning of a pseudonym.
pub fn beginning(text: &str) -> Option<&str> {
    let digits = text.strip_prefix(PREFIX)?;
    let plain = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (digits.len() <= DIGITS && digits.bytes().all(plain)).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pseudonym_is_recognized() {
        let name = Pseudonyms { key: [7; 32] }.of("jane");
        assert_eq!(name, Pseudonyms { key: [7; 32] }.of("jane"));
        assert_ne!(name, Pseudonyms { key: [8; 32] }.of("jane"));
        assert_eq!(digits(&name), Some(&name[2..]));
        assert_eq!(beginning("p_0a"), Some("0a"));
        for other in ["jane", "p_", "p_0a", "p_0A", &name[1..]] {
            assert_eq!(digits(other), None, "{other}");
        }
    }
}
