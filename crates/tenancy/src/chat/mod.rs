//! Work chat: WeChat Work and Feishu. People bind the account they have there, sign in with it, and get
//! messages through it. An account is identified by its company and its id there, never by an address
//! (docs/decisions/0019).

mod callback;
pub mod handlers;
mod remaining_methods;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::accounts::login::SignInMethod;
pub use atrium_core::chat_provider::Provider;

fn method(provider: Provider) -> SignInMethod {
    match provider {
        Provider::Wechatwork => SignInMethod::Wechatwork,
        Provider::Feishu => SignInMethod::Feishu,
    }
}

/// Keeps flows to different providers apart.
fn flow_purpose(provider: Provider) -> &'static str {
    match provider {
        Provider::Wechatwork => "chat_wechatwork",
        Provider::Feishu => "chat_feishu",
    }
}

fn callback_path(provider: Provider) -> String {
    format!("/api/v1/{}/callback", provider.as_str())
}

/// The purpose of a trip to a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    Bind,
    Login,
}

/// What the callback needs to know.
#[derive(Serialize, Deserialize)]
struct OAuthFlow {
    purpose: Purpose,
    /// Checked when the flow starts.
    redirect: Option<String>,
    /// The PKCE verifier, for providers that support PKCE.
    verifier: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_stored_under_the_name_it_has_everywhere() {
        for provider in Provider::ALL {
            assert_eq!(serde_json::to_value(provider).unwrap(), provider.as_str());
            assert_eq!(serde_json::to_value(method(provider)).unwrap(), provider.as_str());
        }
    }
}
