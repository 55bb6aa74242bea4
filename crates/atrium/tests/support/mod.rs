//! The test server: the real router behind a real socket, on a fresh database for each test, with actors who
//! hold cookies as a browser does.
//!
//! `on_both!` runs a test on SQLite and on PostgreSQL. `scripts/with-postgres` starts the PostgreSQL server;
//! each test makes its own database there.

#![allow(clippy::unwrap_used)]
// Each test binary includes this module and uses only a part of it.
#![allow(dead_code, unused_imports, unused_macros)]

pub mod authenticator;
pub mod clickhouse;
mod contract;
pub mod databases;
#[path = "../../../warehouse/tests/warehouse/template.rs"]
mod events;
mod history;
pub mod openid;
pub mod postgres;
pub mod running;
pub mod sender;
pub mod standins;
pub mod world;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use atrium::accounts::create::{self, NewAccount};
use atrium::accounts::setup;
use atrium::app::AppState;
use atrium::config::PasswordCost;
use atrium::config::{RawSettings, Settings};
use atrium::locale::Locale;
use atrium::types::{Clock, Id};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use warehouse::{Location, Warehouse};

macro_rules! on_both {
    ($(#[$attribute:meta])* async fn $name:ident($server:ident: TestServer) $body:block) => {
        mod $name {
            use super::*;

            async fn run($server: TestServer) $body

            $(#[$attribute])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_sqlite() {
                run(TestServer::start(Store::Sqlite).await).await;
            }

            $(#[$attribute])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_postgres() {
                run(TestServer::start(Store::Postgres).await).await;
            }
        }
    };
}
pub(crate) use on_both;

/// Like `on_both!`, with the event engine: embedded beside SQLite, over the network beside
/// PostgreSQL.
macro_rules! in_both_sizes {
    ($(#[$attribute:meta])* async fn $name:ident($server:ident: TestServer) $body:block) => {
        mod $name {
            use super::*;

            async fn run($server: TestServer) $body

            $(#[$attribute])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn embedded() {
                run(TestServer::start_with_engine(Store::Sqlite).await).await;
            }

            $(#[$attribute])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn remote() {
                run(TestServer::start_with_engine(Store::Postgres).await).await;
            }
        }
    };
}
pub(crate) use in_both_sizes;

/// Like `in_both_sizes!`, in one size: for what is asked of a store, not for how rows get into it. Half of
/// these tests run embedded, the other half over the network; with `BOTH_SIZES=1` each runs in both.
macro_rules! in_either_size {
    ($(#[$attribute:meta])* async fn $name:ident($server:ident: TestServer) $body:block) => {
        $(#[$attribute])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            async fn run($server: TestServer) $body

            for store in $crate::support::sizes_of(concat!(module_path!(), "::", stringify!($name))) {
                run(TestServer::start_with_engine(store).await).await;
            }
        }
    };
}
pub(crate) use in_either_size;

/// By the test's name, so that a failure comes back when its test is run again.
pub fn sizes_of(test: &str) -> Vec<Store> {
    if std::env::var_os("BOTH_SIZES").is_some() {
        return vec![Store::Sqlite, Store::Postgres];
    }
    let sum: usize = test.bytes().map(usize::from).sum();
    vec![if sum.is_multiple_of(2) { Store::Sqlite } else { Store::Postgres }]
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    Sqlite,
    Postgres,
}

pub const PASSWORD: &str = "correct horse battery";

/// The same hash with the least possible work: at its normal cost it took most of the tests' time. A test of
/// the program checks the normal cost.
const CHEAP: PasswordCost = PasswordCost { memory_kib: 8, passes: 1 };

pub struct TestServer {
    pub atrium: AppState,
    pub url: String,
    pub clock: Clock,
    pub store: Store,
    database_url: String,
    folder: Arc<TempDir>,
    /// The engine of its own, if the server reaches its store over the network.
    engine: Option<Arc<RemoteEngine>>,
}

/// An engine process that no server started, standing in for a remote ClickHouse.
pub struct RemoteEngine {
    pub store: Warehouse,
    _folder: TempDir,
}

impl RemoteEngine {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let events = folder.path().join("events");
        events::copy_to(&events, engine_at).await;
        let store = Warehouse::open(engine_at(&events));
        store.ready(std::time::Duration::from_secs(60)).await.unwrap();
        Self { store, _folder: folder }
    }

    pub fn url(&self) -> url::Url {
        self.store.shared_url().unwrap()
    }
}

fn engine_at(folder: &Path) -> Location {
    Location::Embedded {
        folder: folder.to_owned(),
        library: engine_library(),
        program: Some(env!("CARGO_BIN_EXE_atrium").into()),
        memory_mb: 1_024,
    }
}

impl TestServer {
    /// On SQLite with the embedded engine, or on PostgreSQL with an engine over the network: the two sizes
    /// that Atrium comes in.
    pub async fn start_with_engine(store: Store) -> Self {
        Self::start_with_engine_and(store, |_| {}).await
    }

    pub async fn start_with_engine_and(
        store: Store,
        change: impl FnOnce(&mut RawSettings),
    ) -> Self {
        match store {
            Store::Sqlite => {
                let folder = Arc::new(tempfile::tempdir().unwrap());
                let url = databases::sqlite(folder.path()).await;
                events::copy_to(&folder.path().join("events"), engine_at).await;
                Self::on(store, url, folder, change).await
            }
            Store::Postgres => {
                let engine = Arc::new(RemoteEngine::start().await);
                let url = engine.url().to_string();
                let change = |raw: &mut RawSettings| {
                    change(raw);
                    raw.warehouse_url = Some(url);
                };
                let server = Self::start_with(store, change).await;
                Self { engine: Some(engine), ..server }
            }
        }
    }

    pub async fn start(store: Store) -> Self {
        Self::start_with(store, |_| {}).await
    }

    pub async fn start_with(store: Store, change: impl FnOnce(&mut RawSettings)) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let database_url = match store {
            Store::Sqlite => databases::sqlite(folder.path()).await,
            Store::Postgres => databases::postgres().await,
        };
        Self::on(store, database_url, folder, change).await
    }

    /// Another handle to the same server.
    pub fn again(&self) -> Self {
        Self {
            atrium: self.atrium.clone(),
            url: self.url.clone(),
            clock: self.clock.clone(),
            store: self.store,
            database_url: self.database_url.clone(),
            folder: self.folder.clone(),
            engine: self.engine.clone(),
        }
    }

    /// Another instance on the same stores, as behind a load balancer.
    pub async fn second_instance(&self) -> Self {
        Self::on(self.store, self.database_url.clone(), self.folder.clone(), |_| {}).await
    }

    /// Another instance on the same stores, with different settings.
    pub async fn second_instance_with(&self, change: impl FnOnce(&mut RawSettings)) -> Self {
        Self::on(self.store, self.database_url.clone(), self.folder.clone(), change).await
    }

    /// Waits until this instance notices what another one committed; on SQLite that may take 20 ms.
    pub async fn catch_up(&self) {
        let committed = self.count("SELECT epoch FROM instance").await;
        let noticing = async {
            while self.atrium.db.epoch().await.unwrap() < committed {
                assert!(self.store == Store::Sqlite, "on PostgreSQL it shows at once");
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(5), noticing).await.unwrap();
    }

    pub fn database_url(&self) -> &str {
        &self.database_url
    }

    /// The warehouse's URL, for an instance that reaches it over the network.
    pub fn warehouse_url(&self) -> String {
        let store = match &self.engine {
            Some(engine) => engine.url(),
            None => self.atrium.warehouse.shared_url().unwrap(),
        };
        store.to_string()
    }

    /// Another instance on the same databases that reaches the warehouse over the network.
    pub async fn second_instance_on_same_engine(&self) -> Self {
        self.second_instance_on_same_engine_and(|_| {}).await
    }

    pub async fn second_instance_on_same_engine_and(
        &self,
        change: impl FnOnce(&mut RawSettings),
    ) -> Self {
        let store = &self.atrium.warehouse;
        store.ready(std::time::Duration::from_secs(60)).await.unwrap();
        let url = self.warehouse_url();
        let change = |raw: &mut RawSettings| {
            change(raw);
            raw.warehouse_url = Some(url);
        };
        Self::on(self.store, self.database_url.clone(), self.folder.clone(), change).await
    }

    /// A server on existing stores.
    pub async fn on(
        store: Store,
        database_url: String,
        folder: Arc<TempDir>,
        change: impl FnOnce(&mut RawSettings),
    ) -> Self {
        let mut raw = RawSettings {
            listen: Some("127.0.0.1:0".to_owned()),
            data_dir: Some(folder.path().to_owned()),
            database_url: Some(database_url.clone()),
            engine_library: Some(engine_library()),
            engine_memory_mb: Some(1_024),
            // Tests advance the clock by weeks; tests of this rule turn it on.
            privileged_mfa: Some(false),
            ..Default::default()
        };
        change(&mut raw);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut settings = Settings::check(raw).unwrap().listening_on(address);
        settings.events.engine_program = Some(env!("CARGO_BIN_EXE_atrium").into());
        settings.server.password_cost = CHEAP;
        let clock = Clock::default();
        let atrium = AppState::start(settings, clock.clone()).await.unwrap();
        let serving = atrium.clone();
        tokio::spawn(async move {
            atrium::server::run(listener, &serving, std::future::pending()).await;
        });
        Self {
            atrium,
            url: format!("http://{address}"),
            clock,
            store,
            database_url,
            folder,
            engine: None,
        }
    }

    pub fn raw_settings(&self) -> RawSettings {
        RawSettings {
            data_dir: Some(self.folder.path().to_owned()),
            database_url: Some(self.database_url.clone()),
            ..Default::default()
        }
    }

    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub fn anonymous(&self) -> Actor {
        Actor::new(&self.url)
    }

    /// A new account with an organization and an app of its own, signed in.
    pub async fn owner(&self, email: &str) -> Actor {
        self.account(email).await;
        self.signed_in(email).await
    }

    /// An account with an organization and an app of its own.
    pub async fn account(&self, email: &str) -> Id {
        let account = NewAccount {
            email: email.to_owned(),
            name: "Test Person".to_owned(),
            password: PASSWORD.to_owned(),
            organization: Some("Test Team".to_owned()),
            locale: Locale::EnUs,
            timezone: None,
        };
        create::by_operator(&self.atrium, account).await.unwrap().user_id
    }

    /// A signed-in member of their organization: neither owner nor admin, and without a role in any app.
    pub async fn member(&self, email: &str) -> Actor {
        let id = self.account(email).await;
        self.execute("UPDATE org_members SET role = 'member' WHERE user_id = $1", id.as_str())
            .await;
        self.signed_in(email).await
    }

    pub async fn signed_in(&self, email: &str) -> Actor {
        let actor = self.anonymous();
        let answer = actor.login(email, PASSWORD).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        actor
    }

    /// Changes a row behind the server's back, but with a normal transaction that the server notices.
    pub async fn execute(&self, statement: &'static str, value: &str) {
        let mut tx = self.atrium.db.write().await.unwrap();
        sqlx::query(statement).bind(value).execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
    }

    pub async fn count(&self, statement: &'static str) -> i64 {
        let mut db = self.atrium.db.read().await.unwrap();
        sqlx::query_scalar(statement).fetch_one(&mut *db).await.unwrap()
    }

    /// Waits until the count reaches this value: for rows that are written after the answer.
    pub async fn until_count(&self, statement: &'static str, wanted: i64) {
        for _ in 0..500 {
            if self.count(statement).await == wanted {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        assert_eq!(self.count(statement).await, wanted, "{statement}");
    }

    /// Every mail that was written into the outbox folder, oldest first.
    pub fn mails(&self) -> Vec<Mail> {
        let mut files: Vec<_> = std::fs::read_dir(self.folder().join("outbox"))
            .map(|files| files.map(|file| file.unwrap().path()).collect())
            .unwrap_or_default();
        files.sort();
        files.iter().map(|file| Mail::parse(&std::fs::read(file).unwrap())).collect()
    }

    /// Sends waiting mails and returns the last one to this address.
    pub async fn mail_to(&self, email: &str) -> Mail {
        atrium::outbox::mail::send_due(&self.atrium).await.unwrap();
        let mail = self.mails().into_iter().rfind(|mail| mail.to == email);
        mail.unwrap_or_else(|| panic!("no mail to {email}"))
    }

    /// Sends waiting mails and returns the last one to this address whose subject contains the words.
    pub async fn mail_about(&self, email: &str, words: &str) -> Mail {
        atrium::outbox::mail::send_due(&self.atrium).await.unwrap();
        let mail =
            self.mails().into_iter().rfind(|mail| mail.to == email && mail.subject.contains(words));
        mail.unwrap_or_else(|| panic!("no mail to {email} about {words}"))
    }

    pub async fn setup_token(&self) -> String {
        let link = setup::link(&self.atrium).await.unwrap().expect("no account yet");
        link.rsplit('/').next().unwrap().to_owned()
    }
}

#[derive(Debug)]
pub struct Mail {
    pub to: String,
    pub subject: String,
    pub text: String,
}

impl Mail {
    fn parse(raw: &[u8]) -> Self {
        let message = mail_parser::MessageParser::default().parse(raw).unwrap();
        let to = message.to().and_then(|to| to.first()).and_then(|to| to.address()).unwrap();
        Self {
            to: to.to_owned(),
            subject: message.subject().unwrap().to_owned(),
            text: message.body_text(0).unwrap().into_owned(),
        }
    }

    /// The secret at the end of the mail's link.
    pub fn token(&self) -> String {
        let link = self.text.lines().find(|line| line.starts_with("http")).unwrap();
        link.trim().rsplit('/').next().unwrap().to_owned()
    }

    pub fn code(&self) -> String {
        self.subject.chars().filter(char::is_ascii_digit).collect()
    }
}

/// The event engine's library that npm installed.
pub fn engine_library() -> PathBuf {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../node_modules/@chdb");
    let packages = std::fs::read_dir(&modules).into_iter().flatten().flatten();
    let files = packages
        .flat_map(|package| ["libchdb.so", "libchdb.dylib"].map(|name| package.path().join(name)));
    let found = files.into_iter().find(|file| file.exists());
    found.expect("npm ci brings the event engine").canonicalize().unwrap()
}

#[derive(Clone)]
pub struct Actor {
    client: reqwest::Client,
    url: String,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
}

impl Answer {
    pub fn code(&self) -> &str {
        self.body["errors"][0]["code"].as_str().unwrap_or_default()
    }

    pub fn field(&self) -> &str {
        self.body["errors"][0]["field"].as_str().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

impl Actor {
    /// A browser with its own cookies, not signed in.
    pub fn new(url: &str) -> Self {
        let client = http_client::builder()
            .cookie_store(true)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        Self { client, url: url.to_owned() }
    }

    /// The same browser, talking to another instance.
    pub fn at(&self, url: &str) -> Self {
        Self { client: self.client.clone(), url: url.to_owned() }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let (client, request) = request.build_split();
        let request = request.unwrap();
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let response = client.execute(request).await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        contract::check(&method, &path, status, &headers);
        // A stream has no end to wait for.
        if headers.get("content-type").is_some_and(|mime| mime == "text/event-stream") {
            return Answer { status, headers, body: Value::Null };
        }
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Answer { status, headers, body }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::PUT, path).json(&body)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// DELETE with a body.
    pub async fn delete_with(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::DELETE, path).json(&body)).await
    }

    pub async fn login(&self, email: &str, password: &str) -> Answer {
        self.post("/api/v1/login", json!({ "email": email, "password": password })).await
    }
}
