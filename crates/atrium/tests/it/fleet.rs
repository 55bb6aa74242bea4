//! Instances that share a database: their signs of life, problems with them, and who is notified.

use crate::support::sender::event;
use crate::support::{Actor, Store, TestServer, on_both};
use atrium::clock_sync;
use atrium::config::{RawSettings, Settings};
use atrium::fleet::heartbeat;
use atrium::fleet::runs::{self, Job};
use atrium::instance::doctor::{self, Finding, Verdict};
use atrium::types::{Clock, Millis};
use serde_json::{Value, json};

const HEALTH: &str = "/api/v1/instance/health";

async fn health(operator: &Actor) -> Value {
    let answer = operator.get(HEALTH).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"].clone()
}

/// The problem codes, without the one that depends on the machine running the tests.
fn codes(health: &Value) -> Vec<&str> {
    let problems = health["problems"].as_array().unwrap();
    let codes = problems.iter().map(|problem| problem["code"].as_str().unwrap());
    codes.filter(|code| *code != "disk_low").collect()
}

fn id(server: &TestServer) -> String {
    heartbeat::id(&server.atrium).to_owned()
}

/// Makes an instance look as if it had been silent for this long.
async fn silence(server: &TestServer, id: &str, millis: i64) {
    let sql = "UPDATE instances SET seen_at = seen_at - $1 WHERE id = $2";
    let mut tx = server.atrium.db.write().await.unwrap();
    sqlx::query(sql).bind(millis).bind(id).execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
}

async fn hold(server: &TestServer, name: &str, holder: &str, until: Millis) {
    let sql = "INSERT INTO leases (name, holder, held_until) VALUES ($1, $2, $3)";
    let mut tx = server.atrium.db.write().await.unwrap();
    sqlx::query(sql).bind(name).bind(holder).bind(until).execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
}

async fn findings(server: &TestServer) -> Vec<Finding> {
    let settings = Settings::check(server.raw_settings()).unwrap();
    doctor::examine(&settings).await
}

fn about<'a>(findings: &'a [Finding], what: &str, words: &str) -> &'a Finding {
    let found = findings.iter().find(|it| it.what == what && it.text.contains(words));
    found.unwrap_or_else(|| panic!("{what} {words} in {findings:#?}"))
}

on_both! {
    async fn every_instance_is_seen_until_it_leaves(server: TestServer) {
        let operator = server.owner("ops@example.com").await;
        let other = server.second_instance().await;
        for one in [&server, &other] {
            heartbeat::beat(&one.atrium).await.unwrap();
            heartbeat::beat(&one.atrium).await.unwrap();
        }
        let found = health(&operator).await;
        assert!(codes(&found).is_empty(), "{found}");
        let instances = found["instances"].as_array().unwrap();
        assert_eq!(instances.len(), 2, "{found}");
        for instance in instances {
            assert_eq!(instance["version"], atrium::http::CLIENT_VERSION);
            assert_eq!(instance["alive"], true);
            assert_eq!(instance["answering"], instance["id"] == id(&server));
            assert!(instance["state"]["disk_free_bytes"].as_u64().unwrap() > 0);
            assert_eq!(instance["state"]["waiting_messages"], 0);
        }
        assert_eq!(found["database"]["reachable"], true);
        assert!(found["database"]["bytes"].as_i64().unwrap() > 0, "{found}");
        assert_eq!(found["backup"], Value::Null);
        // The health page does not start an event store just to look at it.
        assert_eq!(found["event_stores"][0]["error"], "not started", "{found}");

        heartbeat::leave(&other.atrium).await.unwrap();
        // A job that is still running does not bring it back.
        heartbeat::beat(&other.atrium).await.unwrap();
        let found = health(&operator).await;
        assert_eq!(found["instances"].as_array().unwrap().len(), 1, "{found}");
    }
}

on_both! {
    async fn a_silent_instance_and_its_lease_are_found(server: TestServer) {
        let operator = server.owner("ops@example.com").await;
        let other = server.second_instance().await;
        for one in [&server, &other] {
            heartbeat::beat(&one.atrium).await.unwrap();
        }
        let lost = id(&other);
        silence(&server, &lost, 61_000).await;
        let until = server.atrium.now().plus(Millis::MINUTE);
        hold(&server, "loader/3", &format!("{lost}/upkeep"), until).await;
        hold(&server, "retention", &id(&server), until).await;
        let found = health(&operator).await;
        assert_eq!(codes(&found), ["instance_lost", "lease_stuck"], "{found}");
        assert_eq!(found["status"], "failure");
        let problems = found["problems"].as_array().unwrap();
        assert!(problems.iter().any(|problem| problem["subject"] == "loader"), "{found}");
        let findings = findings(&server).await;
        for finding in [about(&findings, "instances", &lost), about(&findings, "lease", &lost)] {
            assert_eq!(finding.verdict, Verdict::Failure, "{finding}");
            assert!(finding.advice.contains("Start"), "{finding}");
        }
        // This instance's own lease is in order.
        assert!(!findings.iter().any(|it| it.text.contains("retention")), "{findings:#?}");

        // After a day the instance is forgotten.
        silence(&server, &lost, Millis::DAY).await;
        heartbeat::beat(&server.atrium).await.unwrap();
        let found = health(&operator).await;
        assert_eq!(found["instances"].as_array().unwrap().len(), 1, "{found}");
    }
}

on_both! {
    async fn a_lease_that_nobody_can_hold_so_long_is_found(server: TestServer) {
        heartbeat::beat(&server.atrium).await.unwrap();
        let until = server.atrium.now().plus(Millis::DAY);
        hold(&server, "erasures", &id(&server), until).await;
        let findings = findings(&server).await;
        let finding = about(&findings, "lease", "longer than any lease lasts");
        assert!(finding.verdict == Verdict::Failure && !finding.advice.is_empty(), "{finding}");
    }
}

on_both! {
    async fn job_results_are_shown_across_instances(server: TestServer) {
        let operator = server.owner("ops@example.com").await;
        let other = server.second_instance().await;
        runs::run(&server.atrium, Job::Purge, async { Ok::<_, String>(0) }).await;
        let went_well = health(&operator).await["job_runs"][0].clone();
        assert_eq!((&went_well["job"], &went_well["error"]), (&json!("purge"), &Value::Null));
        assert_eq!(went_well["instance"], id(&server));

        runs::run(&server.atrium, Job::Purge, async { Err::<u64, _>("no room") }).await;
        let found = health(&operator).await;
        assert_eq!(codes(&found), ["job_failed"], "{found}");
        let failed = &found["job_runs"][0];
        assert_eq!(failed["error"], "no room");
        assert_eq!(failed["succeeded_at"], went_well["succeeded_at"], "the last success stays");
        let findings = findings(&server).await;
        assert!(about(&findings, "job", "no room").verdict == Verdict::Warning);

        runs::run(&other.atrium, Job::Purge, async { Ok::<_, String>(0) }).await;
        let found = health(&operator).await;
        assert_eq!((codes(&found), found["job_runs"].as_array().unwrap().len()), (vec![], 2));
    }
}

on_both! {
    async fn only_operators_see_it(server: TestServer) {
        server.account("ops@example.com").await;
        let member = server.owner("member@example.com").await;
        assert_eq!(member.get(HEALTH).await.status, 403);
        assert_eq!(server.anonymous().get(HEALTH).await.status, 401);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_wait_long_are_found() {
    // Nothing listens there.
    let nobody = "http://127.0.0.1:9/x";
    let change = |raw: &mut RawSettings| raw.warehouse_url = Some(nobody.to_owned());
    let server = TestServer::start_with(Store::Sqlite, change).await;
    let team = server.team("one").await;
    let key = server.collect_key(team.app_id.as_str()).await;
    server.collect(&key, json!([event(&server, "a")])).await;
    server.clock.advance(6 * Millis::MINUTE);
    heartbeat::beat(&server.atrium).await.unwrap();
    // The doctor has a clock of its own, and by that clock the sign of life is recent.
    silence(&server, &id(&server), 6 * Millis::MINUTE).await;
    let mut raw = server.raw_settings();
    change(&mut raw);
    let findings = doctor::examine(&Settings::check(raw).unwrap()).await;
    let finding = about(&findings, "backlog", "the oldest message");
    assert!(finding.verdict == Verdict::Failure && !finding.advice.is_empty(), "{finding}");
    let store = about(&findings, "events", "127.0.0.1");
    assert!(store.verdict == Verdict::Failure && store.advice.contains("warehouse_url"), "{store}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_disagrees_with_the_databases_is_reported_and_does_not_gate() {
    let server = TestServer::start(Store::Postgres).await;
    let operator = server.owner("ops@example.com").await;
    let clock = async |skew: i64| {
        server.clock.skew(skew);
        clock_sync::sync(&server.atrium.db, &server.atrium.clock).await.unwrap();
        heartbeat::beat(&server.atrium).await.unwrap();
        let ready = server.anonymous().get("/readyz").await;
        assert_eq!((ready.status, &ready.body["ready"]), (200, &json!(true)), "{ready:?}");
        ready.body["clock"].as_str().unwrap().to_owned()
    };
    assert_eq!(clock(4_000).await, "ok");
    let state = clock(8_500).await;
    assert!(state.starts_with("degraded: 8 s ahead of"), "{state}");
    let found = health(&operator).await;
    assert_eq!((codes(&found), &found["status"]), (vec!["clock_skew"], &json!("warning")));
    let offset = found["instances"][0]["state"]["clock_offset_ms"].as_i64().unwrap();
    assert!((8_000..9_000).contains(&offset), "{offset}");
    // Its sign of life carries the database's time, so it does not lie in the future.
    let seen = found["instances"][0]["seen_at"].as_str().unwrap();
    let seen = seen.parse::<jiff::Timestamp>().unwrap().as_millisecond();
    assert!(seen - Clock::default().now().0 < 2_000, "{seen}");
    let state = clock(-8_500).await;
    assert!(state.starts_with("degraded: 8 s behind"), "{state}");
}
