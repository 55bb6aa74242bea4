//! The team next door: it sends an event now and then, waits until the event is visible, and looks at its
//! dashboard.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::instance::{Instance, Member};
use crate::support::sender::event_at;

const DAY: i64 = 24 * 60 * 60 * 1_000;
/// Days of history, and events on each day.
const DAYS: i64 = 60;
const EVENTS_A_DAY: i64 = 300;
/// Dashboards opened for each event.
const DASHBOARDS: usize = 3;
/// Apps that nobody has asked about yet, because the server keeps its answers.
const APPS: usize = 150;
const GIVE_UP: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(100);

pub struct Victim {
    member: Member,
    sent: u64,
    /// Apps whose dashboard was not opened yet.
    unseen: Vec<Value>,
}

#[derive(Debug)]
pub struct Experience {
    /// The longest time from an event's acceptance to its appearance on the dashboard.
    pub visible_max: Duration,
    /// The median time of a dashboard.
    pub dashboard: Duration,
    #[expect(dead_code, reason = "it is printed")]
    pub dashboards: usize,
    pub refused: u32,
}

fn now() -> i64 {
    i64::try_from(std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap()
}

fn date(days_ago: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(now() - days_ago * DAY).unwrap();
    at.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

impl Victim {
    pub async fn of(instance: &Instance) -> Self {
        Self {
            member: instance.member("owner@quiet.test", [127, 0, 0, 2]).await,
            sent: 0,
            unseen: Vec::new(),
        }
    }

    /// Two months of history.
    pub async fn fill(&mut self) {
        self.send_history(&self.member.collect_key.clone(), EVENTS_A_DAY).await;
        for number in 0..APPS {
            let (app, collect_key) = self.member.create_app(&format!("App {number}")).await;
            self.send_history(&collect_key, EVENTS_A_DAY / 60).await;
            self.unseen.push(json!(app));
        }
        self.until_visible().await;
    }

    async fn send_history(&mut self, collect_key: &str, events_a_day: i64) {
        let step = DAY / events_a_day;
        let events = (0..DAYS * events_a_day).map(|at| {
            let mut event = event_at(now() - at * step, "page_view");
            event["data"]["device_id"] = json!(format!("device-{}", at % 50));
            event["data"]["user_id"] = json!(format!("user-{}", at % 40));
            event
        });
        for part in events.collect::<Vec<_>>().chunks(1_000) {
            assert!(self.send_to(collect_key, part).await);
        }
    }

    /// Uses the product for a while.
    pub async fn watch(&mut self, lasting: Duration) -> Experience {
        let (mut visible_max, mut times, mut refused) = (Duration::ZERO, Vec::new(), 0);
        let started = Instant::now();
        while started.elapsed() < lasting {
            let sent = Instant::now();
            let collect_key = self.member.collect_key.clone();
            if !self.send_to(&collect_key, &[event_at(now(), "signup")]).await {
                refused += 1;
            }
            // Opens dashboards while the event is on its way.
            for _ in 0..DASHBOARDS {
                match self.dashboard().await {
                    Some(time) => times.push(time),
                    None => refused += 1,
                }
            }
            self.until_visible().await;
            visible_max = visible_max.max(sent.elapsed());
        }
        times.sort_unstable();
        let dashboard = times.get(times.len() / 2).copied().unwrap_or(GIVE_UP);
        Experience { visible_max, dashboard, dashboards: times.len(), refused }
    }

    async fn send_to(&mut self, collect_key: &str, events: &[Value]) -> bool {
        let body = json!({ "app_key": collect_key, "messages": events });
        let request = self.member.client.post(format!("{}/v1/collect", self.member.url));
        let taken = request.json(&body).send().await.is_ok_and(|it| it.status() == 200);
        self.sent += if taken { events.len() as u64 } else { 0 };
        taken
    }

    async fn overall(&self, body: &Value) -> Option<Value> {
        let url = format!("{}/api/v1/orgs/{}/data-overall", self.member.url, self.member.org);
        let answer = self.member.client.post(url).json(body).send().await.ok()?;
        match answer.status().as_u16() {
            200 => answer.json().await.ok(),
            _ => None,
        }
    }

    async fn until_visible(&self) {
        let started = Instant::now();
        while self.events().await != Some(self.sent) {
            assert!(started.elapsed() < GIVE_UP, "{:?} of {}", self.events().await, self.sent);
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The number of all events, according to the dashboard.
    async fn events(&self) -> Option<u64> {
        let body = json!({ "start": date(DAYS + 2), "end": date(0), "granularity": "month",
            "parts": ["totals"], "timezone": "UTC" });
        self.overall(&body).await?["data"]["totals"]["events"]["value"].as_u64()
    }

    /// Opens a whole dashboard of an app that nobody has looked at.
    async fn dashboard(&mut self) -> Option<Duration> {
        let app = self.unseen.pop().expect("an app that was not looked at");
        let body = json!({ "start": date(30), "end": date(0), "granularity": "day",
            "compare": "previous_period", "timezone": "UTC", "app_ids": [app] });
        let started = Instant::now();
        self.overall(&body).await?;
        Some(started.elapsed())
    }

    /// Every event is there, once, whatever happened next door.
    pub async fn counts_exactly(&self) {
        assert_eq!(self.events().await, Some(self.sent));
    }
}
