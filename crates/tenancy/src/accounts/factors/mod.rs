//! Second factors and passkeys: adding them, removing them, and checking what is shown.

pub(crate) mod codes;
pub mod passkey_login;
pub mod passkeys;
pub mod totp;
