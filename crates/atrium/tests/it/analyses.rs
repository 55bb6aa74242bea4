//! Analyses through the API: what can be asked, by whom, and the form of the answer. That the figures are
//! correct is tested where they are computed (crates/warehouse/tests).

use crate::ingest::drain;
use crate::support::sender::{event_at, mutation};
use crate::support::{Actor, Answer, TestServer, in_either_size};
use serde_json::{Value, json};

pub const MINUTE: i64 = 60_000;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;

/// The clock stands at ten in the morning, two days after the first event.
pub struct Story {
    pub today: i64,
}

impl Story {
    pub fn date(&self, offset: i64) -> String {
        let at = jiff::Timestamp::from_millisecond(self.today + offset * DAY).unwrap();
        at.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
    }

    pub fn question(&self, kind: &str, more: Value) -> Value {
        let mut body = json!({ "kind": kind, "start": self.date(-2), "end": self.date(0) });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    }
}

fn of(at: i64, name: &str, user: &str, device: &str, amount: Option<f64>) -> Value {
    let mut message = event_at(at, name);
    message["data"]["user_id"] = json!(user);
    message["data"]["device_id"] = json!(device);
    message["data"]["properties"] = json!({ "amount": amount });
    message
}

/// Anna visits anonymously, signs up and buys twice. Ben takes two days to sign up. A third person only
/// visits.
pub async fn tell(server: &TestServer, app: &str) -> Story {
    let now = server.atrium.now().0;
    let today = (now / DAY + 1) * DAY;
    server.clock.advance(today + 10 * HOUR - now);
    let key = server.collect_key(app).await;
    let at = |day: i64, hour: i64, minute: i64| today + day * DAY + hour * HOUR + minute * MINUTE;
    let batch = json!([
        of(at(-2, 9, 0), "landing", "", "d1", None),
        of(at(-2, 9, 5), "signup", "anna", "d1", None),
        of(at(-2, 12, 0), "landing", "ben", "d2", None),
        of(at(-1, 9, 0), "landing", "", "d3", None),
        of(at(-1, 10, 0), "purchase", "anna", "d1", Some(20.0)),
        of(at(-1, 11, 0), "purchase", "ben", "d2", Some(5.5)),
        of(at(0, 9, 0), "landing", "anna", "d1", None),
        of(at(0, 9, 30), "purchase", "anna", "d1", Some(10.0)),
        of(at(0, 9, 40), "signup", "ben", "d2", None),
    ]);
    assert_eq!(server.collect(&key, batch).await.body["data"]["accepted"], 9);
    drain(server).await;
    Story { today }
}

pub fn events(name: &str) -> Value {
    json!({ "events": [name] })
}

pub fn series(name: &str, measure: Value) -> Value {
    json!({ "events": [name], "measure": measure })
}

pub async fn ask(actor: &Actor, app: &str, body: Value) -> Answer {
    actor.post(&format!("/api/v1/apps/{app}/analyses/run"), body).await
}

pub async fn answer(actor: &Actor, app: &str, body: Value) -> Value {
    let answer = ask(actor, app, body.clone()).await;
    assert_eq!(answer.status, 200, "{body} {answer:?}");
    answer.body["data"].clone()
}

/// The ids of the people behind a figure.
pub async fn people(actor: &Actor, app: &str, question: &Value, pick: Value) -> Vec<String> {
    let path = format!("/api/v1/apps/{app}/analyses/run/people");
    let answer = actor.post(&path, json!({ "question": question, "pick": pick })).await;
    assert_eq!(answer.status, 200, "{pick} {answer:?}");
    let data = &answer.body["data"];
    let items = data["items"].as_array().unwrap();
    assert_eq!(data["total"], items.len());
    let mut ids: Vec<String> =
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

in_either_size! {
    async fn trends_have_formulas_and_comparisons(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let story = tell(&server, app).await;
        let sum = series("purchase", json!({ "of": "sum", "property": "amount" }));
        let buyers = series("purchase", json!({ "of": "people" }));
        let question = story.question("trend", json!({
            "series": [sum, buyers], "formula": "A / B", "compare": "previous_period",
        }));
        let result = answer(owner, app, question).await;
        assert_eq!(result["kind"], "trend");
        assert_eq!(result["times"][2], story.today);
        assert_eq!(result["partial"], story.today);
        assert_eq!(result["series"][0]["total"], 35.5);
        assert_eq!(result["series"][0]["points"], json!([0.0, 25.5, 10.0]));
        assert_eq!(result["series"][1]["points"], json!([0.0, 2.0, 1.0]));
        assert_eq!(result["series"][1]["total"], 2.0);
        // Zero divided by zero is null.
        assert_eq!(result["formula"]["points"], json!([null, 12.75, 10.0]));
        assert_eq!(result["formula"]["total"], 17.75);
        assert_eq!(result["series"][0]["before"]["total"], 0.0);
        assert_eq!(result["series"][0]["before"]["comparable"], 35.5);
        assert_eq!(result["compared"], json!({ "start": story.date(-5), "end": story.date(-3) }));
        assert!(result["rows_read"].as_u64().unwrap() > 0, "{result}");

        // The largest groups of a sum are first. Under a formula over different measures, all series list
        // those with the most events, and then by name.
        for (formula, order) in [(None, ["20", "10", "5.5"]), (Some("A / B"), ["10", "20", "5.5"])] {
            let question = story.question("trend", json!({
                "series": [sum, buyers], "formula": formula, "breakdown": ["amount"],
            }));
            let result = answer(owner, app, question).await;
            let groups = result["series"][0]["groups"].as_array().unwrap();
            let values: Vec<&Value> = groups.iter().map(|group| &group["values"][0]).collect();
            assert_eq!(values, order, "{result}");
        }

        // Today up to ten o'clock is compared with yesterday up to ten o'clock.
        let one_day = |name: &str| json!({
            "start": story.date(0), "series": [series(name, json!({ "of": "events" }))],
            // What was saved at first is understood, too.
            "compare": "previous",
        });
        let result = answer(owner, app, story.question("trend", one_day("purchase"))).await;
        assert_eq!(result["series"][0]["before"], json!({ "total": 0.0, "points": [0.0], "comparable": 1.0 }));
        let result = answer(owner, app, story.question("trend", one_day("landing"))).await;
        assert_eq!(result["series"][0]["before"], json!({ "total": 1.0, "points": [1.0], "comparable": 1.0 }));

        let by_user = story.question("trend", json!({
            "series": [series("purchase", json!({ "of": "events" }))], "breakdown": ["$user_id"],
        }));
        let result = answer(owner, app, by_user.clone()).await;
        let groups = result["series"][0]["groups"].as_array().unwrap();
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[0], json!({ "values": ["anna"], "other": false, "redacted": [false],
            "total": 2.0, "points": [0.0, 1.0, 1.0] }));
        let pick = |time: Value, group: Value| json!({ "of": "trend", "series": 0, "time": time, "group": group });
        let anna = json!({ "values": ["anna"], "other": false, "redacted": [false] });
        assert_eq!(people(owner, app, &by_user, pick(json!(null), json!(null))).await, ["anna", "ben"]);
        assert_eq!(people(owner, app, &by_user, pick(json!(story.today), json!(null))).await, ["anna"]);
        assert_eq!(people(owner, app, &by_user, pick(json!(null), anna)).await, ["anna"]);

        let by_minute = story.question("trend", json!({
            "start": story.date(0), "granularity": "minute",
            "series": [series("landing", json!({ "of": "events" }))],
        }));
        let result = answer(owner, app, by_minute).await;
        assert_eq!(result["times"].as_array().unwrap().len(), 1_440);
        assert_eq!(result["series"][0]["points"][540], 1.0);
        assert_eq!(result["series"][0]["points"][601], json!(null));
    }
}

in_either_size! {
    async fn funnels_retention_and_the_others_are_answered(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let story = tell(&server, app).await;
        let funnel = story.question("funnel", json!({
            "steps": [events("landing"), events("signup"), events("purchase")],
            "window_minutes": 3 * 24 * 60,
        }));
        let result = answer(owner, app, funnel.clone()).await;
        let steps = result["steps"].as_array().unwrap();
        let counts: Vec<_> = steps.iter().map(|step| &step["people"]).collect();
        assert_eq!(json!(counts), json!([3, 2, 1]));
        assert_eq!(steps[1]["median_seconds"], 82_350.0);
        assert_eq!((&steps[2]["from_first"], &steps[2]["from_previous"]), (&json!(1.0 / 3.0), &json!(0.5)));
        assert_eq!(result["over_time"][0], json!({ "time": story.today - 2 * DAY, "began": 2, "converted": 1, "complete": false }));
        assert_eq!(result["spread"], json!([{ "from_seconds": 86_400, "to_seconds": 172_800, "people": 1 }]));
        let step = |step: usize, dropped: bool| json!({ "of": "funnel", "step": step, "dropped": dropped, "group": null });
        assert_eq!(people(owner, app, &funnel, step(0, false)).await, ["anna", "ben", "d3"]);
        assert_eq!(people(owner, app, &funnel, step(1, true)).await, ["d3"]);
        assert_eq!(people(owner, app, &funnel, step(2, true)).await, ["ben"]);

        let retention = story.question("retention", json!({
            "first": events("landing"), "returning": { "events": [] }, "unit": "day", "units": 2,
        }));
        let result = answer(owner, app, retention.clone()).await;
        assert_eq!(result["cohorts"], json!([
            { "start": story.today - 2 * DAY, "size": 2, "returned": [2, 2, null] },
            { "start": story.today - DAY, "size": 1, "returned": [1, null, null] },
            { "start": story.today, "size": 1, "returned": [null, null, null] },
        ]));
        assert_eq!(result["average"], json!([1.0, 1.0, null]));
        let cell = |unit: Value| json!({ "of": "retention", "cohort": story.today - 2 * DAY, "unit": unit, "group": null });
        assert_eq!(people(owner, app, &retention, cell(json!(1))).await, ["anna", "ben"]);
        assert_eq!(people(owner, app, &retention, cell(json!(null))).await, ["anna", "ben"]);

        let paths = story.question("paths", json!({ "from": events("landing"), "steps": 2 }));
        let result = answer(owner, app, paths.clone()).await;
        let node = |name: &str| json!({ "kind": "event", "name": name, "page": null });
        assert_eq!((&result["people"], &result["side"]), (&json!(3), &json!("from")));
        assert_eq!(result["links"].as_array().unwrap().len(), 2);
        let link = json!({ "of": "paths", "step": 1, "source": null, "target": node("purchase") });
        assert_eq!(people(owner, app, &paths, link).await, ["anna"]);

        let times = story.question("distribution", json!({ "event": events("purchase"), "of": "times" }));
        let result = answer(owner, app, times.clone()).await;
        assert_eq!(result["bins"][0], json!({ "from": 1.0, "to": 2.0, "people": 1, "events": 1 }));
        assert_eq!(result["bins"][1], json!({ "from": 2.0, "to": 3.0, "people": 1, "events": 2 }));
        assert_eq!(people(owner, app, &times, json!({ "of": "distribution", "bin": 1 })).await, ["anna"]);
        let amounts = story.question("distribution", json!({
            "event": events("purchase"), "of": { "property": "amount" }, "edges": [0, 10, 20],
        }));
        let result = answer(owner, app, amounts).await;
        let counts: Vec<_> = result["bins"].as_array().unwrap().iter().map(|bin| &bin["people"]).collect();
        assert_eq!(json!(counts), json!([1, 1, 1]));
        let free = story.question("distribution", json!({ "event": events("purchase"), "of": { "property": "amount" } }));
        let result = answer(owner, app, free).await;
        let sum: u64 = result["bins"].as_array().unwrap().iter().map(|bin| bin["events"].as_u64().unwrap()).sum();
        assert_eq!(sum, 3, "{result}");

        let lifecycle = story.question("lifecycle", json!({}));
        let result = answer(owner, app, lifecycle.clone()).await;
        assert_eq!(result["partial"], story.today);
        let point = |day: i64, new: u64, returning: u64, dormant: Value| json!({
            "time": story.today + day * DAY, "new": new, "returning": returning, "resurrected": 0,
            "dormant": dormant,
        });
        // At ten in the morning it is not known yet who stays away today.
        let expected = [point(-2, 2, 0, json!(0)), point(-1, 1, 2, json!(0)), point(0, 0, 2, json!(null))];
        assert_eq!(result["points"], json!(expected));
        let new = json!({ "of": "lifecycle", "time": story.today - DAY, "state": "new" });
        assert_eq!(people(owner, app, &lifecycle, new).await, ["d3"]);

        let path = format!("/api/v1/apps/{app}/analyses/run/export");
        for (kind, question, line) in [
            ("funnel", funnel, ",1,landing,3,1,,,"),
            ("retention", retention, "2,2,"),
            ("paths", paths, "1,landing,"),
        ] {
            let file = owner.post(&path, question).await;
            assert_eq!(file.status, 200, "{file:?}");
            assert!(file.header("content-disposition").contains(kind));
            assert!(file.body.as_str().unwrap().contains(line), "{}", file.body);
        }
    }
}

in_either_size! {
    async fn cohorts_and_profiles_choose_people(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        // Before the clock is advanced, while the sign-ins are still recent.
        let signer = server.access_key(owner, app).await;
        let story = tell(&server, app).await;
        let changes = json!([
            mutation(&server, "UserMutation", "set", "anna", json!({ "plan": "pro" })),
            mutation(&server, "DeviceMutation", "set", "d3", json!({ "model": "X1" })),
        ]);
        assert_eq!(server.collect_signed(&signer, changes).await.body["data"]["accepted"], 2);
        drain(&server).await;
        let counted = async |actor: &Actor, property: &str, operator: &str, values: Value| {
            let test = json!({ "property": property, "operator": operator, "values": values });
            let question = story.question("trend", json!({
                "series": [{ "events": [], "measure": { "of": "people" } }], "filters": { "all": [test] },
            }));
            let answer = ask(actor, app, question).await;
            match answer.status {
                200 => answer.body["data"]["series"][0]["total"].clone(),
                _ => json!(answer.code()),
            }
        };
        // Includes what anna's device did before she signed in.
        assert_eq!(counted(owner, "$user:plan", "is", json!(["pro"])).await, 1.0);
        assert_eq!(counted(owner, "$user:plan", "is_not", json!(["pro"])).await, 2.0);
        assert_eq!(counted(owner, "$user:plan", "not_set", json!([])).await, 2.0);
        assert_eq!(counted(owner, "$device:model", "set", json!([])).await, 1.0);
        assert_eq!(counted(owner, "$user:", "set", json!([])).await, "required");

        let make = async |actor: &Actor, shared: bool, definition: Value| {
            let body = json!({ "name": "Some", "shared": shared, "definition": definition });
            let made = actor.post(&format!("/api/v1/apps/{app}/cohorts"), body).await;
            assert_eq!(made.status, 200, "{made:?}");
            made.body["data"]["id"].as_str().unwrap().to_owned()
        };
        let members = async |actor: &Actor, id: &str| {
            let answer = actor.get(&format!("/api/v1/apps/{app}/cohorts/{id}/people")).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            let size = actor.get(&format!("/api/v1/apps/{app}/cohorts/{id}/size")).await;
            assert_eq!(size.body["data"]["people"], answer.body["data"]["total"]);
            let items = answer.body["data"]["items"].as_array().unwrap();
            let mut ids: Vec<String> = items.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect();
            ids.sort();
            ids
        };
        let did = |name: &str, not: bool, times: i64| json!({ "is": "did", "event": events(name), "not": not, "times": times, "days": 7 });
        let pro = json!({ "is": "profile", "property": "$user:plan", "operator": "is", "values": ["pro"] });
        let buyers = make(owner, true, json!({ "of": "rule", "all": [did("purchase", false, 1)] })).await;
        assert_eq!(members(owner, &buyers).await, ["anna", "ben"]);
        let often = make(owner, true, json!({ "of": "rule", "all": [did("purchase", false, 2)] })).await;
        assert_eq!(members(owner, &often).await, ["anna"]);
        let never = make(owner, true, json!({ "of": "rule", "all": [did("purchase", true, 1)] })).await;
        assert_eq!(members(owner, &never).await, ["d3"]);
        let either = make(owner, true, json!({ "of": "rule", "any": [did("purchase", true, 1), pro] })).await;
        assert_eq!(members(owner, &either).await, ["anna", "d3"]);
        // A device id leads to the device's owner.
        let listed = make(owner, true, json!({ "of": "ids", "ids": ["d1", "ben", "nobody"] })).await;
        assert_eq!(members(owner, &listed).await, ["anna", "ben"]);
        let question = story.question("funnel", json!({
            "steps": [events("landing"), events("signup")], "window_minutes": 60,
        }));
        let pick = json!({ "of": "funnel", "step": 1, "dropped": true, "group": null });
        let slow = make(owner, false, json!({ "of": "figure", "question": question, "pick": pick })).await;
        assert_eq!(members(owner, &slow).await, ["ben", "d3"]);

        let named = |id: &str| format!("$cohort:{id}");
        let by_cohort = story.question("trend", json!({
            "series": [{ "events": [], "measure": { "of": "people" } }, series("purchase", json!({ "of": "sum", "property": "amount" }))],
            "breakdown": [named(&buyers)],
        }));
        let file = owner.post(&format!("/api/v1/apps/{app}/analyses/run/export"), by_cohort).await;
        let heads = file.body.as_str().unwrap().lines().next().unwrap();
        for head in [
            "A · 任意事件 · 用户数", "A · 任意事件 · 用户数 · Some", "A · 任意事件 · 用户数 · 不在“Some”中",
            "B · purchase · 总和 (amount) · Some",
        ] {
            assert!(heads.split(',').any(|it| it == head), "{head} in {heads}");
        }
        assert_eq!(counted(owner, &named(&buyers), "is", json!([])).await, 2.0);
        assert_eq!(counted(owner, &named(&buyers), "is_not", json!([])).await, 1.0);
        assert_eq!(counted(owner, &named(&buyers), "gt", json!(["1"])).await, "wrong_type");
        // Another person's private cohort, another app's, and one that does not exist all get the same
        // answer.
        let developer = team.actor("developer");
        assert_eq!(counted(developer, &named(&slow), "is", json!([])).await, "unknown_cohort");
        assert_eq!(counted(owner, &named(app), "is", json!([])).await, "unknown_cohort");
        assert_eq!(counted(owner, "$cohort:x", "is", json!([])).await, "unknown_cohort");
        let hidden = developer.get(&format!("/api/v1/apps/{app}/cohorts/{slow}/people")).await;
        assert_eq!(hidden.status, 404);
        // A count over two listed ids tells a caller who knows those ids whom it is about.
        assert_eq!(counted(developer, &named(&listed), "is", json!([])).await, "personal_data");
        assert_eq!(counted(developer, &named(&buyers), "is", json!([])).await, 2.0);
        let names = members(developer, &buyers).await;
        assert!(names.iter().all(|name| name.starts_with("p_")), "{names:?}");
        // A cohort that refers to itself cannot be evaluated.
        let body = json!({ "name": "Some", "shared": true, "version": 1, "definition": {
            "of": "rule", "all": [{ "is": "did", "times": 1, "days": 7, "not": false, "event": {
                "events": [], "filters": { "all": [{ "property": named(&often), "operator": "is", "values": [] }] },
            } }],
        } });
        let changed = owner.put(&format!("/api/v1/apps/{app}/cohorts/{often}"), body).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        assert_eq!(counted(owner, &named(&often), "is", json!([])).await, "unknown_cohort");
    }
}

in_either_size! {
    async fn what_cannot_be_asked_is_said_by_field(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let story = Story { today: server.atrium.now().0 / DAY * DAY };
        let asked = async |kind: &str, more: Value| {
            let answer = ask(owner, app, story.question(kind, more)).await;
            (answer.status, answer.code().to_owned(), answer.field().to_owned())
        };
        let wrong = |code: &str, field: &str| (422, code.to_owned(), field.to_owned());
        let one = series("a", json!({ "of": "events" }));
        let trend = |more: Value| {
            let mut body = json!({ "series": [one] });
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            body
        };
        assert_eq!(asked("riddle", json!({})).await.0, 422);
        assert_eq!(asked("trend", json!({ "series": [] })).await, wrong("bad_length", "series"));
        assert_eq!(asked("trend", json!({ "series": vec![one.clone(); 7] })).await, wrong("bad_length", "series"));
        assert_eq!(asked("trend", trend(json!({ "formula": "A / C" }))).await, wrong("bad_formula", "formula"));
        assert_eq!(asked("trend", trend(json!({ "formula": "A/0" }))).await.0, 200);
        assert_eq!(asked("trend", trend(json!({ "breakdown": ["a", "b", "c"] }))).await, wrong("bad_length", "breakdown"));
        assert_eq!(asked("trend", trend(json!({ "breakdown": ["$nothing"] }))).await, wrong("unknown_property", "breakdown[0]"));
        assert_eq!(asked("trend", trend(json!({ "granularity": "minute" }))).await, wrong("too_many_buckets", "granularity"));
        let measure = |measure: Value| json!({ "series": [series("a", measure)] });
        assert_eq!(asked("trend", measure(json!({ "of": "sum" }))).await, wrong("required", "series[0].measure.property"));
        assert_eq!(asked("trend", measure(json!({ "of": "sum", "property": "$os" }))).await, wrong("wrong_type", "series[0].measure.property"));
        let long = series(&"x".repeat(10_000), json!({ "of": "events" }));
        assert_eq!(asked("trend", json!({ "series": [long] })).await, wrong("too_long", "series[0].events"));
        let test = |values: Value| json!({ "property": "plan", "operator": "is", "values": values });
        let filtered = |test: Value| trend(json!({ "filters": { "all": [test] } }));
        assert_eq!(asked("trend", filtered(test(json!(vec!["x"; 1_000])))).await, wrong("bad_length", "filters[0].values"));
        assert_eq!(asked("trend", filtered(test(json!(["x".repeat(10_000)])))).await, wrong("too_long", "filters"));
        let quotes = "'\\\t".repeat(1_300);
        assert_eq!(asked("trend", filtered(test(json!([quotes])))).await.0, 200);
        let mut deep = json!({ "all": [test(json!(["x"]))] });
        for _ in 0..6 {
            deep = json!({ "any": [deep] });
        }
        assert_eq!(asked("trend", trend(json!({ "filters": deep }))).await.1, "bad_length");
        let many = json!({ "any": vec![test(json!(["x"])); 31] });
        assert_eq!(asked("trend", trend(json!({ "filters": many }))).await, wrong("bad_length", "filters"));

        let step = events("a");
        let funnel = |steps: usize, window: i64| json!({ "steps": vec![step.clone(); steps], "window_minutes": window });
        assert_eq!(asked("funnel", funnel(1, 60)).await, wrong("bad_length", "steps"));
        assert_eq!(asked("funnel", funnel(11, 60)).await, wrong("bad_length", "steps"));
        assert_eq!(asked("funnel", funnel(2, 0)).await, wrong("out_of_range", "window_minutes"));
        assert_eq!(asked("funnel", funnel(2, i64::MAX)).await, wrong("out_of_range", "window_minutes"));
        let retention = |units: i64| json!({ "first": step, "returning": step, "unit": "day", "units": units });
        assert_eq!(asked("retention", retention(0)).await, wrong("out_of_range", "units"));
        assert_eq!(asked("retention", retention(91)).await, wrong("out_of_range", "units"));
        assert_eq!(asked("paths", json!({ "steps": 3 })).await, wrong("required", "from"));
        assert_eq!(asked("paths", json!({ "from": step, "to": step, "steps": 3 })).await, wrong("required", "to"));
        assert_eq!(asked("paths", json!({ "from": step, "steps": 9 })).await, wrong("out_of_range", "steps"));
        let edges = |edges: Value| json!({ "event": step, "of": "times", "edges": edges });
        assert_eq!(asked("distribution", edges(json!([2, 1]))).await, wrong("wrong_type", "edges"));
        assert_eq!(asked("distribution", edges(json!([]))).await, wrong("bad_length", "edges"));
        assert_eq!(asked("lifecycle", json!({ "start": "1970-01-01" })).await.1, "bad_range");
        // Periods in the future are empty, not an error.
        let ahead = json!({ "start": story.date(10), "end": story.date(12) });
        for (kind, more) in [
            ("trend", trend(json!({ "compare": "year" }))), ("funnel", funnel(2, 60)),
            ("retention", retention(3)), ("paths", json!({ "from": step, "steps": 3 })),
            ("distribution", json!({ "event": step, "of": { "property": "n" } })), ("lifecycle", json!({})),
        ] {
            let mut more = more;
            more.as_object_mut().unwrap().extend(ahead.as_object().unwrap().clone());
            assert_eq!(asked(kind, more).await.0, 200, "{kind}");
        }
        let path = format!("/api/v1/apps/{app}/analyses/run/people");
        for pick in [
            json!({ "of": "trend", "series": 3, "time": null, "group": null }),
            json!({ "of": "trend", "series": 0, "time": 17, "group": null }),
            json!({ "of": "lifecycle", "time": 0, "state": "new" }),
        ] {
            let question = story.question("trend", trend(json!({})));
            let answer = owner.post(&path, json!({ "question": question, "pick": pick })).await;
            assert_eq!((answer.status, answer.code()), (422, "unknown_figure"), "{answer:?}");
        }
        let question = story.question("trend", trend(json!({})));
        let pick = json!({ "of": "trend", "series": 0, "time": null, "group": null });
        let answer = owner.post(&path, json!({ "question": question, "pick": pick, "page_size": 1_000 })).await;
        assert_eq!((answer.code(), answer.field()), ("out_of_range", "page_size"));
    }
}

in_either_size! {
    async fn an_answer_is_kept_until_something_changes(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let story = tell(&server, app).await;
        let question = story.question("trend", json!({ "series": [series("landing", json!({ "of": "events" }))] }));
        let first = answer(owner, app, question.clone()).await;
        server.clock.advance(MINUTE);
        assert_eq!(answer(owner, app, question.clone()).await, first);
        // A caller who does not see everything gets an answer of their own from the cache.
        let of_analyst = answer(team.actor("analyst"), app, question.clone()).await;
        assert_ne!(of_analyst["computed_at"], first["computed_at"]);
        let key = server.collect_key(app).await;
        let late = of(story.today - 30 * HOUR, "landing", "carl", "d9", None);
        assert_eq!(server.collect(&key, json!([late])).await.status, 200);
        drain(&server).await;
        let after = answer(owner, app, question.clone()).await;
        assert_eq!(after["series"][0]["total"], 5.0);
        // A period that has ended changes the answer without any new event.
        server.clock.advance(DAY);
        assert_eq!(answer(owner, app, question).await["partial"], json!(null));
    }
}

in_either_size! {
    async fn an_answer_about_profiles_is_kept_until_one_changes(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let signer = server.access_key(owner, app).await;
        let role = json!({ "name": "Asks only", "permissions": ["app:view", "query:run"] });
        let role = owner.post(&format!("/api/v1/apps/{app}/roles"), role).await;
        let member = format!("/api/v1/apps/{app}/members/{}", team.id("viewer"));
        let role = json!({ "role_id": role.body["data"]["id"] });
        assert_eq!(owner.put(&member, role).await.status, 200);
        let story = tell(&server, app).await;
        let set_age = async |age: i64| {
            let change = mutation(&server, "UserMutation", "set", "anna", json!({ "age": age }));
            let taken = server.collect_signed(&signer, json!([change])).await;
            assert_eq!(taken.body["data"]["accepted"], 1);
            drain(&server).await;
        };
        set_age(30).await;
        let of_age = json!({ "property": "$user:age", "operator": "gte", "values": [18] });
        let mut of_cohort = of_age.clone();
        of_cohort["is"] = json!("profile");
        let body = json!({ "name": "Of age", "shared": true, "definition": { "of": "rule", "all": [of_cohort] } });
        let cohort = owner.post(&format!("/api/v1/apps/{app}/cohorts"), body).await;
        let cohort = format!("$cohort:{}", cohort.body["data"]["id"].as_str().unwrap());
        let series = json!([{ "events": [], "measure": { "of": "people" } }]);
        let questions = [
            json!({ "series": series, "filters": { "all": [of_age] } }),
            json!({ "series": series, "breakdown": ["$user:age"] }),
            json!({ "series": series, "filters": { "all": [{ "property": cohort, "operator": "is" }] } }),
        ];
        for question in questions {
            let question = story.question("trend", question);
            let analyst = team.actor("analyst");
            let first = answer(analyst, app, question.clone()).await;
            server.clock.advance(MINUTE);
            assert_eq!(answer(analyst, app, question.clone()).await, first);
            // A cached answer is not given to callers who may not see profiles.
            let refused = ask(team.actor("viewer"), app, question.clone()).await;
            assert_ne!(refused.status, 200, "{refused:?}");
            set_age(10).await;
            let after = answer(analyst, app, question.clone()).await;
            assert_ne!(after["series"], first["series"]);
            set_age(30).await;
            let again = answer(analyst, app, question.clone()).await;
            assert_eq!(again["series"], first["series"]);

            // An instance of an older release would change profiles without raising their version.
            atrium::fleet::heartbeat::beat(&server.atrium).await.unwrap();
            server.execute("UPDATE instances SET database_migration = 28 WHERE id <> $1", "").await;
            server.clock.advance(MINUTE);
            let anew = answer(analyst, app, question.clone()).await;
            assert_ne!(anew["computed_at"], again["computed_at"]);
            server.execute("DELETE FROM instances WHERE id <> $1", "").await;
        }
    }
}

in_either_size! {
    async fn page_views_are_broken_down_by_referring_site(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let story = Story { today: server.atrium.now().0 / DAY * DAY };
        let key = server.collect_key(app).await;
        let view = |device: &str, referrer: &str| {
            let mut message = of(server.atrium.now().0, "page_view", "", device, None);
            message["data"]["properties"] = json!({ "referrer": referrer });
            message
        };
        let batch = json!([
            view("d1", "https://www.example.com/a?b"), view("d2", "http://example.com:8080/"),
            view("d3", "https://news.example.org/x"), view("d4", ""), view("d5", "android-app"),
        ]);
        assert_eq!(server.collect(&key, batch).await.body["data"]["accepted"], 5);
        drain(&server).await;
        let question = story.question("trend", json!({
            "series": [series("page_view", json!({ "of": "people" }))], "breakdown": ["$referring_site"],
        }));
        for actor in [owner, team.actor("analyst")] {
            let result = answer(actor, app, question.clone()).await;
            let groups = result["series"][0]["groups"].as_array().unwrap();
            let groups: Vec<_> = groups.iter().map(|it| (&it["values"][0], &it["total"])).collect();
            assert_eq!(json!(groups), json!([[null, 2.0], ["example.com", 2.0], ["news.example.org", 1.0]]));
        }
    }
}

in_either_size! {
    async fn what_a_profile_hides_is_not_there_for_a_filter(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let signer = server.access_key(owner, app).await;
        let story = tell(&server, app).await;
        let profile = json!({ "note": "call 13800138000", "plan": "pro", "to": "user-ben-77" });
        let changes = json!([
            mutation(&server, "UserMutation", "set", "anna", profile),
            mutation(&server, "UserMutation", "set", "user-ben-77", json!({ "plan": "free" })),
        ]);
        assert_eq!(server.collect_signed(&signer, changes).await.body["data"]["accepted"], 2);
        // This person's id is known, because they have sent events.
        let key = server.collect_key(app).await;
        let other = of(story.today, "landing", "user-ben-77", "d7", None);
        assert_eq!(server.collect(&key, json!([other])).await.status, 200);
        drain(&server).await;
        let counted = async |actor: &Actor, property: &str, operator: &str, values: Value| {
            let test = json!({ "property": property, "operator": operator, "values": values });
            let question = story.question("trend", json!({
                "series": [{ "events": [], "measure": { "of": "people" } }], "filters": { "all": [test] },
            }));
            let answer = ask(actor, app, question).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            answer.body["data"]["series"][0]["total"].clone()
        };
        let analyst = team.actor("analyst");
        for (property, operator, values) in [
            ("$user:note", "contains", json!(["138"])),
            ("$user:note", "set", json!([])),
            ("$user:to", "is", json!(["user-ben-77"])),
        ] {
            assert_eq!(counted(owner, property, operator, values.clone()).await, 1.0, "{property}");
            assert_eq!(counted(analyst, property, operator, values).await, 0.0, "{property}");
        }
        assert_eq!(counted(analyst, "$user:plan", "is", json!(["pro"])).await, 1.0);
        assert_eq!(counted(analyst, "$user:note", "not_set", json!([])).await, 4.0);
    }
}

in_either_size! {
    async fn who_may_ask_and_what_they_see(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let story = tell(&server, app).await;
        let analyst = team.actor("analyst");
        let question = story.question("trend", json!({ "series": [series("landing", json!({ "of": "people" }))] }));
        let pick = json!({ "of": "trend", "series": 0, "time": null, "group": null });
        let names = people(analyst, app, &question, pick.clone()).await;
        assert!(names.len() == 3 && names.iter().all(|name| name.starts_with("p_")), "{names:?}");
        // Neither by a property of an event nor by a property of a profile.
        let by = |name: &str| story.question("trend", json!({
            "series": [series("landing", json!({ "of": "people" }))], "breakdown": [name],
        }));
        assert_eq!(ask(analyst, app, by("$user_id")).await.code(), "personal_data");
        assert_eq!(ask(analyst, app, by("email")).await.code(), "personal_data");
        let test = json!({ "property": "$user:email", "operator": "set", "values": [] });
        let filtered = story.question("trend", json!({
            "series": [series("landing", json!({ "of": "people" }))], "filters": { "all": [test] },
        }));
        assert_eq!(ask(analyst, app, filtered).await.code(), "personal_data");
        // A program gets the answers of a caller without access to personal data.
        let program = server.anonymous();
        let path = format!("/api/v1/apps/{app}/analyses/run");
        let request = program.request(reqwest::Method::POST, &path).json(&question);
        let result = program.send(request.bearer_auth(format!("qk_{app}"))).await;
        assert_eq!(result.body["data"]["series"][0]["total"], 3.0, "{result:?}");
        let viewer = team.actor("viewer");
        assert_eq!(ask(viewer, app, question.clone()).await.status, 403);
        let answer = viewer.post(&format!("{path}/people"), json!({ "question": question, "pick": pick })).await;
        assert_eq!(answer.status, 403);
        assert_eq!(owner.post(&path.replace(app, team.org_id.as_str()), question).await.status, 404);
    }
}
