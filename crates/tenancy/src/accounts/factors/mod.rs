//! Second factors and passkeys: adding, removing and checking them.

pub(crate) mod codes;
pub mod passkey_login;
pub mod passkeys;
pub mod totp;
