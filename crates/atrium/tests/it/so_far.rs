//! Figures of unfinished ranges, at several times of the day, compared with plain counting. The store holds
//! events from the future throughout.

use jiff::civil::{Date, DateTime, date};
use jiff::tz::TimeZone;
use reqwest::Method;
use serde_json::{Value, json};

use crate::overall::{FIGURES, Plain, Seen, events_from, store, two_apps};
use crate::support::world::Team;
use crate::support::{Actor, TestServer, in_either_size};

const QUARTER: i64 = 900_000;
const TIMES: [(i8, i8); 3] = [(0, 10), (10, 0), (23, 50)];

/// Sets the clock to a time of day in a zone.
pub fn set_clock(server: &TestServer, day: Date, (hour, minute): (i8, i8), zone: &TimeZone) -> i64 {
    let at = day.at(hour, minute, 0, 0).to_zoned(zone.clone()).unwrap();
    let at = at.timestamp().as_millisecond();
    server.clock.advance(at - server.atrium.now().0);
    at
}

fn plus(date: Date, days: i64) -> Date {
    date.checked_add(jiff::Span::new().days(days)).unwrap()
}

async fn overall(actor: &Actor, team: &Team, body: &Value) -> Value {
    let path = format!("/api/v1/orgs/{}/data-overall", team.org_id);
    let answer = actor.post(&path, body.clone()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"].clone()
}

/// The answer to a program with the first app's key.
async fn overall_by_key(server: &TestServer, team: &Team, body: &Value) -> Value {
    let program = server.anonymous();
    let path = format!("/api/v1/orgs/{}/data-overall", team.org_id);
    let request = program.request(Method::POST, &path).json(body);
    let answer = program.send(request.bearer_auth(format!("qk_{}", team.app_id))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"].clone()
}

fn figures(totals: &Value, field: &str) -> [Option<u64>; 6] {
    FIGURES.map(|figure| totals[figure][field].as_u64())
}

/// The days of a range, and the time of the question.
struct Case<'a> {
    plain: Plain<'a>,
    start: Date,
    end: Date,
    now: i64,
}

impl Case<'_> {
    fn days(&self) -> i64 {
        i64::from(self.start.until(self.end).unwrap().get_days()) + 1
    }

    /// Whether an event falls into the range up to the end of the current quarter of an hour.
    fn so_far(&self, time_ms: i64) -> bool {
        let counted = (self.now / QUARTER + 1) * QUARTER;
        (self.start..=self.end).contains(&self.plain.clock(time_ms).date()) && time_ms < counted
    }

    /// The local time at which the last whole quarter of an hour ended.
    fn cut(&self) -> DateTime {
        self.plain.clock(self.now / QUARTER * QUARTER)
    }

    fn compared(&self, time_ms: i64) -> bool {
        let shown = self.plain.clock(time_ms);
        shown.date() >= self.start && shown < self.cut()
    }

    /// Whether an event falls into the compared range: this many days earlier, up to the same local time.
    fn before(&self, time_ms: i64) -> bool {
        let shown = self.plain.clock(time_ms);
        let cut = self.cut().checked_sub(jiff::Span::new().days(self.days())).unwrap();
        shown.date() >= plus(self.start, -self.days()) && shown < cut
    }

    fn check_totals(&self, totals: &Value, app: Option<usize>, what: &str) {
        let some = |counts: [u64; 6]| counts.map(Some);
        let so_far = self.plain.totals_of(|at| self.so_far(at), app);
        assert_eq!(figures(totals, "value"), some(so_far), "{what}");
        let nothing_is_over = self.cut() <= self.start.at(0, 0, 0, 0);
        if nothing_is_over {
            assert_eq!(figures(totals, "previous"), [None; 6], "{what}");
            assert_eq!(figures(totals, "compared"), [None; 6], "{what}");
            assert!(FIGURES.iter().all(|figure| totals[figure]["change"].is_null()), "{what}");
            return;
        }
        let compared = self.plain.totals_of(|at| self.compared(at), app);
        assert_eq!(figures(totals, "compared"), some(compared), "{what}");
        let before = self.plain.totals_of(|at| self.before(at), app);
        assert_eq!(figures(totals, "previous"), some(before), "{what}");
        for (place, figure) in FIGURES.iter().enumerate() {
            let (now, before) = (compared[place] as f64, before[place] as f64);
            let change = (before > 0.0).then(|| (now - before) / before);
            let near = |found: f64| (found - change.unwrap_or(f64::NAN)).abs() < 1e-9;
            let found = totals[figure]["change"].as_f64();
            assert!(found.map_or(change.is_none(), near), "{what} {figure}: {found:?} {change:?}");
        }
    }

    fn check_series(&self, found: &Value, what: &str) {
        let series = found["series"].as_array().unwrap();
        let time = |point: &Value| point["time"].as_i64().unwrap();
        let partial: Vec<i64> =
            series.iter().filter(|point| point["partial"] == true).map(time).collect();
        let begun = series.iter().filter(|point| time(point) <= self.now).map(time).max();
        assert_eq!(partial, Vec::from_iter(begun), "{what}");
        let mut events = 0;
        for (place, point) in series.iter().enumerate() {
            if time(point) > self.now {
                assert!(FIGURES.iter().all(|figure| point[figure].is_null()), "{what} {point}");
            } else {
                events += point["events"].as_u64().unwrap();
            }
            // The compared bucket of the previous range is counted whole.
            let Some(until) = series.get(place + 1).map(|next| &next["previous"]["time"]) else {
                continue;
            };
            if let (Some(from), Some(until)) = (point["previous"]["time"].as_i64(), until.as_i64())
            {
                let inside = |seen: &&Seen| (from..until).contains(&seen.time_ms);
                let whole = self.plain.events.iter().filter(inside).count() as u64;
                assert_eq!(point["previous"]["events"].as_u64(), Some(whole), "{what} {point}");
            }
        }
        let so_far = self.plain.totals_of(|at| self.so_far(at), None);
        assert_eq!(events, so_far[0], "{what}");
    }
}

/// Asks about today, this week and this month at several times of these days, and compares every figure.
async fn check_days(server: &TestServer, team: &Team, events: &[Seen], days: &[(&str, Date)]) {
    for (name, day) in days {
        let zone = TimeZone::get(name).unwrap();
        for time in TIMES {
            let now = set_clock(server, *day, time, &zone);
            for (start, end, granularity) in [
                (*day, *day, "hour"),
                (plus(*day, -2), *day, "day"),
                // A range that continues for days after today.
                (plus(*day, -1), plus(*day, 3), "day"),
            ] {
                let what = format!("{name} {start} to {end} at {time:?}");
                let plain = Plain { events, zone: zone.clone() };
                let case = Case { plain, start, end, now };
                let body = json!({ "start": start.to_string(), "end": end.to_string(),
                    "timezone": name, "granularity": granularity, "compare": "previous_period" });
                let found = overall(team.actor("owner"), team, &body).await;
                assert_eq!(found["range"]["partial"], true, "{what}");
                case.check_totals(&found["totals"], None, &what);
                case.check_series(&found, &what);
                let apps = found["apps"].as_array().unwrap();
                let first = apps.iter().find(|app| app["id"] == team.app_id.as_str()).unwrap();
                case.check_totals(first, Some(0), &what);
                let found = overall_by_key(server, team, &body).await;
                case.check_totals(&found["totals"], Some(0), &format!("{what}, to a key"));
            }
        }
    }
}

in_either_size! {
    async fn a_range_that_goes_on_is_compared_with_as_much_of_the_one_before(server: TestServer) {
        let york = TimeZone::get("America/New_York").unwrap();
        set_clock(&server, date(2026, 3, 7), (12, 0), &york);
        let team = server.team("one").await;
        let (_, apps) = two_apps(&team).await;
        let events = events_from("2026-03-02T00:00:00Z", 33, 6_000);
        store(&server, &apps, &events).await;
        // Clocks go forward on 8 March in New York and on 29 March in Berlin.
        check_days(&server, &team, &events, &[
            ("America/New_York", date(2026, 3, 8)),
            ("America/New_York", date(2026, 3, 9)),
            ("Asia/Shanghai", date(2026, 3, 18)),
            ("Europe/Berlin", date(2026, 3, 29)),
            ("Europe/Berlin", date(2026, 3, 30)),
        ]).await;
    }
}

in_either_size! {
    async fn a_day_of_25_hours_is_compared_by_the_clock(server: TestServer) {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        set_clock(&server, date(2026, 10, 24), (12, 0), &berlin);
        let team = server.team("one").await;
        let (_, apps) = two_apps(&team).await;
        let events = events_from("2026-10-18T00:00:00Z", 22, 5_000);
        store(&server, &apps, &events).await;
        // Clocks go back on 25 October in Berlin and on 1 November in New York.
        check_days(&server, &team, &events, &[
            ("Europe/Berlin", date(2026, 10, 25)),
            ("Europe/Berlin", date(2026, 10, 26)),
            ("Asia/Shanghai", date(2026, 10, 28)),
            ("America/New_York", date(2026, 11, 1)),
            ("America/New_York", date(2026, 11, 2)),
        ]).await;
    }
}

in_either_size! {
    async fn an_answer_kept_from_an_earlier_moment_is_not_reused_later(server: TestServer) {
        let (zone, day) = (TimeZone::get("Asia/Shanghai").unwrap(), date(2026, 3, 18));
        set_clock(&server, day, (10, 0), &zone);
        let team = server.team("one").await;
        let (_, apps) = two_apps(&team).await;
        let events = events_from("2026-03-16T00:00:00Z", 4, 3_000);
        store(&server, &apps, &events).await;
        let body = json!({ "start": day.to_string(), "end": day.to_string(),
            "timezone": "Asia/Shanghai", "compare": "previous_period" });
        let mut last = 0;
        // Nothing is loaded in between.
        for time in [(10, 0), (10, 14), (10, 16), (11, 0), (23, 59)] {
            let now = set_clock(&server, day, time, &zone);
            let found = overall(team.actor("owner"), &team, &body).await;
            let plain = Plain { events: &events, zone: zone.clone() };
            let case = Case { plain, start: day, end: day, now };
            case.check_totals(&found["totals"], None, &format!("{time:?}"));
            let until = found["range"]["compared_until"].as_i64().unwrap();
            assert_eq!(until, now / QUARTER * QUARTER);
            assert_eq!(found["range"]["previous"]["compared_until"], until - 86_400_000);
            let top = found["top_events"].as_array().unwrap().iter();
            let top: u64 = top.map(|event| event["events"].as_u64().unwrap()).sum();
            assert_eq!(Some(top), found["totals"]["events"]["value"].as_u64(), "{time:?}");
            assert!(until >= last);
            last = until;
        }
        // The range is over: whole compared with whole.
        set_clock(&server, plus(day, 1), (0, 0), &zone);
        let found = overall(team.actor("owner"), &team, &body).await;
        assert_eq!((&found["range"]["partial"], &found["series"][0]["partial"]), (&json!(false), &json!(false)));
        assert_eq!(found["totals"]["events"]["compared"], found["totals"]["events"]["value"]);
        assert_eq!(found["totals"]["events"]["previous"], found["series"][0]["previous"]["events"]);
    }
}

in_either_size! {
    async fn files_and_questions_say_nothing_of_what_lies_ahead(server: TestServer) {
        let (zone, day) = (TimeZone::get("Europe/Berlin").unwrap(), date(2026, 3, 29));
        let now = set_clock(&server, day, (10, 20), &zone);
        let team = server.team("one").await;
        let (_, apps) = two_apps(&team).await;
        let events = events_from("2026-03-28T00:00:00Z", 4, 3_000);
        store(&server, &apps, &events).await;
        let owner = team.actor("owner");
        let body = json!({ "start": day.to_string(), "end": day.to_string(),
            "timezone": "Europe/Berlin", "granularity": "hour", "table": "series" });
        let lines_of = async |path: &str, body: &Value| -> Vec<Vec<String>> {
            let request = owner.request(Method::POST, path).json(body).header("accept-language", "en-US");
            let file = owner.send(request).await;
            assert_eq!(file.status, 200, "{file:?}");
            let lines = file.body.as_str().unwrap().lines();
            lines.map(|line| line.split(',').map(str::to_owned).collect()).collect()
        };
        let path = format!("/api/v1/orgs/{}/data-overall/export", team.org_id);
        // A day of 23 hours: nine are over, the tenth is not.
        let lines = lines_of(&path, &body).await;
        assert_eq!(lines.len(), 24);
        assert_eq!(lines[0].last().unwrap(), "Note");
        for (hour, line) in lines[1..].iter().enumerate() {
            let (figures, note) = (&line[1..7], &line[7]);
            assert_eq!(figures.iter().all(String::is_empty), hour > 9, "{line:?}");
            assert_eq!(note == "so far", hour == 9, "{line:?}");
        }
        let app = team.app_id.as_str();
        let path = format!("/api/v1/apps/{app}/explore");
        let found = owner.post(&path, body.clone()).await.body["data"].clone();
        let points = found["groups"][0]["points"].as_array().unwrap();
        assert_eq!(points.len(), 23);
        assert!(points[..10].iter().all(Value::is_f64) && points[10..].iter().all(Value::is_null));
        assert_eq!(found["partial"], found["times"][9]);
        let from = found["times"][0].as_i64().unwrap();
        let counted = from..(now / QUARTER + 1) * QUARTER;
        let plain = Plain { events: &events, zone: zone.clone() };
        let first = plain.totals_of(|at| counted.contains(&at), Some(0));
        assert_eq!(found["total"].as_f64().unwrap() as u64, first[0]);
        let lines = lines_of(&format!("{path}/export"), &body).await;
        assert_eq!((lines[10][2].as_str(), lines[11][1].as_str(), lines.len()), ("so far", "", 24));
        // A range that lies in the future only is answered without asking the store.
        let ahead = json!({ "start": "2026-03-30", "end": "2026-04-02", "timezone": "Europe/Berlin" });
        let found = owner.post(&path, ahead).await.body["data"].clone();
        assert_eq!((&found["total"], &found["partial"]), (&json!(0.0), &Value::Null), "{found}");
        assert_eq!(found["groups"][0]["points"], json!([null, null, null, null]));
    }
}

in_either_size! {
    async fn people_are_those_of_the_last_whole_day(server: TestServer) {
        let york = TimeZone::get("America/New_York").unwrap();
        set_clock(&server, date(2026, 3, 7), (12, 0), &york);
        let team = server.team("one").await;
        let (_, apps) = two_apps(&team).await;
        let events = events_from("2026-02-24T00:00:00Z", 30, 4_000);
        store(&server, &apps, &events).await;
        for (name, day) in [
            ("America/New_York", date(2026, 3, 8)),
            ("Asia/Shanghai", date(2026, 3, 10)),
            ("Asia/Kolkata", date(2026, 3, 12)),
        ] {
            let zone = TimeZone::get(name).unwrap();
            for time in TIMES {
                let now = set_clock(&server, day, time, &zone);
                let plain = Plain { events: &events, zone: zone.clone() };
                let counted = (now / QUARTER + 1) * QUARTER;
                let people = |last: Date, days: i64| {
                    let inside = |at: i64| {
                        (plus(last, 1 - days)..=last).contains(&plain.clock(at).date()) && at < counted
                    };
                    plain.totals_of(inside, Some(0))[2]
                };
                let of = |date: Date| json!({ "date": date.to_string(), "dau": people(date, 1),
                    "wau": people(date, 7), "mau": people(date, 30) });
                let yesterday = plus(day, -1);
                for start in [day, plus(day, -5)] {
                    let path = format!(
                        "/api/v1/apps/{}/engagement?start={start}&end={}&timezone={name}",
                        team.app_id, plus(day, 2)
                    );
                    let found = team.actor("owner").get(&path).await.body["data"].clone();
                    assert_eq!(found["last_whole_day"], of(yesterday), "{name} {time:?} {start}");
                    assert_eq!(found["so_far"], of(day), "{name} {time:?} {start}");
                    let days = found["days"].as_array().unwrap();
                    assert_eq!(days[0]["date"], start.to_string());
                    let mut partial = days.iter().map(|day| day["partial"] == true);
                    assert_eq!(partial.clone().filter(|it| *it).count(), 1, "{found}");
                    assert_eq!(partial.next_back(), Some(true));
                    let first = start.min(yesterday);
                    let count = i64::from(first.until(day).unwrap().get_days());
                    let sum: u64 = (0..count).map(|at| people(plus(first, at), 1)).sum();
                    let stickiness = sum as f64 / count as f64 / people(yesterday, 30) as f64;
                    assert!((found["stickiness"].as_f64().unwrap() - stickiness).abs() < 1e-12);
                }
            }
        }
        // No further back than can be counted, and no nonsense.
        let path = |from: &str| {
            format!("/api/v1/apps/{}/engagement?start=2026-03-12&end=2026-03-12&cohorts_from={from}", team.app_id)
        };
        for (from, code) in [("2025-09-01", "out_of_range"), ("x", "bad_moment")] {
            let refused = team.actor("owner").get(&path(from)).await;
            assert_eq!((refused.status, refused.field()), (422, "cohorts_from"), "{code} {refused:?}");
        }
    }
}
