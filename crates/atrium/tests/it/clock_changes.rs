//! Analyses across clock changes: days of 23, 23½ and 25 hours, compared with plain counting by the calendar.
//! Where the boundaries lie is tested here; how the figures use them is tested where they are computed
//! (crates/warehouse/tests).

use std::collections::BTreeSet;

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

use crate::analyses::{DAY, HOUR, MINUTE, answer};
use crate::ingest::drain;
use crate::so_far::set_clock;
use crate::support::sender::event_at;
use crate::support::{TestServer, in_either_size};

/// Who did something, and when.
struct Seen {
    at: i64,
    who: String,
}

/// Events of the ten days around a clock change, by people who come on some days and not on others.
fn seen_around(changed: Date) -> Vec<Seen> {
    let noon = changed.at(12, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp();
    let times = (0..).map(|place| noon.as_millisecond() - 5 * DAY + place * 17 * MINUTE);
    let times = times.take_while(|at| *at < noon.as_millisecond() + 5 * DAY);
    let who = |(place, at): (usize, i64)| {
        let who = (place / 40 * 7 + place % 11 + place * place % 5) % 61;
        Seen { at, who: format!("device {who}") }
    };
    times.enumerate().map(who).collect()
}

struct Calendar {
    zone: TimeZone,
    seen: Vec<Seen>,
}

impl Calendar {
    fn start(&self, day: Date) -> i64 {
        day.to_zoned(self.zone.clone()).unwrap().timestamp().as_millisecond()
    }

    fn day_of(&self, at: i64) -> Date {
        Timestamp::from_millisecond(at).unwrap().to_zoned(self.zone.clone()).date()
    }

    fn on(&self, day: Date) -> impl Iterator<Item = &Seen> {
        self.seen.iter().filter(move |seen| self.day_of(seen.at) == day)
    }

    fn people(&self, day: Date) -> BTreeSet<&str> {
        self.on(day).map(|seen| seen.who.as_str()).collect()
    }

    fn were_here_before(&self, day: Date) -> BTreeSet<&str> {
        let before = self.seen.iter().filter(|seen| self.day_of(seen.at) < day);
        before.map(|seen| seen.who.as_str()).collect()
    }

    fn lifecycle(&self, day: Date) -> Value {
        let (now, before) = (self.people(day), self.people(day.yesterday().unwrap()));
        let ever = self.were_here_before(day);
        json!({
            "time": self.start(day),
            "new": now.difference(&ever).count(),
            "returning": now.intersection(&before).count(),
            "resurrected": now.difference(&before).filter(|who| ever.contains(*who)).count(),
            "dormant": before.difference(&now).count(),
        })
    }

    fn cohort(&self, day: Date, units: i64) -> Value {
        let own = self.people(day);
        let back = |unit: i64| own.intersection(&self.people(day + unit.days())).count();
        let returned: Vec<usize> = (0..=units).map(back).collect();
        json!({ "start": self.start(day), "size": own.len(), "returned": returned })
    }
}

in_either_size! {
    async fn days_are_those_of_the_zone(server: TestServer) {
        for (name, changed, minutes) in [
            ("Australia/Sydney", date(2026, 10, 4), 23 * 60),
            ("Australia/Lord_Howe", date(2026, 10, 4), 23 * 60 + 30),
            ("Europe/Berlin", date(2026, 10, 25), 25 * 60),
        ] {
            let zone = TimeZone::get(name).unwrap();
            set_clock(&server, changed + 6.days(), (10, 0), &zone);
            let team = server.team(&minutes.to_string()).await;
            let (owner, app) = (team.actor("owner"), team.app_id.as_str());
            let key = server.collect_key(app).await;
            let calendar = Calendar { zone, seen: seen_around(changed) };
            let messages = calendar.seen.iter().map(|seen| {
                let mut message = event_at(seen.at, name);
                message["data"]["user_id"] = json!("");
                message["data"]["device_id"] = json!(seen.who);
                message
            });
            let messages: Vec<Value> = messages.collect();
            for some in messages.chunks(100) {
                let taken = server.collect(&key, json!(some)).await;
                assert_eq!(taken.body["data"]["accepted"], some.len(), "{taken:?}");
            }
            drain(&server).await;

            let days: Vec<Date> = (-3..=3).map(|offset: i64| changed + offset.days()).collect();
            let ask = async |kind: &str, days: &[Date], more: Value| {
                let mut question = json!({
                    "kind": kind, "timezone": name,
                    "start": days[0].to_string(), "end": days.last().unwrap().to_string(),
                });
                question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                answer(owner, app, question).await
            };
            let of = |measure: &str| json!({ "events": [name], "measure": { "of": measure } });
            let series = json!([of("events"), of("people")]);
            let found = ask("trend", &days, json!({ "series": series, "granularity": "day" })).await;
            let starts: Vec<i64> = days.iter().map(|day| calendar.start(*day)).collect();
            assert_eq!(found["times"], json!(starts), "{name}");
            let counts: Vec<f64> = days.iter().map(|day| calendar.on(*day).count() as f64).collect();
            assert_eq!(found["series"][0]["points"], json!(counts), "{name}");
            let people: Vec<f64> =
                days.iter().map(|day| calendar.people(*day).len() as f64).collect();
            assert_eq!(found["series"][1]["points"], json!(people), "{name}");

            // Every hour of the day of the change.
            let (start, end) = (calendar.start(changed), calendar.start(changed + 1.days()));
            assert_eq!(end - start, minutes * MINUTE);
            let found = ask("trend", &[changed], json!({ "series": series, "granularity": "hour" })).await;
            let hours: Vec<i64> = serde_json::from_value(found["times"].clone()).unwrap();
            assert_eq!((hours[0], hours.len() as i64), (start, (end - start + HOUR - 1) / HOUR), "{name}");
            let ends = hours.iter().copied().skip(1).chain([end]);
            let counts: Vec<f64> = hours.iter().zip(ends).map(|(from, to)| {
                calendar.seen.iter().filter(|seen| (*from..to).contains(&seen.at)).count() as f64
            }).collect();
            assert_eq!(found["series"][0]["points"], json!(counts), "{name}");
            assert_eq!(found["series"][0]["total"], json!(calendar.on(changed).count() as f64));

            let event = json!({ "events": [name] });
            let more = json!({ "first": event, "returning": event, "unit": "day", "units": 2 });
            let found = ask("retention", &days, more).await;
            let cohorts: Vec<Value> = days.iter().map(|day| calendar.cohort(*day, 2)).collect();
            assert_eq!(found["cohorts"], json!(cohorts), "{name}");

            let found = ask("lifecycle", &days, json!({ "event": event, "granularity": "day" })).await;
            let points: Vec<Value> = days.iter().map(|day| calendar.lifecycle(*day)).collect();
            assert_eq!(found["points"], json!(points), "{name}");
        }
    }
}
