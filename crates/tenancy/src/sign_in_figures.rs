//! How sign-ins end, for Prometheus: by method and outcome, and nothing of who it was.

use crate::sign_in_failure::SignInFailure;

/// `second_factor` is a wrong code in the second step, whatever came first.
pub const METHODS: [&str; 8] =
    ["password", "email_code", "link", "passkey", "sso", "wechatwork", "feishu", SECOND_FACTOR];
pub const SECOND_FACTOR: &str = "second_factor";
pub const OUTCOMES: [&str; 4] = ["signed_in", "second_step", "refused", "throttled"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInResult {
    SignedIn,
    /// The first step was right, and a second one is asked for.
    SecondStep,
    Refused,
    /// Not looked at, because too many tries came before.
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
