//! Errors of the console: what the tunnel accepts, what is kept, who can see it, and where it is forwarded.

use std::io::Write as _;
use std::sync::{Arc, Mutex};

use crate::process::{output, text};
use crate::support::{Actor, Answer, Store, TestServer, on_both};
use atrium::config::RawSettings;
use atrium::types::Millis;
use reqwest::Method;
use serde_json::{Value, json};

const TUNNEL: &str = "/api/v1/error-reports";
const GROUPS: &str = "/api/v1/error-groups";
const BROWSER: &str = "Mozilla/5.0 (Macintosh; Intel Mac OS X 14) Chrome/141.0 Safari/537.36";

async fn dsn(server: &TestServer) -> String {
    let envs = server.anonymous().get("/api/v1/envs").await;
    let settings = &envs.body["data"]["error_reporting"];
    assert_eq!(settings["tunnel"], TUNNEL);
    settings["dsn"].as_str().unwrap().to_owned()
}

fn envelope(dsn: &str, items: &[(&str, String)]) -> String {
    let mut text = json!({ "event_id": id(0), "dsn": dsn, "sdk": { "name": "x" } }).to_string();
    for (kind, payload) in items {
        let head = json!({ "type": kind, "length": payload.len() });
        text.push_str(&format!("\n{head}\n{payload}"));
    }
    text
}

fn id(number: u32) -> String {
    format!("{number:032x}")
}

fn an_error(number: u32, message: &str) -> String {
    json!({
        "event_id": id(number),
        "transaction": "/pwdReset/:token",
        "release": "v25.10.202",
        "tags": { "replayId": id(77) },
        "request": { "url": "https://atrium.example/pwdReset/a-secret-token" },
        "user": { "id": "someone-else", "email": "claimed@example.com" },
        "breadcrumbs": [
            { "timestamp": 1, "category": "navigation", "data": { "from": "/", "to": "/login" } },
        ],
        "exception": { "values": [{ "type": "TypeError", "value": message, "stacktrace": { "frames": [
            { "filename": "/v25.10.202/assets/main-AAAAAAAA.js", "function": "outer" },
            { "filename": "/v25.10.202/assets/Apps-BBBBBBBB.js", "function": "inner", "lineno": 3, "colno": 9 },
        ] } }] },
    })
    .to_string()
}

fn a_replay(segment: u32, words: &str) -> [(&'static str, String); 2] {
    let about = json!({ "replay_id": id(77), "segment_id": segment, "urls": [] }).to_string();
    let recording = format!("{{\"segment_id\":{segment}}}\n[{{\"type\":4,\"data\":\"{words}\"}}]");
    [("replay_event", about), ("replay_recording", recording)]
}

async fn send(actor: &Actor, body: impl Into<reqwest::Body>) -> Answer {
    let request = actor.request(Method::POST, TUNNEL).header("user-agent", BROWSER);
    actor.send(request.body(body)).await
}

async fn groups(operator: &Actor, query: &str) -> Vec<Value> {
    let answer = operator.get(&format!("{GROUPS}{query}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"]["items"].as_array().unwrap().clone()
}

on_both! {
    async fn an_operator_sees_each_kind_of_error_once(server: TestServer) {
        let operator = server.owner("ops@example.com").await;
        let jane = server.owner("jane@example.com").await;
        let dsn = dsn(&server).await;
        for (number, actor) in [(1, &operator), (2, &jane), (3, &jane)] {
            let error = an_error(number, &format!("no app {number} called 'x'"));
            assert_eq!(send(actor, envelope(&dsn, &[("event", error)])).await.status, 200);
            server.clock.advance(1_000);
        }
        let other = an_error(4, "something 100% else");
        assert_eq!(send(&server.anonymous(), envelope(&dsn, &[("event", other)])).await.status, 200);

        let items = groups(&operator, "?sort=reports&order=desc").await;
        assert_eq!(items.len(), 2, "{items:?}");
        let group = &items[0];
        assert_eq!((&group["reports"], &group["people"]), (&json!(3), &json!(2)));
        assert_eq!((&group["kind"], &group["message"]), (&json!("TypeError"), &json!("no app 3 called 'x'")));
        assert!(group["first_seen_at"].as_str() < group["last_seen_at"].as_str());
        assert_eq!((&items[1]["reports"], &items[1]["people"]), (&json!(1), &json!(0)));
        for (search, found) in [("100%25", 1), ("NO APP", 1), ("100_", 0), ("typeerror", 2)] {
            assert_eq!(groups(&operator, &format!("?search={search}")).await.len(), found, "{search}");
        }
        assert_eq!(groups(&operator, "?page=2&page_size=1").await.len(), 1);

        let path = format!("{GROUPS}/{}", group["id"].as_str().unwrap());
        let detail = operator.get(&path).await.body["data"].clone();
        let latest = &detail["latest"];
        assert_eq!(latest["report"]["route"], "/pwdReset/:token");
        assert_eq!(latest["report"]["release"], "v25.10.202");
        assert_eq!(latest["report"]["browser"], "Chrome on macOS");
        assert_eq!(latest["report"]["person"]["name"], "Test Person");
        let frame = &latest["exceptions"][0]["frames"][0];
        assert_eq!((&frame["function"], &frame["line"]), (&json!("inner"), &json!(3)));
        assert_eq!(latest["breadcrumbs"][0]["message"], "/ → /login");
        let reports = operator.get(&format!("{path}/reports?page_size=2")).await;
        assert_eq!(reports.body["data"]["total"], 3);
        assert_eq!(reports.body["data"]["items"].as_array().unwrap().len(), 2);

        // Neither the browser's claims nor an address is stored.
        for claimed in ["claimed@example.com", "a-secret-token", "someone-else"] {
            let kept = server.count("SELECT COUNT(*) FROM error_reports").await;
            let statement = "SELECT event FROM error_reports WHERE event LIKE $1 LIMIT 1";
            assert_eq!(kept, 4);
            assert_eq!(server.text(statement, &format!("%{claimed}%")).await, None, "{claimed}");
        }
    }
}

on_both! {
    async fn a_report_that_is_sent_twice_counts_once(server: TestServer) {
        let operator = server.owner("ops@example.com").await;
        let dsn = dsn(&server).await;
        let [about, recording] = a_replay(0, "seen");
        let text = envelope(&dsn, &[("event", an_error(1, "x")), about, recording]);
        for _ in 0..2 {
            assert_eq!(send(&operator, text.clone()).await.status, 200);
        }
        assert_eq!(groups(&operator, "").await[0]["reports"], 1);
        assert_eq!(server.count("SELECT COUNT(*) FROM error_replays").await, 1);
        // Many errors of one kind that arrive at once still make one group.
        let sends = (10..30).map(|n| {
            let text = envelope(&dsn, &[("event", an_error(n, "at once"))]);
            let operator = operator.clone();
            async move { send(&operator, text).await.status }
        });
        assert!(futures::future::join_all(sends).await.into_iter().all(|status| status == 200));
        let items = groups(&operator, "?search=at%20once").await;
        assert_eq!((items.len(), &items[0]["reports"]), (1, &json!(20)));
    }
}

on_both! {
    async fn only_those_who_run_the_instance_see_errors(server: TestServer) {
        let operator = server.owner("ops@example.com").await;
        let jane = server.owner("jane@example.com").await;
        let text = envelope(&dsn(&server).await, &[("event", an_error(1, "x"))]);
        send(&jane, text).await;
        let group = groups(&operator, "").await[0]["id"].as_str().unwrap().to_owned();
        let path = format!("{GROUPS}/{group}");
        for (actor, status) in [(&jane, 403), (&server.anonymous(), 401)] {
            assert_eq!(actor.get(GROUPS).await.status, status);
            assert_eq!(actor.get(&path).await.status, status);
            assert_eq!(actor.get(&format!("{path}/reports")).await.status, status);
            assert_eq!(actor.delete(&path).await.status, status);
        }
        let is_operator = async |actor: &Actor| actor.get("/api/v1/current").await.body["data"]["operator"].clone();
        assert_eq!((is_operator(&operator).await, is_operator(&jane).await), (json!(true), json!(false)));
        // Effective from the next request, on other instances too.
        let second = server.second_instance().await;
        atrium::accounts::operator::set_operator(&server.atrium, "jane@example.com", true).await.unwrap();
        atrium::accounts::operator::set_operator(&server.atrium, "ops@example.com", false).await.unwrap();
        second.catch_up().await;
        assert_eq!(jane.at(&second.url).get(&path).await.status, 200);
        assert_eq!(operator.at(&second.url).get(&path).await.status, 403);
    }
}

on_both! {
    async fn the_first_account_by_the_set_up_link_runs_the_instance(server: TestServer) {
        let token = server.setup_token().await;
        let body = |token: &str| json!({
            "token": token, "email": "first@example.com", "name": "F", "password": "correct horse battery",
            "organization_name": "T",
        });
        let first = server.anonymous().post("/api/v1/register/profile", body(&token)).await;
        assert_eq!((first.status, &first.body["data"]["operator"]), (200, &json!(true)));
        let audited = "SELECT COUNT(*) FROM audit_entries WHERE action = 'account.operator_add'";
        assert_eq!(server.count(audited).await, 1);
    }
}

on_both! {
    async fn registering_before_the_set_up_makes_no_operator(server: TestServer) {
        let stranger = server.anonymous();
        stranger.post("/api/v1/register", json!({ "email": "early@example.com" })).await;
        let token = server.mail_to("early@example.com").await.token();
        let body = json!({ "token": token, "name": "E", "password": "correct horse battery", "organization_name": "T" });
        let made = stranger.post("/api/v1/register/profile", body).await;
        assert_eq!((made.status, &made.body["data"]["operator"]), (200, &json!(false)));
        assert_eq!(stranger.get(GROUPS).await.status, 403);
    }
}

on_both! {
    async fn the_tunnel_takes_only_our_own_reports(server: TestServer) {
        let jane = server.owner("jane@example.com").await;
        let dsn = dsn(&server).await;
        let error = || ("event", an_error(1, "x"));
        let foreign = dsn.replacen("://", "://0", 1);
        let cases = [
            (envelope(&foreign, &[error()]), 403, "foreign_report"),
            (envelope("https://abc@errors.example.com/1", &[error()]), 403, "foreign_report"),
            (envelope("", &[error()]), 403, "foreign_report"),
            (String::new(), 400, "malformed_report"),
            ("{}".to_owned(), 400, "malformed_report"),
            (envelope(&dsn, &[]), 400, "malformed_report"),
            (envelope(&dsn, &[("attachment", "x".into())]), 400, "malformed_report"),
            (envelope(&dsn, &[("event", "{}".into())]), 400, "malformed_report"),
            (envelope(&dsn, &[("event", "[]".into())]), 400, "malformed_report"),
            (envelope(&dsn, &[a_replay(0, "x")[0].clone()]), 400, "malformed_report"),
            (envelope(&dsn, &[a_replay(0, "x")[1].clone()]), 400, "malformed_report"),
            (envelope(&dsn, &[a_replay(5_000, "x")[0].clone(), a_replay(5_000, "x")[1].clone()]), 400, "malformed_report"),
            (envelope(&dsn, &[error()]).replace("\"length\":", "\"length\":9"), 400, "malformed_report"),
            ("x".repeat(3 << 20), 413, "too_large"),
        ];
        for (text, status, code) in cases {
            let answer = send(&jane, text.clone()).await;
            let beginning: String = text.chars().take(200).collect();
            assert_eq!((answer.status, answer.code()), (status, code), "{beginning}");
        }
        let packed = |text: &[u8]| {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            packer.write_all(text).unwrap();
            packer.finish().unwrap()
        };
        let sent = async |body: Vec<u8>, name: &'static str, value: &'static str| {
            let request = jane.request(Method::POST, TUNNEL).header(name, value).body(body);
            jane.send(request).await.status
        };
        let whole = envelope(&dsn, &[error()]);
        let zeros = vec![b'0'; 64 << 20];
        assert_eq!(sent(packed(&zeros), "content-encoding", "gzip").await, 413);
        assert_eq!(sent(b"not packed".to_vec(), "content-encoding", "gzip").await, 400);
        assert_eq!(sent(whole.clone().into(), "content-encoding", "br").await, 415);
        assert_eq!(sent(whole.clone().into(), "origin", "https://evil.example").await, 403);
        assert_eq!(sent(whole.clone().into(), "sec-fetch-site", "cross-site").await, 403);
        assert_eq!(server.count("SELECT COUNT(*) FROM error_reports").await, 0);
        assert_eq!(sent(packed(whole.as_bytes()), "content-encoding", "gzip").await, 200);
        assert_eq!(server.count("SELECT COUNT(*) FROM error_reports").await, 1);
        // Items without a use are accepted and dropped.
        let idle = [("session", "{}"), ("client_report", "{}"), ("transaction", "{}")];
        let idle = idle.map(|(kind, payload)| (kind, payload.to_owned()));
        assert_eq!(send(&jane, envelope(&dsn, &idle)).await.status, 200);
        assert_eq!(server.count("SELECT COUNT(*) FROM error_reports").await, 1);
        let figures = server.anonymous().get("/metrics").await.body;
        let figures = figures.as_str().unwrap();
        for kind in ["session", "client_report", "transaction"] {
            let line = format!("atrium_error_reports_total{{kind=\"{kind}\",outcome=\"dropped\"}}");
            assert!(figures.contains(&line), "{figures}");
        }
    }
}

on_both! {
    async fn a_recording_comes_from_someone_signed_in_and_is_a_file(server: TestServer) {
        let operator = server.owner("ops@example.com").await;
        let jane = server.owner("jane@example.com").await;
        let dsn = dsn(&server).await;
        let [about, recording] = a_replay(0, "stranger");
        let text = envelope(&dsn, &[("event", an_error(1, "x")), about, recording]);
        assert_eq!(send(&server.anonymous(), text).await.status, 200);
        assert_eq!(server.count("SELECT COUNT(*) FROM error_replays").await, 0);

        send(&jane, envelope(&dsn, &[("event", an_error(2, "x"))])).await;
        // Segments arrive in any order, and other people's segments are not mixed in.
        for (actor, segment, words) in [(&jane, 1, "second"), (&jane, 0, "first"), (&operator, 2, "another's")] {
            assert_eq!(send(actor, envelope(&dsn, &a_replay(segment, words))).await.status, 200);
        }
        let group = groups(&operator, "").await[0]["id"].as_str().unwrap().to_owned();
        let reports = operator.get(&format!("{GROUPS}/{group}/reports")).await;
        let reports = reports.body["data"]["items"].as_array().unwrap().clone();
        let has: Vec<_> = reports.iter().map(|report| report["has_replay"].clone()).collect();
        assert_eq!(has, [json!(true), json!(false)], "{reports:?}");
        let file = |report: &Value| format!("{TUNNEL}/{}/replay", report["id"].as_str().unwrap());
        assert_eq!(operator.get(&file(&reports[1])).await.status, 404);
        assert_eq!(jane.get(&file(&reports[0])).await.status, 403);
        let answer = operator.get(&file(&reports[0])).await;
        assert_eq!(answer.status, 200);
        assert!(answer.header("content-disposition").starts_with("attachment; filename=\"atrium-replay-"));
        let words: Vec<_> = answer.body["events"].as_array().unwrap().iter().map(|event| event["data"].clone()).collect();
        assert_eq!(words, ["first", "second"]);
        let looked = "SELECT COUNT(*) FROM audit_entries WHERE action = 'error.replay'";
        assert_eq!(server.count(looked).await, 1);
    }
}

on_both! {
    async fn a_removed_error_takes_its_reports_along_and_is_audited(server: TestServer) {
        let operator = server.owner("ops@example.com").await;
        let dsn = dsn(&server).await;
        let [about, recording] = a_replay(0, "x");
        send(&operator, envelope(&dsn, &[("event", an_error(1, "gone")), about, recording])).await;
        send(&operator, envelope(&dsn, &[("event", an_error(2, "stays").replace(&id(77), &id(78)))])).await;
        let group = groups(&operator, "?search=gone").await[0]["id"].as_str().unwrap().to_owned();
        let path = format!("{GROUPS}/{group}");
        assert_eq!(operator.delete(&path).await.status, 200);
        assert_eq!(operator.delete(&path).await.status, 404);
        assert_eq!(operator.get(&path).await.status, 404);
        assert_eq!(groups(&operator, "").await[0]["message"], "stays");
        assert_eq!(server.count("SELECT COUNT(*) FROM error_reports").await, 1);
        assert_eq!(server.count("SELECT COUNT(*) FROM error_replays").await, 0);
        let audited = "SELECT COUNT(*) FROM audit_entries WHERE action = 'error.delete'";
        assert_eq!(server.count(audited).await, 1);
        // If it happens again, it is a new group.
        send(&operator, envelope(&dsn, &[("event", an_error(3, "gone"))])).await;
        assert_eq!(groups(&operator, "?search=gone").await[0]["reports"], 1);
    }
}

on_both! {
    async fn nobody_can_flood_it(server: TestServer) {
        let jane = server.owner("jane@example.com").await;
        let dsn = dsn(&server).await;
        let text = envelope(&dsn, &[("session", "{}".into())]);
        // Limits count by the clock's minute: start a new one.
        let now = server.atrium.now().0;
        server.clock.advance(Millis::MINUTE - now.rem_euclid(Millis::MINUTE));
        let stranger = server.anonymous();
        for (actor, free) in [(&stranger, 30), (&jane, 120)] {
            for _ in 0..free {
                assert_eq!(send(actor, text.clone()).await.status, 200);
            }
            let answer = send(actor, text.clone()).await;
            assert_eq!((answer.status, answer.code()), (429, "throttled"));
            assert!(answer.header("retry-after").parse::<u64>().unwrap() <= 60);
        }
        server.clock.advance(Millis::MINUTE);
        assert_eq!(send(&stranger, text.clone()).await.status, 200);
        assert_eq!(send(&jane, text).await.status, 200);
    }
}

on_both! {
    async fn reports_are_kept_for_thirty_days(server: TestServer) {
        server.owner("ops@example.com").await;
        let dsn = dsn(&server).await;
        let report = async |number: u32, message: &str| {
            let operator = server.signed_in("ops@example.com").await;
            let [about, recording] = a_replay(number, "x");
            send(&operator, envelope(&dsn, &[("event", an_error(number, message)), about, recording])).await;
        };
        report(1, "old").await;
        report(2, "again").await;
        server.clock.advance(20 * Millis::DAY);
        report(3, "again").await;
        server.clock.advance(11 * Millis::DAY);
        atrium::reports::sweep(&server.atrium, server.atrium.reports.as_deref()).await.unwrap();
        let operator = server.signed_in("ops@example.com").await;
        let items = groups(&operator, "").await;
        assert_eq!(items.len(), 1, "{items:?}");
        // It was reported twice, and one of the reports is still kept.
        assert_eq!((&items[0]["message"], &items[0]["reports"]), (&json!("again"), &json!(2)));
        assert_eq!(server.count("SELECT COUNT(*) FROM error_reports").await, 1);
        assert_eq!(server.count("SELECT COUNT(*) FROM error_replays").await, 1);
        server.clock.advance(20 * Millis::DAY);
        atrium::reports::sweep(&server.atrium, server.atrium.reports.as_deref()).await.unwrap();
        assert_eq!(server.count("SELECT COUNT(*) FROM error_groups").await, 0);
    }
}

async fn keeps_the_newest(store: Store) {
    let server = TestServer::start_with(store, |raw| raw.error_reports_max_mb = Some(1)).await;
    let operator = server.owner("ops@example.com").await;
    let dsn = dsn(&server).await;
    // Random text, because it does not compress: each segment is about a quarter of the limit.
    for segment in 0..8 {
        let words: String = (0..6_000).map(|_| uuid::Uuid::new_v4().simple().to_string()).collect();
        let answer = send(&operator, envelope(&dsn, &a_replay(segment, &words))).await;
        assert_eq!(answer.status, 200);
        server.clock.advance(10);
    }
    let bytes = server.count("SELECT CAST(SUM(bytes) AS BIGINT) FROM error_replays").await;
    assert!(bytes <= 1 << 20, "{bytes}");
    let oldest = server.count("SELECT MIN(segment) FROM error_replays").await;
    let newest = server.count("SELECT MAX(segment) FROM error_replays").await;
    assert!(oldest > 0 && newest == 7, "{oldest} to {newest}");
    assert!(server.count("SELECT COUNT(*) FROM error_replays").await >= 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_oldest_make_way_on_sqlite() {
    keeps_the_newest(Store::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_oldest_make_way_on_postgres() {
    keeps_the_newest(Store::Postgres).await;
}

on_both! {
    async fn reports_go_with_the_account_and_can_be_taken_along(server: TestServer) {
        let operator = server.owner("ops@example.com").await;
        let jane = server.owner("jane@example.com").await;
        let dsn = dsn(&server).await;
        let [about, recording] = a_replay(0, "hers");
        send(&jane, envelope(&dsn, &[("event", an_error(1, "x")), about, recording])).await;
        send(&operator, envelope(&dsn, &[("event", an_error(2, "x"))])).await;
        let export = jane.get("/api/v1/current/export").await;
        let mine = &export.body["error_reports"];
        assert_eq!((&mine["items"][0]["kind"], &mine["recordings"]), (&json!("TypeError"), &json!(1)));
        assert_eq!(mine["items"].as_array().unwrap().len(), 1);

        let org = jane.get("/api/v1/orgs").await.body["data"]["items"][0]["id"].as_str().unwrap().to_owned();
        server.execute("UPDATE org_members SET role = 'member' WHERE org_id = $1", &org).await;
        let body = json!({ "email": "jane@example.com" });
        assert_eq!(jane.delete_with("/api/v1/current", body).await.status, 200);
        assert_eq!(server.count("SELECT COUNT(*) FROM error_reports").await, 1);
        assert_eq!(server.count("SELECT COUNT(*) FROM error_replays").await, 0);
        assert_eq!(groups(&operator, "").await[0]["people"], 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_it_is_off_nothing_is_taken() {
    let server = TestServer::start_with(Store::Sqlite, |raw| raw.error_reports = Some(false)).await;
    let operator = server.owner("ops@example.com").await;
    let envs = operator.get("/api/v1/envs").await;
    assert_eq!(envs.body["data"]["error_reporting"], Value::Null);
    assert_eq!(send(&operator, "{}").await.status, 404);
    assert!(groups(&operator, "").await.is_empty());
}

/// Requests to an outside collector: address, key header, body.
type Seen = Arc<Mutex<Vec<(String, String, String)>>>;

/// A stand-in for an outside collector.
async fn collector(status: u16) -> (String, Seen) {
    let seen = Seen::default();
    let noted = seen.clone();
    let answer = move |request: axum::extract::Request| {
        let noted = noted.clone();
        async move {
            let (parts, body) = request.into_parts();
            let body = axum::body::to_bytes(body, 10 << 20).await.unwrap();
            let auth = parts.headers["x-sentry-auth"].to_str().unwrap().to_owned();
            let body = String::from_utf8(body.to_vec()).unwrap();
            noted.lock().unwrap().push((parts.uri.to_string(), auth, body));
            http::StatusCode::from_u16(status).unwrap()
        }
    };
    let router = axum::Router::new().fallback(answer);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let service = hyper_util::service::TowerToHyperService::new(router.clone());
            let stream = hyper_util::rt::TokioIo::new(stream);
            tokio::spawn(
                hyper::server::conn::http1::Builder::new().serve_connection(stream, service),
            );
        }
    });
    (format!("http://upstreamkey@{address}/below/42"), seen)
}

async fn until(what: impl AsyncFn() -> bool) {
    for _ in 0..200 {
        if what().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    panic!("it never came");
}

on_both! {
    async fn an_outside_collector_gets_them_and_nothing_is_kept(plain: TestServer) {
        let (address, seen) = collector(200).await;
        let change = |raw: &mut RawSettings| raw.error_reports_dsn = Some(address);
        let server = TestServer::start_with(plain.store, change).await;
        let jane = server.owner("jane@example.com").await;
        let envs = jane.get("/api/v1/envs").await.body["data"]["error_reporting"].clone();
        assert_eq!(envs["kept"], false);
        assert!(!envs.to_string().contains("upstreamkey"), "{envs}");
        let dsn = envs["dsn"].as_str().unwrap();
        let [about, recording] = a_replay(0, "hers");
        let text = envelope(dsn, &[("event", an_error(1, "x")), about, recording, ("transaction", "{}".into())]);
        assert_eq!(send(&jane, text).await.status, 200);
        until(async || !seen.lock().unwrap().is_empty()).await;

        let (uri, auth, body) = seen.lock().unwrap()[0].clone();
        assert_eq!(uri, "/below/api/42/envelope/");
        assert!(auth.contains("sentry_key=upstreamkey"), "{auth}");
        let forwarded = atrium::reports::envelope::parse(body.as_bytes()).unwrap();
        let kinds: Vec<_> = forwarded.items.iter().map(|item| item.kind.as_str()).collect();
        assert_eq!(kinds, ["event", "replay_event", "replay_recording"]);
        assert_eq!(forwarded.head.get("dsn"), None);
        let user_id = jane.get("/api/v1/current").await.body["data"]["id"].clone();
        let event: Value = serde_json::from_slice(&forwarded.items[0].payload).unwrap();
        assert_eq!(event["user"], json!({ "id": user_id }));
        assert!(!body.contains("a-secret-token") && body.contains("hers"), "{body}");
        assert_eq!(server.count("SELECT COUNT(*) FROM error_reports").await, 0);
        assert_eq!(server.count("SELECT COUNT(*) FROM error_replays").await, 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outside_collector_that_fails_is_counted_and_costs_nobody_anything() {
    for address in [collector(500).await.0, "http://k@127.0.0.1:1/1".to_owned()] {
        let change = |raw: &mut RawSettings| raw.error_reports_dsn = Some(address);
        let server = TestServer::start_with(Store::Sqlite, change).await;
        let jane = server.owner("jane@example.com").await;
        let failed = async || {
            let figures = server.anonymous().get("/metrics").await.body;
            let line = "atrium_error_reports_total{kind=\"event\",outcome=\"failed\"} ";
            let counted = figures.as_str().unwrap().split(line).nth(1);
            counted.map_or(0, |rest| rest.lines().next().unwrap().parse::<u64>().unwrap())
        };
        let before = failed().await;
        let text = envelope(&dsn(&server).await, &[("event", an_error(1, "x"))]);
        assert_eq!(send(&jane, text).await.status, 200);
        until(async || failed().await > before).await;
    }
}

#[test]
fn the_command_line_says_who_runs_the_instance() {
    let folder = tempfile::tempdir().unwrap();
    let admin = |command: &str, email: &str| {
        let done = output(folder.path(), &["admin", command, "--email", email]);
        (done.status.success(), text(&done.stdout), text(&done.stderr))
    };
    let (done, _, said) = admin("add-operator", "nobody@example.com");
    assert!(!done && said.contains("nobody@example.com has no account"), "{said}");
    let mut making = crate::process::atrium(
        folder.path(),
        &[
            "admin",
            "create-user",
            "--email",
            "jane@example.com",
            "--name",
            "J",
            "--organization",
            "T",
            "--password-stdin",
        ],
    );
    let mut making = making
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    making.stdin.take().unwrap().write_all(b"correct horse battery\n").unwrap();
    assert!(making.wait().unwrap().success());
    for (command, operator) in
        [("remove-operator", false), ("add-operator", true), ("add-operator", true)]
    {
        let (done, printed, said) = admin(command, "Jane@Example.com");
        let printed: Value = serde_json::from_str(&printed).unwrap();
        assert!(done && printed["operator"] == operator, "{printed} {said}");
    }
}
