//! Readers share the warehouse: a noisy one delays only itself, and a caller who hangs up leaves nothing
//! running.

use std::sync::Arc;
use std::time::Duration;

use atrium::fair_queue::{Caller, Class};
use atrium::types::Id;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use warehouse::{Gate, Turn};

use crate::ingest::drain;
use crate::support::sender::{event, event_at};
use crate::support::world::Team;
use crate::support::{Actor, Answer, Store, TestServer, in_both_sizes};

const SECOND: i64 = 1_000;

fn day(server: &TestServer, days_ago: i64) -> String {
    let at = server.atrium.now().0 - days_ago * 24 * 60 * 60 * SECOND;
    let at = jiff::Timestamp::from_millisecond(at).unwrap();
    at.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

fn explore(server: &TestServer, team: &Team) -> JoinHandle<Answer> {
    // Some events happened a few minutes ago, which may be yesterday.
    let body = json!({ "start": day(server, 1), "end": day(server, 0), "granularity": "day" });
    let program = server.anonymous();
    let request = program.request(Method::POST, &format!("/api/v1/apps/{}/explore", team.app_id));
    let request = request.bearer_auth(format!("qk_{}", team.app_id)).json(&body);
    tokio::spawn(async move { program.send(request).await })
}

async fn dashboard(server: &TestServer, actor: &Actor, team: &Team) -> Answer {
    let today = day(server, 0);
    let body = json!({ "start": today, "end": today, "granularity": "hour", "timezone": "UTC" });
    actor.post(&format!("/api/v1/orgs/{}/data-overall", team.org_id), body).await
}

/// Statements that are running, and statements in the queue.
pub fn counts(server: &TestServer, class: Class) -> (usize, usize) {
    server.atrium.reads.counts(class)
}

pub async fn until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Takes slots, as if statements were running in them.
async fn occupy(server: &TestServer, caller: &Caller, slots: usize) -> Vec<Turn> {
    let mut taken = Vec::new();
    for _ in 0..slots {
        taken.push(server.atrium.reads.reader(caller.clone()).enter().await.unwrap());
    }
    taken
}

/// Takes every slot, on behalf of two organizations.
pub async fn occupy_all(server: &TestServer) -> Vec<Turn> {
    let dashboard_of = |n: u8| Caller::person(Class::Dashboard, &Id::fixed(n), &Id::fixed(n));
    let mut taken = occupy(server, &dashboard_of(1), 4).await;
    taken.extend(occupy(server, &dashboard_of(2), 2).await);
    taken
}

fn code(answer: &Answer) -> &str {
    answer.body["errors"][0]["code"].as_str().unwrap_or_default()
}

async fn send_some(server: &TestServer, team: &Team) {
    let key = server.collect_key(team.app_id.as_str()).await;
    let sent = server.collect(&key, json!([event(server, "visit")])).await;
    assert_eq!(sent.body["data"]["accepted"], 1);
    drain(server).await;
}

in_both_sizes! {
    async fn a_query_key_with_many_questions_delays_itself_alone(server: TestServer) {
        let (noisy, other) = (server.team("one").await, server.team("two").await);
        send_some(&server, &other).await;
        // Two slow statements of this key are running.
        let key = Caller::program(&noisy.org_id, &noisy.app_id);
        let running = occupy(&server, &key, 2).await;
        let asked: Vec<_> = (0..40).map(|_| explore(&server, &noisy)).collect();
        let refused = || asked.iter().filter(|asked| asked.is_finished()).count();
        until("the others are refused", || refused() == 32).await;
        assert_eq!(counts(&server, Class::QueryKey), (2, 8));
        // The same team's people and another team are not affected.
        let theirs = dashboard(&server, other.actor("owner"), &other).await;
        assert_eq!((theirs.status, &theirs.body["data"]["totals"]["events"]["value"]), (200, &json!(1)), "{theirs:?}");
        assert_eq!(dashboard(&server, noisy.actor("owner"), &noisy).await.status, 200);
        assert_eq!(other.actor("owner").get(&format!("/api/v1/apps/{}/profiles?kind=user", other.app_id)).await.status, 200);
        assert_eq!(explore(&server, &other).await.unwrap().status, 200, "another key has its turn");
        assert_eq!(counts(&server, Class::QueryKey), (2, 8), "and all that while they waited");
        drop(running);
        let (mut answered, mut too_many) = (0, 0);
        for answer in asked {
            let answer = answer.await.unwrap();
            match answer.status {
                200 => answered += 1,
                429 => {
                    too_many += 1;
                    assert_eq!(code(&answer), "too_many_queries");
                    assert_eq!(answer.headers["retry-after"], "5");
                }
                _ => panic!("{answer:?}"),
            }
        }
        assert_eq!((answered, too_many), (8, 32));
        assert_eq!(counts(&server, Class::QueryKey), (0, 0));
    }
}

in_both_sizes! {
    async fn kept_answers_and_the_loader_need_no_slot(server: TestServer) {
        let team = server.team("one").await;
        send_some(&server, &team).await;
        let owner = team.actor("owner");
        assert_eq!(dashboard(&server, owner, &team).await.status, 200);
        let taken = occupy_all(&server).await;
        let again = dashboard(&server, owner, &team).await;
        assert_eq!((again.status, &again.body["data"]["totals"]["events"]["value"]), (200, &json!(1)), "{again:?}");
        // New messages are loaded although every slot is busy.
        let loading = tokio::time::timeout(Duration::from_secs(30), send_some(&server, &team));
        loading.await.expect("the loader waits for nobody");
        // The answer that they made stale waits for its turn.
        let waiting = counts(&server, Class::Dashboard);
        assert_eq!(waiting, (6, 0));
        let fresh = {
            let (server, owner, team) = (server.again(), owner.at(&server.url), Arc::new(team));
            tokio::spawn(async move { dashboard(&server, &owner, &team).await })
        };
        until("the question waits", || counts(&server, Class::Dashboard).1 > 0).await;
        drop(taken);
        let fresh = fresh.await.unwrap();
        assert_eq!(fresh.body["data"]["totals"]["events"]["value"], 2, "{fresh:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_waits_too_long_is_asked_to_come_back() {
    let server = TestServer::start_with(Store::Sqlite, |raw| raw.read_wait_seconds = Some(1)).await;
    let team = server.team("one").await;
    send_some(&server, &team).await;
    let taken = occupy_all(&server).await;
    let answer = dashboard(&server, team.actor("owner"), &team).await;
    assert_eq!((answer.status, code(&answer)), (503, "queries_busy"), "{answer:?}");
    assert_eq!(answer.headers["retry-after"], "5");
    drop(taken);
    assert_eq!(dashboard(&server, team.actor("owner"), &team).await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_who_wait_for_the_same_answer_outlast_the_one_who_asked_first() {
    let server = TestServer::start(Store::Sqlite).await;
    let team = Arc::new(server.team("one").await);
    send_some(&server, &team).await;
    let taken = occupy_all(&server).await;
    let ask = |who: &str| {
        let (server, actor, team) = (server.again(), team.actor(who).at(&server.url), team.clone());
        tokio::spawn(async move { dashboard(&server, &actor, &team).await })
    };
    let waits = || counts(&server, Class::Dashboard).1 > 0;
    let first = ask("owner");
    until("the first one asks", waits).await;
    let second = ask("admin");
    first.abort();
    until("the first one's question is gone, and the second one asks", waits).await;
    drop(taken);
    let answer = second.await.unwrap();
    assert_eq!(
        (answer.status, &answer.body["data"]["totals"]["events"]["value"]),
        (200, &json!(1)),
        "{answer:?}"
    );

    // When all callers have left, nothing is left running.
    send_some(&server, &team).await;
    let taken = occupy_all(&server).await;
    let asked = [ask("owner"), ask("admin")];
    until("somebody asks", waits).await;
    for asked in asked {
        asked.abort();
    }
    until("nobody asks anymore", || !waits()).await;
    drop(taken);
    until("and nothing runs", || counts(&server, Class::Dashboard) == (0, 0)).await;
}

/// Makes every question about events take seconds: each row sleeps. A statement that is canceled stops
/// between two blocks, and a block may not sleep for more than three seconds. A block never spans two
/// partitions, so each partition gets a few rows; `max_block_size` is not always respected.
async fn slow_down(server: &TestServer) {
    let store = &server.atrium.warehouse;
    for sql in [
        "CREATE TABLE few_events ENGINE = MergeTree ORDER BY time PARTITION BY toUnixTimestamp(time) % 48 \
         AS SELECT *, device, person FROM events",
        "RENAME TABLE events TO quick_events",
        "CREATE VIEW events AS SELECT * FROM few_events WHERE sleepEachRow(0.05) = 0",
    ] {
        store.execute(sql, &[]).await.unwrap();
    }
}

/// Questions about events that the engine is answering.
async fn statements(server: &TestServer) -> u64 {
    let sql = "SELECT count() AS n FROM system.processes WHERE position(query, 'sleepEachRow') = 0 \
               AND position(query, 'system.processes') = 0 AND position(query, 'FROM events') > 0";
    let rows: Vec<Value> = server.atrium.warehouse.query(sql, &[]).await.unwrap();
    rows[0]["n"].as_u64().unwrap()
}

in_both_sizes! {
    async fn slow_questions_leave_a_neighbours_dashboard_alone_and_end_with_their_callers(server: TestServer) {
        let (noisy, other) = (server.team("one").await, server.team("two").await);
        let key = server.collect_key(noisy.app_id.as_str()).await;
        let now = server.atrium.now().0;
        let some: Vec<_> = (0..240).map(|n| event_at(now - n * SECOND, "visit")).collect();
        assert_eq!(server.collect(&key, json!(some)).await.body["data"]["accepted"], 240);
        drain(&server).await;
        send_some(&server, &other).await;
        slow_down(&server).await;
        let asked: Vec<_> = (0..12).map(|_| explore(&server, &noisy)).collect();
        until("two run, and the others wait or are refused", || counts(&server, Class::QueryKey) == (2, 8)).await;
        let started = Instant::now();
        while statements(&server).await < 2 {
            assert!(started.elapsed() < Duration::from_secs(4), "none is being answered");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let answer = dashboard(&server, other.actor("owner"), &other).await;
        assert_eq!((answer.status, &answer.body["data"]["totals"]["events"]["value"]), (200, &json!(1)), "{answer:?}");
        assert!(statements(&server).await > 0, "the questions are still being answered");
        for asked in &asked {
            asked.abort();
        }
        let started = Instant::now();
        until("all have left the queue", || counts(&server, Class::QueryKey) == (0, 0)).await;
        while statements(&server).await > 0 {
            assert!(started.elapsed() < Duration::from_secs(4), "statements go on for nobody");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

in_both_sizes! {
    async fn a_waiting_caller_sees_their_place(server: TestServer) {
        let team = server.team("one").await;
        let (owner, analyst) = (team.actor("owner").clone(), team.actor("analyst").clone());
        let base = format!("/api/v1/apps/{}/analyses", team.app_id);
        let place = async |actor: &Actor| {
            actor.get(&format!("{base}/queue")).await.body["data"]["ahead"].clone()
        };
        assert_eq!(place(&owner).await, Value::Null);
        let running = occupy_all(&server).await;
        let series = json!([{ "events": [], "measure": { "of": "events" } }]);
        let body = json!({ "kind": "trend", "start": day(&server, 1), "end": day(&server, 0), "series": series });
        let ask = |actor: &Actor| {
            let (actor, body, path) = (actor.clone(), body.clone(), format!("{base}/run"));
            tokio::spawn(async move { actor.post(&path, body).await })
        };
        let first = ask(&owner);
        until("the first waits", || counts(&server, Class::AdHoc).1 == 1).await;
        let second = ask(&analyst);
        until("the second waits", || counts(&server, Class::AdHoc).1 == 2).await;
        assert_eq!((place(&owner).await, place(&analyst).await), (json!(0), json!(1)));
        drop(running);
        assert_eq!((first.await.unwrap().status, second.await.unwrap().status), (200, 200));
        assert_eq!(place(&analyst).await, Value::Null);
    }
}
