//! The stories in the sample shops, found as an analyst would find them: through the API, and with the
//! analyses that the demo saves.

use crate::support::{Actor, TestServer};
use atrium::demo::Report;
use serde_json::{Value, json};

/// One of the two shops, with its owner as the caller.
struct Shop<'a> {
    owner: &'a Actor,
    app: &'a str,
    zone: &'a str,
    now: i64,
}

pub async fn can_be_found(server: &TestServer, report: &Report) {
    let owner = server.anonymous();
    owner.login(&report.people[0].email, &report.password).await;
    let apps: Vec<_> = report.teams.iter().flat_map(|team| &team.apps).collect();
    for (place, browser, coupons) in [(0, "WeChat", "douyin"), (3, "Safari", "tiktok")] {
        let (app, zone, now) = (apps[place].id.as_str(), apps[place].timezone, server.atrium.now());
        let shop = Shop { owner: &owner, app, zone, now: now.0 };
        shop.payments_fail_in(browser).await;
        shop.a_release_keeps_people_away().await;
        shop.few_stay_who_came_from(coupons).await;
        shop.visitors_become_users().await;
        shop.there_is_revenue(place == 0).await;
        assert_eq!(shop.kept_analyses_can_be_asked().await, 8);
        shop.cohorts_have_people().await;
    }
    let (app, zone, now) = (apps[5].id.as_str(), apps[5].timezone, server.atrium.now().0);
    assert_eq!(Shop { owner: &owner, app, zone, now }.kept_analyses_can_be_asked().await, 1);
}

impl Shop<'_> {
    fn date(&self, back: i64) -> String {
        let today = jiff::Timestamp::from_millisecond(self.now).unwrap();
        let today = today.in_tz(self.zone).unwrap().date();
        today.checked_sub(jiff::Span::new().days(back)).unwrap().to_string()
    }

    /// Asks about the last `days` days, including today.
    async fn ask(&self, days: i64, mut question: Value) -> Value {
        question["start"] = json!(self.date(days - 1));
        question["end"] = json!(self.date(0));
        let path = format!("/api/v1/apps/{}/analyses/run", self.app);
        let answer = self.owner.post(&path, question.clone()).await;
        assert_eq!(answer.status, 200, "{question} {answer:?}");
        answer.body["data"].clone()
    }

    /// One step loses far more people than the others, nearly all of them in one browser.
    async fn payments_fail_in(&self, browser: &str) {
        let steps = ["add_to_cart", "checkout", "purchase"].map(|name| json!({ "events": [name] }));
        let question = json!({
            "kind": "funnel", "steps": steps, "window_minutes": 1440, "breakdown": ["$browser"],
        });
        let found = self.ask(90, question).await;
        let lost = |steps: &Value, step: usize| 1.0 - number(&steps[step]["from_previous"]);
        let all = &found["steps"];
        assert!(lost(all, 2) > 1.3 * lost(all, 1), "{all}");
        for group in large(&found, |group| number(&group["steps"][1]["people"]) >= 20.0) {
            let lost = lost(&group["steps"], 2);
            let is_broken = group["values"][0] == browser;
            assert!(if is_broken { lost > 0.7 } else { lost < 0.5 }, "{group}");
        }
        let broken = found["groups"].as_array().unwrap().iter();
        assert!(broken.map(|group| &group["values"][0]).any(|name| name == browser), "{found}");
    }

    /// Retention in the following week, by the version that people started with: the worst version has much
    /// better ones before and after it.
    async fn a_release_keeps_people_away(&self) {
        let question = json!({
            "kind": "retention", "first": { "events": [] }, "first_ever": true,
            "returning": { "events": [] }, "unit": "week", "units": 1,
            "breakdown": ["$client_version"],
        });
        let found = self.ask(90, question).await;
        let mut versions: Vec<_> =
            large(&found, |group| size(group) >= 40.0 && !group["average"][1].is_null())
                .map(|group| (minor(&group["values"][0]), number(&group["average"][1])))
                .collect();
        versions.sort_by_key(|(minor, _)| *minor);
        let worst = (0..versions.len()).min_by(|a, b| versions[*a].1.total_cmp(&versions[*b].1));
        let worst = worst.unwrap();
        assert!(worst > 0 && worst + 1 < versions.len(), "{versions:?}");
        for near in [worst - 1, worst + 1] {
            assert!(versions[worst].1 < 0.8 * versions[near].1, "{versions:?}");
        }
    }

    async fn few_stay_who_came_from(&self, coupons: &str) {
        let question = json!({
            "kind": "retention", "first": { "events": ["page_view"] }, "first_ever": true,
            "returning": { "events": [] }, "unit": "day", "units": 7,
            "breakdown": ["utm_source"],
        });
        let found = self.ask(90, question).await;
        let groups: Vec<_> = large(&found, |group| size(group) >= 40.0)
            .map(|group| (&group["values"][0], size(group), number(&group["average"][1])))
            .collect();
        let is_lured = |group: &&(&Value, f64, f64)| group.0 == coupons;
        let (_, lured, back) = groups.iter().find(is_lured).unwrap();
        assert!(groups.len() >= 3, "{groups:?}");
        for (_, _, others_back) in groups.iter().filter(|group| !is_lured(group)) {
            assert!(*back < 0.7 * others_back, "{groups:?}");
        }
        // And there are many of them.
        let all: f64 = groups.iter().map(|(_, size, _)| size).sum();
        assert!(*lured > 0.1 * all, "{groups:?}");
    }

    /// What people did before they signed in, some of it on an earlier day, belongs to them.
    async fn visitors_become_users(&self) {
        let anonymous = json!([{ "property": "$user_id", "operator": "not_set", "values": [] }]);
        let steps = json!([
            { "events": ["view_item"], "filters": { "all": anonymous } },
            { "events": ["sign_up"] },
        ]);
        let within =
            |minutes: i64| json!({ "kind": "funnel", "steps": steps, "window_minutes": minutes });
        let people = |found: &Value, step: usize| number(&found["steps"][step]["people"]);
        let (soon, later) = (self.ask(90, within(60)).await, self.ask(90, within(43_200)).await);
        assert!(people(&soon, 1) > 20.0, "{soon}");
        assert!(people(&later, 1) > people(&soon, 1), "{soon} {later}");
        assert!(people(&later, 1) < 0.6 * people(&later, 0), "{later}");
    }

    /// Sales outweigh refunds. With `on_weekends`, an average weekend day sells more than a weekday: people
    /// have time to buy then.
    async fn there_is_revenue(&self, on_weekends: bool) {
        let series = ["purchase", "refund"].map(
            |name| json!({ "events": [name], "measure": { "of": "sum", "property": "amount" } }),
        );
        let question = json!({ "kind": "trend", "series": series, "formula": "A - B" });
        let found = self.ask(84, question).await;
        let [sold, given_back] = [0, 1].map(|place| number(&found["series"][place]["total"]));
        assert!(given_back > 0.0 && given_back < 0.2 * sold, "{sold} {given_back}");
        assert!((number(&found["formula"]["total"]) - (sold - given_back)).abs() < 0.01);
        let (mut weekend, mut working) = (0.0, 0.0);
        let times = found["times"].as_array().unwrap().iter();
        for (time, point) in times.zip(found["series"][0]["points"].as_array().unwrap()) {
            let day = jiff::Timestamp::from_millisecond(time.as_i64().unwrap()).unwrap();
            match day.in_tz(self.zone).unwrap().weekday().to_monday_one_offset() {
                6 | 7 => weekend += number(point),
                _ => working += number(point),
            }
        }
        if on_weekends {
            assert!(weekend / 2.0 > 1.05 * working / 5.0, "{weekend} {working}");
        }
    }

    /// Runs the saved analyses as the console does, with dates in place of their range.
    async fn kept_analyses_can_be_asked(&self) -> usize {
        let kept = self.owner.get(&format!("/api/v1/apps/{}/analyses", self.app)).await;
        let kept = kept.body["data"]["items"].as_array().unwrap().clone();
        for analysis in &kept {
            assert_eq!((&analysis["shared"], &analysis["redacted"]), (&json!(true), &json!(false)));
            let mut question = analysis["question"].clone();
            let range = question.as_object_mut().unwrap().remove("range").unwrap();
            let days = range.as_str().unwrap().strip_suffix('d').unwrap().parse().unwrap();
            let found = self.ask(days, question).await;
            assert_eq!(found["kind"], analysis["kind"]);
            let somebody = ["series", "steps", "cohorts", "links", "bins", "points", "buckets"]
                .iter()
                .any(|name| found[*name].as_array().is_some_and(|list| !list.is_empty()));
            assert!(somebody, "{} {found}", analysis["name"]);
        }
        kept.len()
    }

    async fn cohorts_have_people(&self) {
        let kept = self.owner.get(&format!("/api/v1/apps/{}/cohorts", self.app)).await;
        let kept = kept.body["data"]["items"].as_array().unwrap().clone();
        assert_eq!(kept.len(), 3);
        for cohort in kept {
            let property = format!("$cohort:{}", cohort["id"].as_str().unwrap());
            let filters =
                json!({ "all": [{ "property": property, "operator": "is", "values": [] }] });
            let series = json!([{ "events": [], "measure": { "of": "people" } }]);
            let question = json!({ "kind": "trend", "series": series, "filters": filters });
            let found = self.ask(30, question).await;
            assert!(number(&found["series"][0]["total"]) > 0.0, "{cohort}");
        }
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

/// Groups of few people scatter too much to say anything.
fn large(found: &Value, is_large: impl Fn(&Value) -> bool) -> impl Iterator<Item = &Value> {
    let groups = found["groups"].as_array().unwrap().iter();
    groups.filter(move |group| group["other"] == false && is_large(group))
}

fn size(group: &Value) -> f64 {
    group["cohorts"].as_array().unwrap().iter().map(|cohort| number(&cohort["size"])).sum()
}

/// The 4 in 5.4.0.
fn minor(version: &Value) -> u32 {
    version.as_str().unwrap().split('.').nth(1).unwrap().parse().unwrap()
}
