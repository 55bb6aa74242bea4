//! Questions about events through the API: what can be asked, by whom, and the form of the answer. That the
//! answers are correct is tested where they are computed (crates/warehouse/tests).

use crate::ingest::drain;
use crate::support::sender::event_at;
use crate::support::{Actor, Answer, TestServer, in_either_size};
use serde_json::{Value, json};

const DAY: i64 = 24 * 60 * 60 * 1_000;

fn date(server: &TestServer, offset: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(server.atrium.now().0 + offset * DAY).unwrap();
    at.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

fn question(server: &TestServer, more: Value) -> Value {
    let mut body =
        json!({ "start": date(server, -2), "end": date(server, 0), "granularity": "day" });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

async fn send(server: &TestServer, app: &str) {
    let key = server.collect_key(app).await;
    let now = server.atrium.now().0;
    let of = |back: i64, user: &str, properties: Value| {
        let mut message = event_at(now - back * DAY, "order");
        message["data"]["user_id"] = json!(user);
        message["data"]["properties"] = properties;
        message["data"]["url_path"] = json!(format!("/users/{user}?tab=1"));
        message
    };
    let batch = json!([
        of(
            0,
            "anna",
            json!({ "plan": "pro", "price": 20, "mail": "a@b.co", "tags": ["x", "y"], "who": "anna" })
        ),
        of(0, "anna", json!({ "plan": "free", "price": 5.5, "note": "a@b.co" })),
        of(1, "ben", json!({ "plan": "pro", "price": 7, "o": { "deep": "yes" } })),
        of(2, "ben", json!({})),
        event_at(now, "other"),
    ]);
    assert_eq!(server.collect(&key, batch).await.body["data"]["accepted"], 5);
    drain(server).await;
}

async fn ask(actor: &Actor, app: &str, body: Value) -> Answer {
    actor.post(&format!("/api/v1/apps/{app}/explore"), body).await
}

in_either_size! {
    async fn questions_are_answered(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        send(&server, app).await;
        let points = async |more: Value| {
            let answer = ask(owner, app, question(&server, more)).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            answer.body["data"].clone()
        };
        let all = points(json!({ "event": "order" })).await;
        assert_eq!(all["times"].as_array().unwrap().len(), 3);
        assert_eq!(all["times"][1].as_i64().unwrap() - all["times"][0].as_i64().unwrap(), DAY);
        assert_eq!(all["groups"], json!([{ "value": null, "other": false, "redacted": false,
            "total": 4.0, "points": [1.0, 1.0, 2.0] }]));
        assert_eq!(points(json!({})).await["total"], 5.0);
        assert_eq!(points(json!({ "event": "order", "measure": "users" })).await["total"], 2.0);
        assert_eq!(points(json!({ "measure": "devices" })).await["total"], 1.0);
        assert_eq!(points(json!({ "event": "order", "measure": "per_user" })).await["total"], 2.0);
        let filtered = async |filters: Value| points(json!({ "event": "order", "filters": filters })).await["total"].clone();
        let one = |property: &str, operator: &str, values: Value| {
            json!([{ "property": property, "operator": operator, "values": values }])
        };
        for (filters, expected) in [
            (one("plan", "is", json!(["pro"])), 2.0),
            (one("plan", "is_not", json!(["pro"])), 2.0),
            (one("plan", "contains", json!(["re", "zz"])), 1.0),
            (one("plan", "not_contains", json!(["o"])), 2.0),
            (one("price", "gt", json!(["7"])), 1.0),
            (one("price", "gt", json!([7])), 1.0),
            (one("price", "is", json!([20.0])), 1.0),
            (one("price", "gte", json!(["7.0"])), 2.0),
            (one("price", "lt", json!(["7"])), 1.0),
            (one("price", "lte", json!(["7"])), 2.0),
            (one("price", "is", json!(["20.0"])), 1.0),
            (one("tags", "is", json!(["y"])), 1.0),
            (one("o.deep", "set", json!([])), 1.0),
            (one("o.deep", "not_set", json!([])), 3.0),
            (one("$user_id", "is", json!(["anna"])), 2.0),
            (one("$os", "is", json!(["macOS"])), 4.0),
        ] {
            assert_eq!(filtered(filters.clone()).await, expected, "{filters}");
        }
        let groups = points(json!({ "event": "order", "group_by": "plan" })).await["groups"].clone();
        let pairs: Vec<_> = groups.as_array().unwrap().iter().map(|it| (&it["value"], &it["total"])).collect();
        assert_eq!(json!(pairs), json!([["pro", 2.0], [null, 1.0], ["free", 1.0]]));
        let values = owner.get(&format!("/api/v1/apps/{app}/explore/values?property=plan&event=order")).await;
        assert_eq!(values.body["data"]["items"], json!([{ "value": "pro", "events": 2 }, { "value": "free", "events": 1 }]));
        let values = owner.get(&format!("/api/v1/apps/{app}/explore/values?property=plan&search=RE")).await;
        assert_eq!(values.body["data"]["items"], json!([{ "value": "free", "events": 1 }]));
        // A program with the app's key can ask too, as a caller without access to personal data.
        let program = server.anonymous();
        let request = program.request(reqwest::Method::POST, &format!("/api/v1/apps/{app}/explore"));
        let answer = program.send(request.bearer_auth(format!("qk_{app}")).json(&question(&server, json!({})))).await;
        assert_eq!(answer.body["data"]["total"], 5.0, "{answer:?}");
    }
}

in_either_size! {
    async fn what_makes_no_sense_is_said_by_field(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let asked = async |more: Value| {
            let answer = ask(owner, app, question(&server, more)).await;
            (answer.status, answer.code().to_owned(), answer.field().to_owned())
        };
        let one = |property: &str, operator: &str, values: Value| {
            json!({ "filters": [{ "property": property, "operator": operator, "values": values }] })
        };
        let wrong = |code: &str, field: &str| (422, code.to_owned(), field.to_owned());
        assert_eq!(asked(one("price", "gt", json!(["dear"]))).await, wrong("wrong_type", "filters[0].values"));
        assert_eq!(asked(one("price", "gt", json!([true]))).await, wrong("wrong_type", "filters[0].values"));
        assert_eq!(asked(one("price", "gt", json!([[1]]))).await.0, 422);
        assert_eq!(asked(one("price", "gt", json!(["1", "2"]))).await, wrong("bad_length", "filters[0].values"));
        assert_eq!(asked(one("$os", "gt", json!(["1"]))).await, wrong("wrong_type", "filters[0].operator"));
        assert_eq!(asked(one("plan", "is", json!([]))).await, wrong("bad_length", "filters[0].values"));
        assert_eq!(asked(one("plan", "set", json!(["x"]))).await, wrong("bad_length", "filters[0].values"));
        assert_eq!(asked(one("plan", "contains", json!([""]))).await, wrong("required", "filters[0].values"));
        assert_eq!(asked(one("", "set", json!([]))).await, wrong("required", "filters[0].property"));
        assert_eq!(asked(one("$nothing", "set", json!([]))).await, wrong("unknown_property", "filters[0].property"));
        assert_eq!(asked(one("plan", "resembles", json!([]))).await.0, 422);
        assert_eq!(asked(json!({ "group_by": "$nothing" })).await, wrong("unknown_property", "group_by"));
        let filter = json!({ "property": "plan", "operator": "set" });
        assert_eq!(asked(json!({ "filters": vec![filter; 11] })).await, wrong("bad_length", "filters"));
        assert_eq!(asked(one("plan", "is", json!(["x".repeat(5_000)]))).await, wrong("too_long", "filters"));
        let years = json!({ "start": "2020-01-01", "end": "2026-01-01" });
        assert_eq!(asked(years.clone()).await, wrong("too_many_buckets", "granularity"));
        let mut hourly = years;
        hourly["granularity"] = json!("month");
        assert_eq!(asked(hourly).await.0, 200);
        assert_eq!(asked(json!({ "end": "2020-01-01" })).await, wrong("bad_range", "end"));
        assert_eq!(asked(json!({ "timezone": "Mars/Base" })).await, wrong("bad_timezone", "timezone"));
    }
}

in_either_size! {
    async fn personal_data_is_not_asked_about_without_the_right_to_see_it(server: TestServer) {
        let team = server.team("one").await;
        let (analyst, app) = (team.actor("analyst"), team.app_id.as_str());
        send(&server, app).await;
        for name in ["$user_id", "$device_id", "mail", "userEmail", "姓名", "o.phone", "user.name"] {
            let filters = json!([{ "property": name, "operator": "set" }]);
            for more in [json!({ "group_by": name }), json!({ "filters": filters })] {
                let answer = ask(analyst, app, question(&server, more)).await;
                assert_eq!((answer.status, answer.code()), (403, "personal_data"), "{name}");
            }
            let path = format!("/api/v1/apps/{app}/explore/values");
            let request = analyst.request(reqwest::Method::GET, &path).query(&[("property", name)]);
            assert_eq!(analyst.send(request).await.code(), "personal_data", "{name}");
        }
        // If the property's name gives nothing away, its values decide.
        let grouped = async |actor: &Actor, name: &str| {
            let answer = ask(actor, app, question(&server, json!({ "event": "order", "group_by": name }))).await;
            answer.body["data"]["groups"].clone()
        };
        let group = |value: Value, redacted: bool, total: f64| {
            move |it: &Value| it["value"] == value && it["redacted"] == redacted && it["total"] == total
        };
        for (name, hidden) in [("note", "a@b.co"), ("who", "anna")] {
            let seen = grouped(analyst, name).await;
            assert!(!seen.to_string().contains(hidden), "{seen}");
            // Too few people to show even that they have a hidden value.
            assert_eq!(seen.as_array().unwrap().len(), 1, "{seen}");
            assert!(seen.as_array().unwrap().iter().any(group(Value::Null, false, 4.0)), "{seen}");
            let seen = grouped(team.actor("owner"), name).await;
            assert!(seen.as_array().unwrap().iter().any(group(json!(hidden), false, 1.0)), "{seen}");
        }
        let paths = grouped(analyst, "$url_path").await;
        assert_eq!(paths[0]["value"], "/users/***", "{paths}");
        assert_eq!(paths.as_array().unwrap().len(), 1);
        let paths = json!([{ "value": "/users/***", "events": 4 }]);
        for (name, expected) in [("note", json!([])), ("who", json!([])), ("$url_path", paths)] {
            let path = format!("/api/v1/apps/{app}/explore/values?property={name}&event=order");
            assert_eq!(analyst.get(&path).await.body["data"]["items"], expected, "{name}");
        }
    }
}

in_either_size! {
    async fn answers_can_be_taken_along_as_a_file(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let mut message = event_at(server.atrium.now().0, "order");
        message["data"]["properties"] = json!({ "plan": "=HYPERLINK(1)" });
        server.collect(&key, json!([message])).await;
        drain(&server).await;
        let path = format!("/api/v1/apps/{app}/explore/export");
        let body = question(&server, json!({ "group_by": "plan" }));
        let request = owner.request(reqwest::Method::POST, &path).json(&body).header("accept-language", "zh-CN");
        let file = owner.send(request).await;
        assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
        assert!(file.header("content-disposition").starts_with("attachment"));
        let text = file.body.as_str().unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "\u{feff}时间,'=HYPERLINK(1),备注");
        assert_eq!(lines[3], format!("{},1,截至目前", date(&server, 0)));
        assert_eq!(lines.len(), 4, "{text}");
        assert_eq!(team.actor("developer").post(&path, body.clone()).await.status, 403);
        assert_eq!(team.actor("analyst").post(&path, body).await.status, 200);
        let audit = owner.get(&format!("/api/v1/apps/{app}/audit-logs?action=data.exported")).await;
        assert_eq!(audit.body["data"]["total"], 2, "{audit:?}");
    }
}
