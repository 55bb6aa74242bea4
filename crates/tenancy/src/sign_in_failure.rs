//! Why a sign-in through an outside provider failed. The console has a text for each code, and the
//! audit log an entry.

macro_rules! failures {
    ($($variant:ident = $code:literal,)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum SignInFailure {
            $($variant,)+
        }

        impl SignInFailure {
            pub const ALL: &[SignInFailure] = &[$(Self::$variant),+];

            /// The console's code for it; never changes once released.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                }
            }
        }
    };
}

failures! {
    Cancelled = "cancelled",
    StateInvalid = "state_invalid",
    ProviderUnavailable = "provider_unavailable",
    ProviderError = "provider_error",
    CodeRefused = "code_refused",
    AccountDisabled = "account_disabled",
    Throttled = "throttled",
    // Single sign-on.
    SsoOff = "sso_off",
    IssuerMismatch = "issuer_mismatch",
    AudienceMismatch = "audience_mismatch",
    TokenUnsigned = "token_unsigned",
    TokenSignature = "token_signature",
    TokenExpired = "token_expired",
    TokenInvalid = "token_invalid",
    NonceMismatch = "nonce_mismatch",
    EmailMissing = "email_missing",
    EmailUnverified = "email_unverified",
    DomainNotAllowed = "domain_not_allowed",
    MembershipEnded = "membership_ended",
    LinkWrongAccount = "link_wrong_account",
    // Work chat.
    NotBound = "not_bound",
    BoundElsewhere = "bound_elsewhere",
    AlreadyBound = "already_bound",
    Outsider = "outsider",
    NotAllowed = "not_allowed",
    WrongUser = "wrong_user",
}

atrium_core::code_schema!(
    SignInFailure,
    "SignInFailure",
    SignInFailure::ALL.iter().map(|it| it.as_str())
);
