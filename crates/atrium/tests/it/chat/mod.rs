//! Work chat, against stand-ins that answer as the vendors' documentation says.

mod binding;
mod forgery;
mod messages;
mod settings;
mod signing_in;
mod tokens;

use crate::support::standins::{IMPATIENT, Standins};
use crate::support::{Actor, Answer, Store, TestServer};
use atrium::config::RawSettings;
use serde_json::{Value, json};

/// One person at each provider, with their name there.
const PEOPLE: [(&str, &str, &str); 2] =
    [("wechatwork", "LiLei", "Li Lei"), ("feishu", "ou_lilei", "李雷")];
const OTHERS: [(&str, &str); 2] = [("wechatwork", "HanMeimei"), ("feishu", "ou_hanmeimei")];

/// Like `on_both!`, with both providers set up.
macro_rules! with_chat {
    // With servers that give up on a provider quickly.
    (impatient async fn $name:ident($chat:ident: Chat) $body:block) => {
        with_chat!(start_impatient, async fn $name($chat: Chat) $body);
    };
    (async fn $name:ident($chat:ident: Chat) $body:block) => {
        with_chat!(start, async fn $name($chat: Chat) $body);
    };
    ($start:ident, async fn $name:ident($chat:ident: Chat) $body:block) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            async fn run($chat: $crate::chat::Chat) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_sqlite() {
                run($crate::chat::Chat::$start($crate::support::Store::Sqlite).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_postgres() {
                run($crate::chat::Chat::$start($crate::support::Store::Postgres).await).await;
            }
        }
    };
}
use with_chat;

struct Chat {
    server: TestServer,
    standins: Standins,
}

fn set_up(raw: &mut RawSettings, standins: &Standins) {
    let (wechatwork, feishu) = (standins.place("wechatwork"), standins.place("feishu"));
    raw.wechatwork_corp_id = Some("ww-atrium".to_owned());
    raw.wechatwork_agent_id = Some("1000002".to_owned());
    raw.wechatwork_secret = "wechat-secret".parse().ok();
    raw.wechatwork_login_url = Some(wechatwork.to_owned());
    raw.wechatwork_api_url = Some(wechatwork.to_owned());
    raw.feishu_app_id = Some("cli_atrium".to_owned());
    raw.feishu_app_secret = "feishu-secret".parse().ok();
    raw.feishu_accounts_url = Some(feishu.to_owned());
    raw.feishu_api_url = Some(feishu.to_owned());
}

impl Chat {
    async fn start(store: Store) -> Self {
        Self::start_with(store, |_| {}).await
    }

    async fn start_impatient(store: Store) -> Self {
        Self::start_with(store, |raw| raw.provider_timeout_ms = Some(IMPATIENT.as_millis() as u64))
            .await
    }

    async fn start_with(store: Store, change: impl FnOnce(&mut RawSettings)) -> Self {
        let standins = Standins::start("wechatwork,feishu").await;
        let server = TestServer::start_with(store, |raw| {
            set_up(raw, &standins);
            change(raw);
        })
        .await;
        Self { server, standins }
    }

    /// The address of the provider's page that the browser is to open.
    async fn begin(&self, actor: &Actor, provider: &str, query: &str) -> String {
        let answer = actor.get(&format!("/api/v1/{provider}/authorize/url?{query}")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["data"]["url"].as_str().unwrap().to_owned()
    }

    /// The callback that the provider redirects the browser to, once a person was chosen.
    async fn choose(&self, page: &str, who: &str) -> String {
        let back = self.standins.opened(&format!("{page}&as={who}")).await;
        back.strip_prefix(&self.server.url).expect("back to where it began").to_owned()
    }

    /// The whole trip; returns the page of the console where it ends.
    async fn trip(&self, actor: &Actor, provider: &str, query: &str, who: &str) -> String {
        let page = self.begin(actor, provider, query).await;
        let back = self.choose(&page, who).await;
        arrive(actor, &back).await
    }

    async fn bind(&self, actor: &Actor, provider: &str, who: &str) -> String {
        self.trip(actor, provider, "purpose=bind", who).await
    }

    async fn sign_in(&self, actor: &Actor, provider: &str, who: &str) -> String {
        self.trip(actor, provider, "purpose=login", who).await
    }

    async fn unbind(&self, actor: &Actor, provider: &str) -> Answer {
        actor.post(&format!("/api/v1/{provider}/authorize/cancel"), json!({})).await
    }

    async fn bindings(&self) -> i64 {
        self.server.count("SELECT COUNT(*) FROM chat_bindings").await
    }

    /// The reason for the last refused trip, from the audit log.
    async fn last_refusal(&self) -> Value {
        let mut db = self.server.atrium.db.read().await.unwrap();
        let details: String = sqlx::query_scalar(
            "SELECT details FROM audit_entries WHERE action = 'account.chat_refused'
             ORDER BY id DESC LIMIT 1",
        )
        .fetch_one(&mut *db)
        .await
        .unwrap();
        serde_json::from_str(&details).unwrap()
    }
}

/// Opens a callback that a provider redirected the browser to.
async fn arrive(actor: &Actor, back: &str) -> String {
    let answer = actor.get(back).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    assert_eq!(answer.header("cache-control"), "no-store");
    answer.header("location").to_owned()
}

fn bound(provider: &str) -> String {
    format!("/account/user-info?bound={provider}")
}

fn not_bound(provider: &str, why: &str) -> String {
    format!("/account/user-info?provider={provider}&failed={why}")
}

fn not_let_in(provider: &str, why: &str) -> String {
    format!("/login?failed={why}&provider={provider}")
}

async fn current(actor: &Actor) -> Value {
    actor.get("/api/v1/current").await.body["data"].clone()
}
