//! A demo's figures in the warehouse and in the ledger.

use crate::support::TestServer;
use atrium::demo::Report;
use jiff::{Span, Timestamp};
use serde_json::{Value, json};

async fn rows(server: &TestServer, sql: &str) -> Vec<Value> {
    server.atrium.warehouse.query(sql, &[]).await.unwrap()
}

/// One figure: an expression, and the table that it is computed from.
pub async fn number(server: &TestServer, what: &str, of: &str) -> u64 {
    let sql = format!("SELECT toUInt64({what}) AS n FROM {of}");
    rows(server, &sql).await[0]["n"].as_u64().unwrap()
}

async fn booked(server: &TestServer, what: &str) -> u64 {
    let sql =
        format!("SELECT COALESCE(CAST(SUM(messages) AS BIGINT), 0) FROM ingest_ledger {what}");
    let mut db = server.atrium.db.read().await.unwrap();
    let sum: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&mut *db).await.unwrap();
    sum.unsigned_abs()
}

/// The store, its counts, the ledger and the requested number of events agree.
pub async fn figures_agree(server: &TestServer, report: &Report) {
    assert_eq!(report.events, super::EVENTS);
    let reported: u64 = report.teams.iter().flat_map(|team| &team.apps).map(|app| app.events).sum();
    assert_eq!(reported, super::EVENTS);
    assert_eq!(number(server, "count()", "events").await, super::EVENTS);
    assert_eq!(number(server, "sum(events)", "totals_15m").await, super::EVENTS);
    assert_eq!(number(server, "uniqExact(log_id)", "events").await, super::EVENTS);
    let accepted = "WHERE outcome = 'accepted' AND kind";
    assert_eq!(booked(server, &format!("{accepted} = 'Event'")).await, super::EVENTS);
    let mutations = number(server, "count()", "mutations").await;
    assert_eq!(booked(server, &format!("{accepted} <> 'Event'")).await, mutations);
    for app in report.teams.iter().flat_map(|team| &team.apps) {
        let id = &app.id;
        let stored = number(server, "count()", &format!("events WHERE app_id = '{id}'")).await;
        assert_eq!(stored, app.events);
        let day = format!(
            "SELECT toString(toDate(received_at, '{}')) AS day, count() AS n FROM events
             WHERE app_id = '{id}' GROUP BY day",
            app.timezone
        );
        for row in rows(server, &day).await {
            let day = row["day"].as_str().unwrap();
            let of_day = format!("{accepted} = 'Event' AND app_id = '{id}' AND day = '{day}'");
            assert_eq!(booked(server, &of_day).await, row["n"].as_u64().unwrap(), "{day}");
        }
    }
    assert!(booked(server, "WHERE outcome = 'duplicate'").await > 0);
    assert!(booked(server, "WHERE outcome NOT IN ('accepted', 'duplicate')").await > 0);
    let now = server.atrium.now().0;
    let ahead = format!("countIf(toUnixTimestamp64Milli(greatest(time, received_at)) > {now})");
    assert_eq!(number(server, &ahead, "events").await, 0);
    let recent = format!("toUnixTimestamp64Milli(max(time)) > {}", now - 3 * 3_600_000);
    assert_eq!(number(server, &recent, "events").await, 1);
}

/// Events on every one of the last days, growth, quiet nights, and a lunch break in China.
pub async fn days_and_nights(server: &TestServer, app: &str, zone: &str) {
    let sql = format!(
        "SELECT uniqIf(toDate(time, '{zone}'), day BETWEEN 1 AND 10) AS days,
            countIf(day BETWEEN 1 AND 28) AS late, countIf(day BETWEEN 57 AND 84) AS early,
            countIf(hour BETWEEN 1 AND 4) AS night, countIf(hour BETWEEN 9 AND 12) AS morning,
            countIf(hour IN (10, 11)) AS before_noon, countIf(hour IN (12, 13)) AS noon,
            max(day) AS oldest
         FROM (SELECT time, toHour(time, '{zone}') AS hour,
                toDate(now(), '{zone}') - toDate(time, '{zone}') AS day
               FROM events WHERE app_id = '{app}')"
    );
    let found = rows(server, &sql).await.remove(0);
    let n = |name: &str| found[name].as_u64().unwrap();
    assert_eq!(n("days"), 10, "{found}");
    assert!(n("oldest") < u64::from(super::DAYS), "{found}");
    assert!(n("late") > n("early"), "{found}");
    assert!(n("night") * 5 < n("morning"), "{found}");
    if zone.starts_with("Asia/") {
        assert!(n("noon") < n("before_noon"), "{found}");
    }
}

/// People as the product counts them: one person before and after sign-in.
pub async fn fewer_and_fewer_come_back(server: &TestServer, report: &Report) {
    let owner = server.anonymous();
    owner.login(&report.people[0].email, &report.password).await;
    let today = Timestamp::from_millisecond(server.atrium.now().0).unwrap();
    let mut sums = [0; 4];
    for app in report.teams.iter().flat_map(|team| &team.apps) {
        let today = today.in_tz(app.timezone).unwrap().date();
        let start = today.checked_sub(Span::new().days(i64::from(super::DAYS))).unwrap();
        let question = json!({
            "kind": "retention", "first": {}, "first_ever": true, "returning": {},
            "unit": "day", "units": 30, "start": start.to_string(), "end": today.to_string(),
        });
        let answer = owner.post(&format!("/api/v1/apps/{}/analyses/run", app.id), question).await;
        let cohorts = answer.body["data"]["cohorts"].as_array().unwrap();
        for cohort in cohorts.iter().filter(|cohort| !cohort["returned"][30].is_null()) {
            let returned = |days: usize| cohort["returned"][days].as_u64().unwrap();
            let found = [cohort["size"].as_u64().unwrap(), returned(1), returned(7), returned(30)];
            sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
        }
    }
    let [size, one, seven, thirty] = sums.map(|sum| sum as f64);
    assert!(size > 300.0, "{sums:?}");
    // With so few people the rates scatter a little around 35, 20 and 10 %.
    assert!((0.25..0.5).contains(&(one / size)), "{sums:?}");
    assert!((0.11..0.28).contains(&(seven / size)), "{sums:?}");
    assert!((0.04..0.19).contains(&(thirty / size)), "{sums:?}");
    assert!(one > seven && seven > thirty, "{sums:?}");
}

pub async fn releases_bring_errors(server: &TestServer) {
    let sql = "SELECT countIf(is_new) AS fresh, countIf(NOT is_new) AS settled,
            countIf(is_new AND event = 'error') AS fresh_errors,
            countIf(NOT is_new AND event = 'error') AS settled_errors
         FROM (SELECT event, time < since + INTERVAL 30 HOUR AND since > oldest AS is_new
            FROM events JOIN (SELECT app_id, client_version, min(time) AS since FROM events
                GROUP BY app_id, client_version) AS versions USING (app_id, client_version)
            JOIN (SELECT app_id, min(time) + INTERVAL 5 DAY AS oldest FROM events GROUP BY app_id)
                AS beginnings USING app_id)";
    let found = rows(server, sql).await.remove(0);
    let share =
        |errors: &str, all: &str| found[errors].as_f64().unwrap() / found[all].as_f64().unwrap();
    let (fresh, settled) = (share("fresh_errors", "fresh"), share("settled_errors", "settled"));
    assert!(fresh > 4.0 * settled, "{found}");
}

pub async fn people_have_profiles(server: &TestServer) {
    let sql = "SELECT properties FROM profiles FINAL WHERE kind = 'user'";
    let profiles = rows(server, sql).await;
    assert!(profiles.len() > 50);
    for row in &profiles {
        let known: Value = serde_json::from_str(row["properties"].as_str().unwrap()).unwrap();
        assert!(known["email"].as_str().unwrap().ends_with("@example.com"), "{known}");
        assert!(known["phone"].as_str().unwrap().starts_with('+'), "{known}");
        for field in ["name", "city", "plan"] {
            assert!(!known[field].as_str().unwrap().is_empty(), "{known}");
        }
    }
    let unknown = "events WHERE user_id != '' AND (app_id, user_id)
        NOT IN (SELECT app_id, id FROM profiles WHERE kind = 'user')";
    assert_eq!(number(server, "uniqExact(app_id, user_id)", unknown).await, 0);
    let unseen = "profiles FINAL WHERE kind = 'device'
        AND (app_id, id) NOT IN (SELECT app_id, device_id FROM devices)";
    assert_eq!(number(server, "count()", unseen).await, 0);
    // Before sign-in people are devices only; afterwards they are a device and a user.
    let both = "(SELECT app_id, device_id FROM events GROUP BY app_id, device_id
        HAVING countIf(user_id = '') > 0 AND countIf(user_id != '') > 0)";
    assert!(number(server, "count()", both).await > 20);
    let broken = "countIf(NOT isValidJSON(properties) OR url_path = '' OR user_agent LIKE '%{%'
        OR os = '' OR client_version = '')";
    assert_eq!(number(server, broken, "events").await, 0);
}
