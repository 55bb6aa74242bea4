//! Random secrets for cookies and links, and the hashes under which the database keeps them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use atrium_core::Core;

/// The hash of a token: how the database and the cache refer to it.
pub type TokenHash = [u8; 32];

pub fn hash_token(token: &str) -> TokenHash {
    Sha256::digest(token.as_bytes()).into()
}

pub fn hash_text(hash: &TokenHash) -> String {
    hex::encode(hash)
}

/// A new secret of 256 bits, in the form used in cookies and links.
pub fn new_token(core: &Core) -> String {
    URL_SAFE_NO_PAD.encode(core.entropy.bytes::<32>())
}
