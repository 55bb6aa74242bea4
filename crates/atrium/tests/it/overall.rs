//! The dashboard's figures, compared with a plain count of the same events.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use jiff::civil::{Date, DateTime, date};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use uuid::Uuid;
use warehouse::{EventRow, Identity, Kind, SetLimits};

use crate::support::sender::event;
use crate::support::world::Team;
use crate::support::{Actor, Answer, Store, TestServer, in_either_size, on_both};

/// An event as the plain count sees it.
#[derive(Clone)]
pub struct Seen {
    app: usize,
    pub time_ms: i64,
    event: &'static str,
    device: String,
    user: String,
    /// The first user of the device in its app, if there is one.
    owner: String,
    os: String,
    browser: String,
}

impl Seen {
    /// A person is a user; for an event without a user, the first user of the device, or else the device.
    fn person(&self) -> (usize, String) {
        let user = if self.user.is_empty() { &self.owner } else { &self.user };
        let name = if user.is_empty() { &self.device } else { user };
        (self.app, format!("{} {name}", user.is_empty()))
    }

    fn device(&self) -> (usize, String) {
        (self.app, self.device.clone())
    }
}

const NAMES: [&str; 4] = ["page_view", "button_click", "signup", "支付"];
/// More systems than the dashboard lists, so that there is a remainder.
const SYSTEMS: u64 = 14;

/// The same every time: visits in bursts, so that sessions cross quarters of an hour and midnights, over days
/// with clock changes in both directions.
fn some_events(count: usize) -> Vec<Seen> {
    events_from("2026-03-20T00:00:00Z", 25, count)
}

/// The same, on other days.
pub fn events_from(from: &str, days: u64, count: usize) -> Vec<Seen> {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |limit: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % limit
    };
    let from = from.parse::<jiff::Timestamp>().unwrap().as_millisecond();
    let mut events = Vec::new();
    while events.len() < count {
        let app = usize::try_from(below(2)).unwrap();
        let device = below(60);
        let mut time_ms = from + i64::try_from(below(days * 86_400_000)).unwrap();
        let user = if below(3) > 0 { format!("user {}", device / 2) } else { String::new() };
        for _ in 0..=below(6) {
            events.push(Seen {
                app,
                time_ms,
                event: NAMES[usize::try_from(below(NAMES.len() as u64)).unwrap()],
                device: format!("device {device}"),
                user: user.clone(),
                owner: String::new(),
                os: match (device + below(2)) % SYSTEMS {
                    0 => String::new(),
                    system => format!("System {system}"),
                },
                browser: format!("Browser {}", device % 3),
            });
            // Gaps around half an hour, to the millisecond: exactly half an hour is still the same session.
            time_ms += match below(4) {
                0 => 30 * 60_000,
                1 => 30 * 60_000 + 1,
                _ => i64::try_from(below(45 * 60_000)).unwrap(),
            };
        }
    }
    let mut owners = BTreeMap::<_, (i64, String)>::new();
    for seen in events.iter().filter(|seen| !seen.user.is_empty()) {
        let user = (seen.time_ms, seen.user.clone());
        let owner = owners.entry(seen.device()).or_insert_with(|| user.clone());
        *owner = user.min(owner.clone());
    }
    for seen in &mut events {
        seen.owner = owners.get(&seen.device()).map_or(String::new(), |(_, user)| user.clone());
    }
    events
}

pub async fn store(server: &TestServer, apps: &[Uuid], events: &[Seen]) {
    // In several loads, as in production, so that the counts lie in several parts.
    for (batch, events) in events.chunks(events.len() / 3 + 1).enumerate() {
        let rows = events.iter().map(|seen| EventRow {
            app_id: apps[seen.app],
            time_ms: seen.time_ms,
            event: seen.event,
            log_id: Uuid::new_v4(),
            device_id: &seen.device,
            user_id: &seen.user,
            sdk_type: "js",
            sdk_version: "0.2.4",
            timezone_offset: 0.0,
            os: &seen.os,
            language: "zh-CN",
            url_path: "/",
            device_type: "PC",
            browser: &seen.browser,
            browser_version: "1",
            user_agent: "",
            client_version: "",
            source: "web",
            properties: "{}",
            received_ms: seen.time_ms,
        });
        server.store_events(batch as u64 + 1, &rows.collect::<Vec<_>>()).await;
    }
}

/// The figures of a range, counted one by one.
pub struct Plain<'a> {
    pub events: &'a [Seen],
    pub zone: TimeZone,
}

impl Plain<'_> {
    /// The local time that clocks showed.
    pub fn clock(&self, time_ms: i64) -> DateTime {
        let at = jiff::Timestamp::from_millisecond(time_ms).unwrap();
        at.to_zoned(self.zone.clone()).datetime()
    }

    fn date(&self, time_ms: i64) -> Date {
        self.clock(time_ms).date()
    }

    fn within(&self, inside: impl Fn(i64) -> bool, app: Option<usize>) -> Vec<&Seen> {
        let of_app = |seen: &&Seen| app.is_none_or(|app| app == seen.app);
        self.events.iter().filter(|seen| inside(seen.time_ms)).filter(of_app).collect()
    }

    fn totals(&self, start: Date, end: Date, app: Option<usize>) -> [u64; 6] {
        self.totals_of(|time_ms| (start..=end).contains(&self.date(time_ms)), app)
    }

    /// The totals of the events at these times.
    pub fn totals_of(&self, inside: impl Fn(i64) -> bool, app: Option<usize>) -> [u64; 6] {
        let within = self.within(&inside, app);
        let persons: BTreeSet<_> = within.iter().map(|seen| seen.person()).collect();
        let devices: BTreeSet<_> = within.iter().map(|seen| seen.device()).collect();
        let mut first = HashMap::new();
        for seen in self.events {
            let earliest = first.entry(seen.device()).or_insert(seen.time_ms);
            *earliest = (*earliest).min(seen.time_ms);
        }
        let new = devices.iter().filter(|who| inside(first[*who]));
        let mut times = BTreeMap::<_, Vec<i64>>::new();
        for seen in &within {
            times.entry(seen.device()).or_default().push(seen.time_ms);
        }
        let sessions = times.into_values().map(|mut times| {
            times.sort_unstable();
            1 + times.windows(2).filter(|pair| pair[1] - pair[0] > 30 * 60_000).count()
        });
        let views = within.iter().filter(|seen| seen.event == "page_view").count();
        let counts =
            [within.len(), views, persons.len(), devices.len(), new.count(), sessions.sum()];
        counts.map(|count| count as u64)
    }

    /// (events, people) by a field, the most frequent first.
    fn by(&self, start: Date, end: Date, of: impl Fn(&Seen) -> String) -> Vec<(String, u64, u64)> {
        let mut groups = BTreeMap::<String, (u64, BTreeSet<_>)>::new();
        let inside = |time_ms: i64| (start..=end).contains(&self.date(time_ms));
        for seen in self.within(inside, None) {
            let (count, persons) = groups.entry(of(seen)).or_default();
            *count += 1;
            persons.insert(seen.person());
        }
        let mut groups: Vec<_> =
            groups.into_iter().map(|(key, (n, persons))| (key, n, persons.len() as u64)).collect();
        groups.sort_by_key(|(key, count, _)| (std::cmp::Reverse(*count), key.clone()));
        groups
    }
}

pub const FIGURES: [&str; 6] =
    ["events", "page_views", "active_users", "active_devices", "new_devices", "sessions"];

fn values(totals: &Value, field: &str) -> [u64; 6] {
    FIGURES.map(|figure| totals[figure][field].as_u64().unwrap())
}

async fn ask(actor: &Actor, team: &Team, body: Value) -> Answer {
    actor.post(&format!("/api/v1/orgs/{}/data-overall", team.org_id), body).await
}

async fn overall_of(actor: &Actor, team: &Team, body: Value) -> Value {
    let answer = ask(actor, team, body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"].clone()
}

/// A second app in the team; returns both apps' ids, as text and as the warehouse has them.
pub async fn two_apps(team: &Team) -> (Vec<String>, Vec<Uuid>) {
    let body = json!({ "name": "Second", "region": "local", "timezone": "UTC" });
    let made = team.actor("owner").post(&format!("/api/v1/orgs/{}/apps", team.org_id), body).await;
    let second = made.body["data"]["id"].as_str().unwrap().to_owned();
    let ids = vec![team.app_id.to_string(), second];
    let uuids = ids.iter().map(|id| id.parse().unwrap()).collect();
    (ids, uuids)
}

in_either_size! {
    async fn every_figure_is_what_plain_counting_says(server: TestServer) {
        let team = server.team("one").await;
        let (ids, uuids) = two_apps(&team).await;
        let events = some_events(2_500);
        store(&server, &uuids, &events).await;
        // So many that the event store joins this app's sets, while the server joins the other app's.
        let somebody = Identity::of(uuids[1], Kind::Device, b"somebody");
        let number = SetLimits::default().people + 1;
        server.atrium.warehouse.add_person_ids(&[(somebody, number)], |_| 0).await.unwrap();
        let owner = team.actor("owner");
        for name in ["UTC", "Asia/Kathmandu", "Europe/Berlin", "Australia/Lord_Howe"] {
            let plain = Plain { events: &events, zone: TimeZone::get(name).unwrap() };
            // Clocks change in Berlin on March 29 and on Lord Howe Island on April 5.
            let (start, end) = (date(2026, 3, 27), date(2026, 4, 6));
            let before = (date(2026, 3, 16), date(2026, 3, 26));
            let body = json!({ "start": start.to_string(), "end": end.to_string(), "timezone": name,
                "granularity": "day", "compare": "previous_period" });
            let found = overall_of(owner, &team, body).await;
            let all = plain.totals(start, end, None);
            assert_eq!(values(&found["totals"], "value"), all, "{name}");
            assert_eq!(
                values(&found["totals"], "previous"), plain.totals(before.0, before.1, None), "{name}"
            );
            for (app, id) in ids.iter().enumerate() {
                let own = found["apps"].as_array().unwrap().iter().find(|own| own["id"] == **id);
                let own = own.unwrap();
                let counted = plain.totals(start, end, Some(app));
                assert_eq!(values(own, "value"), counted, "{name}");
                let share = counted[0] as f64 / all[0] as f64;
                assert!((own["share"].as_f64().unwrap() - share).abs() < 1e-9);
            }
            let series = found["series"].as_array().unwrap();
            assert_eq!(series.len(), 11);
            for (place, point) in series.iter().enumerate() {
                let day = start.checked_add(jiff::Span::new().days(place as i64)).unwrap();
                let begins = day.to_zoned(plain.zone.clone()).unwrap().timestamp();
                assert_eq!(point["time"].as_i64().unwrap(), begins.as_millisecond(), "{name} {day}");
                let counted = plain.totals(day, day, None);
                let shown = FIGURES.map(|figure| point[figure].as_u64().unwrap());
                assert_eq!(shown[..5], counted[..5], "{name} {day}");
                let earlier = day.checked_sub(jiff::Span::new().days(11)).unwrap();
                let counted = plain.totals(earlier, earlier, None);
                assert_eq!(point["previous"]["events"].as_u64().unwrap(), counted[0], "{name} {day}");
            }
            // A session belongs only to the day on which it begins.
            let sessions = series.iter().map(|point| point["sessions"].as_u64().unwrap());
            assert_eq!(sessions.sum::<u64>(), all[5], "{name}");
            let top: Vec<_> = found["top_events"].as_array().unwrap().iter().map(|one| {
                let number = |field: &str| one[field].as_u64().unwrap();
                (one["event"].as_str().unwrap().to_owned(), number("events"), number("users"))
            }).collect();
            assert_eq!(top, plain.by(start, end, |seen| seen.event.to_owned()), "{name}");

            let systems = plain.by(start, end, |seen| seen.os.clone());
            let first: BTreeSet<_> = systems.iter().take(10).map(|(os, ..)| os.clone()).collect();
            let rest = plain.by(start, end, |seen| first.contains(&seen.os).to_string());
            let rest = rest.iter().find(|(shown, ..)| shown == "false").unwrap();
            let mut expected: Vec<_> = systems.into_iter().take(10)
                .map(|(os, events, users)| json!({
                    "value": os, "events": events, "users": users, "other": false
                }))
                .collect();
            expected.push(json!({ "value": "other", "events": rest.1, "users": rest.2, "other": true }));
            assert_eq!(found["breakdowns"]["os"], json!(expected), "{name}");
            assert_eq!(found["breakdowns"]["browser"].as_array().unwrap().len(), 3, "no rest");
        }
    }
}

in_either_size! {
    async fn hours_are_those_of_the_zone(server: TestServer) {
        let team = server.team("one").await;
        let (_, uuids) = two_apps(&team).await;
        let events = some_events(2_500);
        store(&server, &uuids, &events).await;
        for (name, day, count) in [
            ("Asia/Kathmandu", "2026-03-30", 24),
            ("Europe/Berlin", "2026-03-29", 23),
            ("Australia/Lord_Howe", "2026-04-05", 25),
        ] {
            let body = json!({ "start": day, "end": day, "granularity": "hour", "timezone": name,
                "parts": ["series"] });
            let found = overall_of(team.actor("owner"), &team, body).await;
            let series = found["series"].as_array().unwrap();
            assert_eq!(series.len(), count, "{name}: those without events too");
            let times: Vec<i64> = series.iter().map(|point| point["time"].as_i64().unwrap()).collect();
            for (place, point) in series.iter().enumerate() {
                let until = times.get(place + 1).copied().unwrap_or(times[place] + 3_600_000);
                let inside = |seen: &&Seen| (times[place]..until).contains(&seen.time_ms);
                let counted = events.iter().filter(inside).count();
                assert_eq!(point["events"].as_u64().unwrap(), counted as u64, "{name} {place}");
            }
            assert!(found.get("totals").is_none() && found.get("apps").is_none(), "not asked for");
        }
    }
}

in_either_size! {
    async fn only_apps_that_the_caller_may_see_are_counted(server: TestServer) {
        let team = server.team("one").await;
        let other = server.team("two").await;
        let (ids, uuids) = two_apps(&team).await;
        let events = some_events(300);
        store(&server, &uuids, &events).await;
        let body = |apps: Value| json!({ "start": "2026-03-20", "end": "2026-04-30",
            "timezone": "UTC", "app_ids": apps, "parts": ["totals"] });
        let count = |found: &Value| found["totals"]["events"]["value"].as_u64().unwrap();
        let first = events.iter().filter(|seen| seen.app == 0).count() as u64;
        let all = events.len() as u64;

        let owner = team.actor("owner");
        assert_eq!(count(&overall_of(owner, &team, body(Value::Null)).await), all);
        assert_eq!(count(&overall_of(owner, &team, body(json!([ids[0]]))).await), first);
        assert_eq!(count(&overall_of(owner, &team, body(json!([]))).await), 0);
        // The viewer has a role in the first app only; the member has none.
        let viewer = overall_of(team.actor("viewer"), &team, body(json!(ids))).await;
        assert_eq!(count(&viewer), first);
        assert_eq!(viewer["apps_seen"].as_array().unwrap().len(), 1);
        assert_eq!(count(&overall_of(team.actor("member"), &team, body(Value::Null)).await), 0);
        // Another team's app does not count, and another team's owner does not get in.
        let foreign = json!([other.app_id]);
        assert_eq!(count(&overall_of(owner, &team, body(foreign)).await), 0);
        assert_eq!(ask(other.actor("owner"), &team, body(Value::Null)).await.status, 404);
        // An archived app counts only when it is named.
        owner.post(&format!("/api/v1/apps/{}/archive", ids[1]), json!({})).await;
        assert_eq!(count(&overall_of(owner, &team, body(Value::Null)).await), first);
        assert_eq!(count(&overall_of(owner, &team, body(json!(ids))).await), all);
    }
}

in_either_size! {
    async fn a_query_is_checked(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        let body = |granularity: &str| json!({ "start": "2026-01-01", "end": "2026-03-31",
            "granularity": granularity, "timezone": "UTC" });
        let refused = ask(owner, &team, body("hour")).await;
        assert_eq!((refused.status, refused.code()), (422, "too_many_buckets"));
        assert_eq!(ask(owner, &team, body("minute")).await.status, 422);
        let mut backwards = body("day");
        backwards["end"] = json!("2025-12-31");
        assert_eq!(ask(owner, &team, backwards).await.status, 422);
        // Ranges in the future are zero, which is an answer too.
        let ahead = json!({ "start": "2090-01-01", "end": "2090-01-31", "timezone": "UTC" });
        server.atrium.warehouse.ready(Duration::from_secs(60)).await.unwrap();
        let found = overall_of(owner, &team, ahead).await;
        let series = found["series"].as_array().unwrap();
        assert_eq!(series.len(), 31);
        assert!(series.iter().all(|point| point["events"].is_null() && point["partial"] == false));
        assert_eq!(values(&found["totals"], "value"), [0; 6]);
    }
}

in_either_size! {
    async fn a_table_leaves_with_those_who_may_export(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let mut trap = event(&server, "=cmd()");
        trap["data"]["os"] = json!("鸿蒙");
        assert_eq!(server.collect(&key, json!([trap])).await.status, 200);
        crate::ingest::drain(&server).await;
        let today = jiff::Timestamp::from_millisecond(server.atrium.now().0).unwrap();
        let today = today.to_zoned(TimeZone::UTC).date().to_string();
        let body = |table: &str| json!({ "start": today, "end": today, "timezone": "UTC",
            "table": table });
        let path = format!("/api/v1/orgs/{}/data-overall/export", team.org_id);
        for table in ["series", "apps", "top_events", "os", "browser", "device_type", "language", "ingest"] {
            let file = team.actor("analyst").post(&path, body(table)).await;
            assert_eq!(file.status, 200, "{table} {file:?}");
            assert!(file.header("content-type").starts_with("text/csv"), "{table}");
            let lines = file.body.as_str().unwrap().lines().count();
            assert!(lines >= 2, "{table} {file:?}");
        }
        let file = team.actor("analyst").post(&path, body("top_events")).await;
        assert!(file.body.as_str().unwrap().contains("'=cmd()"), "no formula: {file:?}");
        let overall = overall_of(team.actor("viewer"), &team, json!({ "start": today, "end": today })).await;
        assert_eq!(overall["can_export"], false);
        let refused = team.actor("viewer").post(&path, body("apps")).await;
        assert_eq!((refused.status, refused.code()), (403, "forbidden"));
        let log = team.actor("owner").get(
            &format!("/api/v1/orgs/{}/audit-logs?action=data.exported", team.org_id)
        ).await;
        assert_eq!(log.body["data"]["total"], 9, "one for each file, none for the refusal");
    }
}

on_both! {
    async fn an_app_with_a_broken_id_is_not_left_out_of_the_sum(server: TestServer) {
        let team = server.team("one").await;
        server.run("INSERT INTO apps (id, org_id, name, description, region, timezone, created_at)
                    VALUES ('broken', $1, 'broken', '', 'local', 'UTC', 1)", &[team.org_id.as_str()]).await;
        let body = json!({ "start": "2026-01-01", "end": "2026-01-01", "timezone": "UTC" });
        let answer = ask(team.actor("owner"), &team, body).await;
        assert_eq!((answer.status, answer.code()), (500, "internal"), "{answer:?}");
    }
}
