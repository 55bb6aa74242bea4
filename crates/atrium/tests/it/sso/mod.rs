//! Single sign-on, against a real OpenID provider.

mod connection_test;
mod domains;
mod enforcement;
mod leaving;
mod linking;
mod provider;
mod refusals;
mod settings;
mod sign_in;

use std::sync::Arc;

use crate::support::openid::{CLIENT_ID, CLIENT_SECRET, OpenId};
use crate::support::standins::IMPATIENT;
use crate::support::{Actor, Answer, Store, TestServer};
use atrium::config::RawSettings;
use atrium::sso::domains::by_operator;
use atrium::types::Id;
use serde_json::{Value, json};

/// A server with an organization that uses single sign-on for acme.test.
pub struct Company {
    pub server: TestServer,
    pub standins: Arc<OpenId>,
    pub owner: Actor,
    pub org_id: Id,
}

pub const OWNER: &str = "owner@boss.test";

impl Company {
    pub async fn start(store: Store) -> Self {
        Self::start_with(store, |_| {}).await
    }

    /// With a server that gives up on the provider quickly.
    pub async fn start_impatient(store: Store) -> Self {
        Self::start_with(store, |raw| raw.provider_timeout_ms = Some(IMPATIENT.as_millis() as u64))
            .await
    }

    async fn start_with(store: Store, change: impl FnOnce(&mut RawSettings)) -> Self {
        let standins = Arc::new(OpenId::start().await);
        let dns = standins.dns.clone();
        let server = TestServer::start_with(store, |raw| {
            raw.sso_internal_networks = Some(true);
            raw.dns_server = Some(dns);
            change(raw);
        })
        .await;
        let owner = server.owner(OWNER).await;
        let teams = owner.get("/api/v1/orgs").await;
        let org_id = Id::parse(teams.body["data"]["items"][0]["id"].as_str().unwrap()).unwrap();
        let company = Self { server, standins, owner, org_id };
        company.verified("acme.test").await;
        let answer = company.set(json!({})).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        company
    }

    pub fn issuer(&self) -> &str {
        &self.standins.issuer
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/api/v1/orgs/{}{rest}", self.org_id)
    }

    pub async fn verified(&self, domain: &str) {
        by_operator(&self.server.atrium, &self.org_id, domain).await.unwrap().unwrap();
    }

    /// Saves the provider's settings: correct ones, with this change.
    pub async fn set(&self, change: Value) -> Answer {
        let mut body = json!({
            "issuer": self.issuer(), "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET,
            "default_role": "member", "enabled": true, "enforced": false,
        });
        for (name, value) in change.as_object().unwrap() {
            body[name] = value.clone();
        }
        self.owner.put(&self.path("/sso"), body).await
    }

    /// The address of the provider's page for a trip with this email address.
    pub async fn set_out(&self, browser: &Actor, email: &str) -> String {
        let answer = browser.post("/api/v1/sso/login", json!({ "email": email })).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["data"]["redirect_url"].as_str().unwrap().to_owned()
    }

    /// Signs in at the provider; returns the path of our callback that it redirects to.
    pub async fn callback_of(&self, browser: &Actor, email: &str) -> String {
        let url = self.set_out(browser, email).await;
        let back = self.standins.visit(&url, None).await;
        self.inside(&back)
    }

    pub fn inside(&self, url: &str) -> String {
        let path = url.strip_prefix(&self.server.url);
        path.unwrap_or_else(|| panic!("{url} is not ours")).to_owned()
    }

    /// The whole trip; returns the page where it ends.
    pub async fn sign_in(&self, browser: &Actor, email: &str) -> String {
        let callback = self.callback_of(browser, email).await;
        open_callback(browser, &callback).await
    }

    /// Entries of an action in the organization's log, newest first.
    pub async fn log(&self, action: &str) -> Vec<Value> {
        let path = self.path(&format!("/audit-logs?action={action}&limit=100"));
        let answer = self.owner.get(&path).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["data"]["items"].as_array().unwrap().clone()
    }
}

/// Opens our callback and returns where it redirects to.
pub async fn open_callback(browser: &Actor, callback: &str) -> String {
    let answer = browser.get(callback).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    assert_eq!(answer.header("cache-control"), "no-store");
    answer.header("location").to_owned()
}

/// Runs a test on both databases, beside a provider.
macro_rules! with_provider {
    (async fn $name:ident($company:ident: Company) $body:block) => {
        with_provider!(start, async fn $name($company: Company) $body);
    };
    (impatient async fn $name:ident($company:ident: Company) $body:block) => {
        with_provider!(start_impatient, async fn $name($company: Company) $body);
    };
    ($start:ident, async fn $name:ident($company:ident: Company) $body:block) => {
        mod $name {
            use super::*;

            async fn run($company: Company) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_sqlite() {
                run(Company::$start(Store::Sqlite).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_postgres() {
                run(Company::$start(Store::Postgres).await).await;
            }
        }
    };
}
pub(crate) use with_provider;
