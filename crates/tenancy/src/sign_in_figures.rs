//! Metrics of how sign-ins end: by method and outcome, without who it was.

use crate::sign_in_failure::SignInFailure;

/// `second_factor` is a wrong code in the second step, whatever the first step was.
pub const METHODS: [&str; 8] =
    ["password", "email_code", "link", "passkey", "sso", "wechatwork", "feishu", SECOND_FACTOR];
pub const SECOND_FACTOR: &str = "second_factor";
pub const OUTCOMES: [&str; 4] = ["signed_in", "second_step", "refused", "throttled"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInResult {
    SignedIn,
    /// The first step succeeded, and a second one is required.
    SecondStep,
    Refused,
    /// Refused without a check, after too many attempts.
    Throttled,
}

impl SignInResult {
    fn as_str(self) -> &'static str {
        // In the order of the variants.
        OUTCOMES[self as usize]
    }
}

impl From<SignInFailure> for SignInResult {
    fn from(failure: SignInFailure) -> Self {
        if failure == SignInFailure::Throttled { Self::Throttled } else { Self::Refused }
    }
}

pub fn count(method: &'static str, result: SignInResult) {
    let outcome = result.as_str();
    metrics::counter!("atrium_sign_ins_total", "method" => method, "outcome" => outcome)
        .increment(1);
}
