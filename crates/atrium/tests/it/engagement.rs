//! How many people use an app, compared with plain counting.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{TestServer, in_either_size};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use uuid::Uuid;
use warehouse::EventRow;

const DAY: i64 = 24 * 60 * 60 * 1_000;

struct Visit {
    time_ms: i64,
    user: String,
    device: String,
}

/// The person behind each visit: without a user it is the first user who signed in on the device.
fn people(visits: &[Visit]) -> Vec<String> {
    let mut owners = BTreeMap::<&str, (i64, &str)>::new();
    for visit in visits.iter().filter(|visit| !visit.user.is_empty()) {
        let owner = owners.entry(&visit.device).or_insert((visit.time_ms, &visit.user));
        *owner = (visit.time_ms, visit.user.as_str()).min(*owner);
    }
    let person = |visit: &Visit| match (visit.user.as_str(), owners.get(visit.device.as_str())) {
        ("", None) => format!("d {}", visit.device),
        ("", Some((_, owner))) => format!("u {owner}"),
        (user, _) => format!("u {user}"),
    };
    visits.iter().map(person).collect()
}

/// Visits of a few people over several months; the same every time.
fn visits(count: usize, from: &str, days: u64) -> Vec<Visit> {
    let mut seed = 88_172_645_463_325_252_u64;
    let mut below = |limit: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % limit
    };
    let from = from.parse::<jiff::Timestamp>().unwrap().as_millisecond();
    (0..count)
        .map(|_| {
            // Each device is active in months of its own, so that people come and go.
            let device = below(160);
            let start = (device * 7_919) % days;
            let time =
                from + i64::try_from((start + below(40)) * 86_400_000 + below(86_400_000)).unwrap();
            let signed_in = device % 3 > 0 && below(4) > 0;
            Visit {
                time_ms: time,
                user: if signed_in { format!("user {}", device / 2) } else { String::new() },
                device: format!("device {device}"),
            }
        })
        .collect()
}

async fn store(server: &TestServer, app: &str, visits: &[Visit]) {
    let rows = visits.iter().map(|visit| EventRow {
        app_id: Uuid::try_parse(app).unwrap(),
        time_ms: visit.time_ms,
        event: "visit",
        log_id: Uuid::new_v4(),
        device_id: &visit.device,
        user_id: &visit.user,
        sdk_type: "",
        sdk_version: "",
        timezone_offset: 0.0,
        os: "",
        language: "",
        url_path: "",
        device_type: "",
        browser: "",
        browser_version: "",
        user_agent: "",
        client_version: "",
        source: "",
        properties: "{}",
        received_ms: visit.time_ms,
    });
    server.store_events(1, &rows.collect::<Vec<_>>()).await;
}

/// The expected answer, by plain counting.
fn engagement(visits: &[Visit], start: Date, end: Date, zone: &TimeZone) -> Value {
    let day = |time_ms: i64| {
        jiff::Timestamp::from_millisecond(time_ms).unwrap().to_zoned(zone.clone()).date()
    };
    let mut active = BTreeMap::<Date, BTreeSet<String>>::new();
    let mut first = BTreeMap::<String, Date>::new();
    for (visit, who) in visits.iter().zip(people(visits)) {
        let today = day(visit.time_ms);
        active.entry(today).or_default().insert(who.clone());
        let earliest = first.entry(who).or_insert(today);
        *earliest = (*earliest).min(today);
    }
    let none = BTreeSet::new();
    let on = |date: Date| active.get(&date).unwrap_or(&none);
    let plus = |date: Date, days: i64| date.checked_add(jiff::Span::new().days(days)).unwrap();
    let within = |date: Date, days: i64| {
        (0..days).flat_map(|back| on(plus(date, -back))).collect::<BTreeSet<_>>().len()
    };
    let new = |date: Date| on(date).iter().filter(|who| first[*who] == date).collect::<Vec<_>>();
    let dates: Vec<Date> = std::iter::successors(Some(start), |date| Some(plus(*date, 1)))
        .take_while(|date| *date <= end)
        .collect();
    let days: Vec<Value> = dates
        .iter()
        .map(|date| {
            let (dau, new) = (on(*date).len(), new(*date).len());
            json!({ "date": date.to_string(), "partial": false, "dau": dau, "wau": within(*date, 7),
                "mau": within(*date, 30), "new_users": new, "returning_users": dau - new })
        })
        .collect();
    let came = |date: Date, after: i64| {
        new(date).iter().filter(|who| on(plus(date, after)).contains(**who)).count()
    };
    let cohorts: Vec<Value> = dates
        .iter()
        .map(|date| {
            json!({ "date": date.to_string(), "size": new(*date).len(),
                "day1": came(*date, 1), "day7": came(*date, 7), "day30": came(*date, 30) })
        })
        .collect();
    json!({ "days": days, "cohorts": cohorts })
}

in_either_size! {
    async fn engagement_is_what_plain_counting_says(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let visits = visits(4_000, "2025-08-01T00:00:00Z", 120);
        store(&server, app, &visits).await;
        // Clocks go back on 26 October in Berlin; Kathmandu is 5:45 ahead.
        let (start, end) = ("2025-10-10", "2025-11-20");
        for zone in ["Europe/Berlin", "Asia/Kathmandu", "UTC"] {
            let path = format!("/api/v1/apps/{app}/engagement?start={start}&end={end}&timezone={zone}");
            let found = owner.get(&path).await;
            let data = &found.body["data"];
            let zone = TimeZone::get(zone).unwrap();
            let expected = engagement(&visits, start.parse().unwrap(), end.parse().unwrap(), &zone);
            assert_eq!(data["days"], expected["days"], "{found:?}");
            assert_eq!(data["retention"]["cohorts"], expected["cohorts"]);
            // The figures that are derived from those.
            let of = |cohort: &Value, field: &str| cohort[field].as_f64().unwrap();
            let cohorts = expected["cohorts"].as_array().unwrap();
            let sum = |field: &str| cohorts.iter().map(|cohort| of(cohort, field)).sum::<f64>();
            assert!(sum("size") > 10.0 && sum("day7") > 0.0);
            let ratio = data["retention"]["day7"].as_f64().unwrap();
            assert!((ratio - sum("day7") / sum("size")).abs() < 1e-12);
            let days = expected["days"].as_array().unwrap();
            let month: f64 = days[days.len() - 30..].iter().map(|day| of(day, "dau")).sum();
            let last = &days[days.len() - 1];
            let stickiness = data["stickiness"].as_f64().unwrap();
            assert!((stickiness - month / 30.0 / of(last, "mau")).abs() < 1e-12);
            assert_eq!(data["today"]["wau"], last["wau"]);
            let whole_day = json!({ "date": end, "dau": last["dau"], "wau": last["wau"], "mau": last["mau"] });
            assert_eq!((&data["last_whole_day"], &data["so_far"]), (&whole_day, &Value::Null));
            // Also people who were new before the range, as far back as the question asks.
            let longer = owner.get(&format!("{path}&cohorts_from=2025-09-01")).await.body["data"].clone();
            let since = engagement(&visits, "2025-09-01".parse().unwrap(), end.parse().unwrap(), &zone);
            assert_eq!(longer["retention"]["cohorts"], since["cohorts"]);
            assert_eq!((&longer["days"], &longer["stickiness"]), (&data["days"], &data["stickiness"]));
        }
        // Deleting old events makes nobody new.
        let id = Uuid::try_parse(app).unwrap();
        let cut = "2025-10-15T00:00:00Z".parse::<jiff::Timestamp>().unwrap().as_millisecond();
        server.atrium.warehouse.retain(id, cut).await.unwrap();
        let path = format!("/api/v1/apps/{app}/engagement?start=2025-10-20&end=2025-11-20&timezone=UTC");
        let found = owner.get(&path).await;
        let expected =
            engagement(&visits, "2025-10-20".parse().unwrap(), "2025-11-20".parse().unwrap(), &TimeZone::UTC);
        assert_eq!(found.body["data"]["retention"]["cohorts"], expected["cohorts"]);
    }
}

in_either_size! {
    async fn days_that_are_not_over_say_nothing_yet(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let now = server.atrium.now().0;
        let date = |offset: i64| {
            let at = jiff::Timestamp::from_millisecond(now + offset * DAY).unwrap();
            at.to_zoned(TimeZone::UTC).date().to_string()
        };
        let visit = |offset: i64, user: &str| Visit {
            time_ms: now + offset * DAY, user: user.to_owned(), device: "d".to_owned(),
        };
        store(&server, app, &[visit(-2, "a"), visit(-1, "a"), visit(-1, "b"), visit(0, "b")]).await;
        let path = |from: i64, to: i64| {
            format!("/api/v1/apps/{app}/engagement?start={}&end={}", date(from), date(to))
        };
        let found = owner.get(&path(-2, 5)).await.body["data"].clone();
        assert_eq!(found["days"].as_array().unwrap().len(), 3, "what lies ahead is left out: {found}");
        let cohorts = &found["retention"]["cohorts"];
        assert_eq!(cohorts[0], json!({ "date": date(-2), "size": 1, "day1": 1, "day7": null, "day30": null }));
        assert_eq!(cohorts[1]["day1"], Value::Null);
        assert_eq!((&found["retention"]["day1"], &found["retention"]["day7"]), (&json!(1.0), &Value::Null));
        assert_eq!(found["today"], json!({ "dau": 1, "wau": 2, "mau": 2 }));
        // The last whole day is yesterday: (1 + 2) / 2 people a day of 2.
        assert_eq!(found["stickiness"], json!(0.75));
        let ahead = owner.get(&path(1, 5)).await.body["data"].clone();
        assert_eq!((&ahead["days"], &ahead["stickiness"]), (&json!([]), &Value::Null));
        let long = owner.get(&path(-180, 0)).await;
        assert_eq!((long.status, long.code()), (422, "out_of_range"));
        let wrong = owner.get(&format!("/api/v1/apps/{app}/engagement?start=x&end=y&timezone=Mars")).await;
        assert_eq!((wrong.status, wrong.body["errors"].as_array().unwrap().len()), (422, 3), "{wrong:?}");
    }
}
