//! An organization's OpenID provider that accepts every address, and a name server whose records the test
//! sets.

use serde_json::{Value, json};

use super::standins::Standins;

pub const CLIENT_ID: &str = "atrium";
pub const CLIENT_SECRET: &str = "atrium-secret";

pub struct OpenId {
    pub issuer: String,
    pub dns: String,
    standins: Standins,
}

impl OpenId {
    /// Starts both. The provider signs people in without showing a page, if their address is given.
    pub async fn start() -> Self {
        let standins = Standins::start("oidc,dns").await;
        let place = |name: &str| standins.place(name).to_owned();
        let provider = Self { issuer: place("oidc"), dns: place("dns"), standins };
        provider.switch("auto", json!({ "email": "login_hint" })).await;
        provider
    }

    /// Sets a switch of the provider.
    pub async fn switch(&self, name: &str, body: Value) {
        self.standins.control("oidc", name, body).await;
    }

    /// Sets a switch of the name server.
    pub async fn dns_switch(&self, name: &str, body: Value) {
        self.standins.control("dns_control", name, body).await;
    }

    /// How often the provider received this kind of call.
    pub async fn seen(&self, what: &str) -> u64 {
        self.standins.seen("oidc").await[what].as_u64().unwrap_or_default()
    }

    /// Goes through the provider's pages like a browser that has never been there, types the address if it is
    /// asked for one, and returns the address that the provider redirects to.
    pub async fn visit(&self, url: &str, typed: Option<&str>) -> String {
        let browser = http_client::builder()
            .cookie_store(true)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        let mut answer = browser.get(url).send().await.unwrap();
        for _ in 0..10 {
            if answer.status().is_redirection() {
                let to = answer.headers()["location"].to_str().unwrap();
                let to = answer.url().join(to).unwrap();
                if !to.as_str().starts_with(&self.issuer) {
                    return to.to_string();
                }
                answer = browser.get(to).send().await.unwrap();
            } else {
                let page = answer.url().clone();
                let status = answer.status();
                let email = typed.unwrap_or_else(|| panic!("the provider shows a page: {status}"));
                answer = match email {
                    "cancel" => browser.get(format!("{page}/cancel")).send().await.unwrap(),
                    email => {
                        let body = format!("email={}", email.replace('+', "%2B"));
                        let kind = "application/x-www-form-urlencoded";
                        let form = browser.post(page).header("content-type", kind).body(body);
                        form.send().await.unwrap()
                    }
                };
            }
        }
        panic!("the provider leads nowhere")
    }
}
