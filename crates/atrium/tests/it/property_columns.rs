//! A property that questions read a lot gets a column of its own, and loses it when questions stop using it.
//! What the column contains is tested where it is filled (crates/warehouse/tests).

use crate::ingest::drain;
use crate::support::sender::event_at;
use crate::support::{Actor, Store, TestServer};
use atrium::columns;
use serde_json::{Value, json};

const DAY: i64 = 24 * 3_600_000;

/// A value sent as text works as a number where a number is needed, and as a time where a time is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_can_be_a_number_or_a_time() {
    let server = TestServer::start_with_engine(Store::Sqlite).await;
    let team = server.team("one").await;
    let (owner, app) = (team.actor("owner"), team.app_id.as_str());
    let key = server.collect_key(app).await;
    let now = server.atrium.now().0;
    let values = [
        (json!("19.90"), json!("2026-11-18T10:00:00+08:00")),
        (json!(5), json!("2026-11-18")),
        (json!("inf"), json!("2026-11-18 02:00:01")),
        (json!("a"), json!("soon")),
        (json!(null), json!(1_795_053_600)),
    ];
    let batch: Vec<Value> = values
        .into_iter()
        .map(|(amount, due)| {
            let mut message = event_at(now - 1_000, "pay");
            message["data"]["properties"] = json!({ "amount": amount, "due": due });
            message
        })
        .collect();
    server.collect(&key, json!(batch)).await;
    drain(&server).await;
    let day = jiff::Timestamp::from_millisecond(now - 1_000).unwrap();
    let day = day.to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
    let ask = async |of: Value, filters: Value| {
        let body = json!({
            "kind": "trend", "start": day, "end": day,
            "filters": { "all": filters }, "series": [{ "events": ["pay"], "measure": of }],
        });
        owner.post(&format!("/api/v1/apps/{app}/analyses/run"), body).await
    };
    let total = async |of: Value, filters: Value| {
        let answer = ask(of, filters).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["data"]["series"][0]["total"].as_f64().unwrap()
    };
    let count = json!({ "of": "events" });
    let test = |property: &str, operator: &str, value: &str| json!([{ "property": property, "operator": operator, "values": [value] }]);
    assert_eq!(total(json!({ "of": "sum", "property": "amount" }), json!([])).await, 24.9);
    assert_eq!(total(count.clone(), test("amount", "gt", "5")).await, 1.0);
    assert_eq!(total(count.clone(), test("due", "since", "2026-11-18T02:00:00Z")).await, 3.0);
    assert_eq!(total(count.clone(), test("due", "since", "2026-11-18T02:00:01")).await, 2.0);
    assert_eq!(total(count.clone(), test("due", "before", "2026-11-18T02:00:00Z")).await, 1.0);
    assert_eq!(total(count.clone(), test("due", "since", "2026-11-18")).await, 4.0);
    assert_eq!(ask(count.clone(), test("due", "since", "soon")).await.status, 422);
    assert_eq!(ask(count.clone(), test("$os", "since", "2026-11-18")).await.status, 422);
}

async fn send(server: &TestServer, app: &str, plans: &[&str]) {
    let key = server.collect_key(app).await;
    let now = server.atrium.now().0;
    let event = |plan: &&str| {
        let mut message = event_at(now - 1_000, "pay");
        message["data"]["properties"] = json!({ "plan": plan, "note": "x" });
        message
    };
    let batch: Vec<Value> = plans.iter().map(event).collect();
    server.collect(&key, json!(batch)).await;
    drain(server).await;
}

/// Events by plan, sorted by plan.
async fn by_plan(actor: &Actor, app: &str, day: &str) -> Vec<(String, f64)> {
    let body = json!({
        "kind": "trend", "start": day, "end": day, "breakdown": ["plan"],
        "series": [{ "events": ["pay"], "measure": { "of": "events" } }],
    });
    let answer = actor.post(&format!("/api/v1/apps/{app}/analyses/run"), body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let groups = answer.body["data"]["series"][0]["groups"].as_array().unwrap().clone();
    let pair = |group: &Value| {
        let value = group["values"][0].as_str().unwrap_or_default().to_owned();
        (value, group["total"].as_f64().unwrap())
    };
    let mut pairs: Vec<_> = groups.iter().map(pair).collect();
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    pairs
}

/// Runs the work until none is left.
async fn keep(server: &TestServer) {
    columns::write_uses(&server.atrium).await.unwrap();
    for _ in 0..100 {
        if columns::run_due(&server.atrium).await.unwrap() == 0 && left(server).await == 0 {
            return;
        }
    }
    panic!("there is always something left");
}

async fn left(server: &TestServer) -> u64 {
    server.atrium.warehouse.property_rows_left().await.unwrap()
}

async fn in_use(server: &TestServer) -> Vec<Vec<String>> {
    server.atrium.warehouse.forget_property_columns();
    let columns = server.atrium.warehouse.property_columns().await.unwrap();
    columns.iter().filter(|it| it.is_in_use()).map(|it| it.path.clone()).collect()
}

async fn gets_one_and_loses_it(server: TestServer) {
    let team = server.team("one").await;
    let (owner, app) = (team.actor("owner"), team.app_id.as_str());
    let day = |at: i64| {
        let at = jiff::Timestamp::from_millisecond(at).unwrap();
        at.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
    };
    let today = day(server.atrium.now().0 - 1_000);
    send(&server, app, &["pro", "free", "pro"]).await;
    let pairs = |list: &[(&str, f64)]| -> Vec<(String, f64)> {
        list.iter().map(|(plan, count)| ((*plan).to_owned(), *count)).collect()
    };
    assert_eq!(by_plan(owner, app, &today).await, pairs(&[("free", 1.0), ("pro", 2.0)]));
    keep(&server).await;
    // Three rows are not enough, and a kept answer reads nothing.
    assert_eq!(in_use(&server).await, Vec::<Vec<String>>::new());
    by_plan(owner, app, &today).await;
    for _ in 0..4 {
        send(&server, app, &["team"]).await;
        by_plan(owner, app, &today).await;
    }
    keep(&server).await;
    assert_eq!(in_use(&server).await, [["plan"]]);
    send(&server, app, &["pro"]).await;
    let expected = pairs(&[("free", 1.0), ("pro", 3.0), ("team", 4.0)]);
    assert_eq!(by_plan(owner, app, &today).await, expected);
    // Nearly two months without a question.
    columns::write_uses(&server.atrium).await.unwrap();
    server.clock.advance(55 * DAY);
    keep(&server).await;
    assert_eq!(in_use(&server).await, Vec::<Vec<String>>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_asked_about_much_gets_a_column() {
    for store in [Store::Sqlite, Store::Postgres] {
        let few = |raw: &mut atrium::config::RawSettings| raw.column_after_rows = Some(20);
        gets_one_and_loses_it(TestServer::start_with_engine_and(store, few).await).await;
    }
}
