//! Random secrets, as cookies and links carry them, and the hashes that the database knows them by.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use atrium_core::Core;

/// The hash of a token: what the database and the cache know it by.
pub type TokenHash = [u8; 32];

pub fn hash_token(token: &str) -> TokenHash {
    Sha256::digest(token.as_bytes()).into()
}

pub fn hash_text(hash: &TokenHash) -> String {
    hex::encode(hash)
}

/// A fresh secret of 256 bits, as it goes into a cookie or a link.
pub fn new_token(core: &Core) -> String {
    URL_SAFE_NO_PAD.encode(core.entropy.bytes::<32>())
}
