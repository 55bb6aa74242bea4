//! Personal data: callers without the right to it never see it, in any answer.

use std::time::Duration;

use crate::ingest::drain;
use crate::people::by;
use crate::support::sender::{event, mutation};
use crate::support::world::Team;
use crate::support::{Actor, TestServer, in_either_size};
use atrium::erasures;
use reqwest::Method;
use serde_json::{Value, json};

/// Texts that must not appear in any answer to a caller without `profile:pii`.
const PLANTED: &[&str] = &[
    "jane.roe@example.com",
    "13800138000",
    "+49 30 1234567",
    "11010519491231002X",
    "user-jane-77",
    "device-jane-77",
    "Jane Roe",
    "王小明",
    "上海市",
    "Elm Street",
    "CARD-SECRET-9",
    "LICENSE-SECRET-9",
    "FRIEND-SECRET-9",
    "40014001",
];

/// The id of another person, who has events too.
const OTHER: &str = "user-bob-12";

async fn plant(server: &TestServer, team: &Team) {
    let app = team.app_id.as_str();
    let key = server.collect_key(app).await;
    let signer = server.access_key(team.actor("owner"), app).await;
    let mut message = by("user-jane-77", "device-jane-77", event(server, "order"));
    message["data"]["url_path"] =
        json!("/u/user-jane-77/jane.roe%40example.com?m=jane.roe@example.com");
    message["data"]["properties"] = json!({
        "plan": "pro", "seats": 3, "email": "jane.roe@example.com", "phoneNumber": 13_800_138_000_i64,
        "note": "call 13800138000 or +49 30 1234567", "code": "11010519491231002X",
        "user": { "name": "Jane Roe", "姓名": "王小明", "level": 2 }, "who": "user-jane-77",
        "on": "device-jane-77", "list": ["x", "jane.roe@example.com"], "收货地址": "上海市",
        "home_address": { "line": "Elm Street" }, "jane.roe@example.com": true,
        "card": { "number": "CARD-SECRET-9" }, "driver": [{ "license": "LICENSE-SECRET-9" }],
        "friend": "FRIEND-SECRET-9", "to": OTHER, "deep": { "to": [OTHER] }, (OTHER): 1,
    });
    let mut named = by("user-jane-77", "device-jane-77", event(server, "to jane.roe@example.com"));
    named["data"]["url_path"] = json!(format!("/to/{OTHER}"));
    let called = by("user-jane-77", "device-jane-77", event(server, OTHER));
    // A person whose id is a number, which also appears in their properties.
    let mut counted = by("40014001", "device-40014001", event(server, "order"));
    counted["data"]["properties"] = json!({ "plan": "pro", "size": 40_014_001 });
    let other = by(OTHER, "phone-bob-12", event(server, "order"));
    // Pages and referring sites have counts of their own.
    let viewed = |path: &str, referrer: &str| {
        let mut view = by("user-jane-77", "device-jane-77", event(server, "page_view"));
        view["data"]["url_path"] = json!(path);
        view["data"]["properties"] = json!({ "referrer": referrer });
        view
    };
    let views = [
        viewed(
            "/u/user-jane-77/jane.roe%40example.com?m=13800138000",
            "https://user-jane-77.example/",
        ),
        viewed(&format!("/to/{OTHER}/of-device-jane-77-s"), "https://jane.roe@example.com/"),
        viewed("/call/13800138000;to=40014001", "https://13800138000.example/40014001"),
    ];
    let mut bad = message.clone();
    bad["data"]["timestamp"] = json!(1);
    let messages = [message.clone(), message, bad, named, called, counted, other];
    server.collect(&key, json!(messages.into_iter().chain(views).collect::<Vec<_>>())).await;
    let profile = json!({
        "email": "jane.roe@example.com", "name": "Jane Roe", "city": "上海市", "phone": 13_800_138_000_i64,
        "age": 30, "contacts": [{ "姓名": "王小明" }],
    });
    let changes = json!([
        mutation(server, "UserMutation", "set", "user-jane-77", profile.clone()),
        mutation(server, "DeviceMutation", "set", "device-jane-77", profile),
        mutation(server, "UserMutation", "set", "40014001", json!({ "size": 40_014_001 })),
    ]);
    assert_eq!(server.collect_signed(&signer, changes).await.body["data"]["accepted"], 3);
    save_questions(team).await;
}

/// A caller who sees people's ids saves shared analyses and cohorts that name them.
async fn save_questions(team: &Team) {
    let (owner, base) = (team.actor("owner"), format!("/api/v1/apps/{}", team.app_id));
    let test = |property: &str, value: &str| json!({ "property": property, "operator": "is", "values": [value] });
    let tests = json!([test("$user_id", "user-jane-77"), test("$device_id", "device-jane-77")]);
    let question =
        json!({ "kind": "trend", "breakdown": ["$user_id"], "filters": { "any": tests } });
    let body = json!({ "name": "Saved", "shared": true, "question": question });
    assert_eq!(owner.post(&format!("{base}/analyses"), body).await.status, 200);
    let group = json!({ "values": ["user-jane-77"], "other": false, "redacted": [false] });
    for definition in [
        json!({ "of": "ids", "ids": ["user-jane-77", "40014001", "user-bob-12"] }),
        json!({ "of": "figure", "question": question, "pick": { "of": "trend", "group": group } }),
    ] {
        let body = json!({ "name": "Saved", "shared": true, "definition": definition });
        assert_eq!(owner.post(&format!("{base}/cohorts"), body).await.status, 200);
    }
}

/// Everything that can be read about an app: the name of each call, and its answer as text.
async fn read_everything(
    server: &TestServer,
    team: &Team,
    caller: &Caller,
) -> Vec<(String, String)> {
    let app = team.app_id.as_str();
    let today = jiff::Timestamp::from_millisecond(server.atrium.now().0).unwrap();
    let today = today.to_zoned(jiff::tz::TimeZone::UTC).date();
    let range = format!("start={today}&end={today}");
    let mut read = Vec::new();
    let base = format!("/api/v1/apps/{app}");
    let mut paths = vec![
        format!("{base}/engagement?{range}"),
        format!("{base}/events"),
        format!("{base}/ingest"),
        format!("{base}/event-properties?event=order"),
    ];
    for kind in ["analyses", "cohorts"] {
        let list = format!("{base}/{kind}");
        let saved: Value = serde_json::from_str(&caller.get(&list).await).unwrap();
        let items = saved["data"]["items"].as_array().unwrap();
        paths.extend(items.iter().map(|item| format!("{list}/{}", item["id"].as_str().unwrap())));
        paths.push(list);
    }
    for kind in ["user", "device"] {
        paths.push(format!("{base}/profiles?kind={kind}"));
        for search in caller.some(PLANTED.to_vec()) {
            let search =
                url::form_urlencoded::byte_serialize(search.as_bytes()).collect::<String>();
            paths.push(format!("{base}/profiles?kind={kind}&search={search}"));
        }
        let list = caller.get(&format!("{base}/profiles?kind={kind}")).await;
        let list: Value = serde_json::from_str(&list).unwrap();
        for item in list["data"]["items"].as_array().unwrap() {
            let name = item["ref"].as_str().unwrap();
            paths.push(format!("{base}/profile?kind={kind}&ref={name}"));
            paths.push(format!("{base}/profile/events?kind={kind}&ref={name}"));
        }
    }
    let names = [
        "plan",
        "seats",
        "email",
        "phoneNumber",
        "note",
        "code",
        "user",
        "user.name",
        "user.姓名",
        "who",
        "on",
        "list",
        "收货地址",
        "home_address",
        "home_address.line",
        "jane.roe@example.com",
        "$user_id",
        "$device_id",
        "$url_path",
        "$os",
        "card",
        "card.number",
        "friend",
        "to",
        "deep.to",
        "size",
        OTHER,
    ];
    let names = caller.some(names.to_vec());
    for name in &names {
        let encoded = url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>();
        paths.push(format!("{base}/explore/values?property={encoded}"));
    }
    for path in paths {
        let text = caller.get(&path).await;
        // Only the answer is kept: what the caller sent is not a leak.
        read.push((path, text));
    }
    for name in &names {
        let body =
            json!({ "start": today.to_string(), "end": today.to_string(), "group_by": name });
        for call in ["explore", "explore/export"] {
            read.push((
                format!("{call} by {name}"),
                caller.post(&format!("{base}/{call}"), &body).await,
            ));
        }
    }
    for (name, call, body) in caller.some(analyses(today)).into_iter().flatten() {
        let answer = caller.post(&format!("{base}/analyses/{call}"), &body).await;
        // Which paths are hidden depends on the caller; all other figures exist for everyone.
        assert!(name.contains("paths") || !answer.contains("unknown_figure"), "{name}: {answer}");
        read.push((name, answer));
    }
    for cohort in ids_of(&caller.get(&format!("{base}/cohorts")).await) {
        for part in ["people", "size", "sizes"] {
            let path = format!("{base}/cohorts/{cohort}/{part}");
            read.push((path.clone(), caller.get(&path).await));
        }
    }
    let overall = json!({ "start": today.to_string(), "end": today.to_string() });
    read.push((
        "data-overall".to_owned(),
        caller.post(&format!("/api/v1/orgs/{}/data-overall", team.org_id), &overall).await,
    ));
    read
}

fn ids_of(list: &str) -> Vec<String> {
    let list: Value = serde_json::from_str(list).unwrap();
    let items = list["data"]["items"].as_array().unwrap();
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// Every kind of question about a day, each as a list of people, a file and an answer: name, call and body. Each
/// property is used by only one kind or another, because every question takes time.
fn analyses(day: jiff::civil::Date) -> Vec<[(String, &'static str, Value); 3]> {
    let begins = day.to_zoned(jiff::tz::TimeZone::UTC).unwrap().timestamp().as_millisecond();
    let day = day.to_string();
    let question = |kind: &str, more: Value| {
        let mut body = json!({ "kind": kind, "start": day, "end": day, "timezone": "UTC" });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let (any, order) = (json!({ "events": [] }), json!({ "events": ["order"] }));
    let series = json!([{ "events": [], "measure": { "of": "people" } }]);
    let trend = |name: &str| question("trend", json!({ "series": series, "breakdown": [name] }));
    let tested = |property: &str, value: &str| {
        let test = json!({ "property": property, "operator": "is", "values": [value] });
        question("trend", json!({ "series": series, "filters": { "all": [test] } }))
    };
    let mut all = Vec::new();
    let of_profiles = ["$device:city"];
    for name in
        ["plan", "note", "list", "$url_path", "size", "$user_id"].into_iter().chain(of_profiles)
    {
        all.push((format!("trend by {name}"), trend(name)));
    }
    for (property, value) in
        [("$user:email", "jane.roe@example.com"), ("$user:age", "30"), ("$device:city", "上海市")]
    {
        all.push((format!("trend of {property}"), tested(property, value)));
    }
    let steps = json!([any, order]);
    let more = json!({ "steps": steps, "window_minutes": 60, "breakdown": ["who"] });
    all.push(("funnel".to_owned(), question("funnel", more)));
    let more =
        json!({ "first": any, "returning": any, "unit": "day", "units": 1, "breakdown": ["to"] });
    all.push(("retention".to_owned(), question("retention", more)));
    all.push((
        "paths".to_owned(),
        question("paths", json!({ "from": any, "steps": 5, "branches": 20 })),
    ));
    let more = json!({ "to": { "events": [OTHER] }, "steps": 5 });
    all.push(("paths to a name".to_owned(), question("paths", more)));
    let more = json!({ "event": any, "of": { "property": "size" } });
    all.push(("distribution".to_owned(), question("distribution", more)));
    all.push(("lifecycle".to_owned(), question("lifecycle", json!({}))));
    let mut calls = Vec::new();
    for (name, body) in all {
        let hidden = json!({ "kind": "hidden", "name": null, "page": null });
        let pick = match body["kind"].as_str().unwrap() {
            "trend" => json!({ "of": "trend", "series": 0, "time": null, "group": null }),
            "funnel" => json!({ "of": "funnel", "step": 0, "dropped": false, "group": null }),
            "paths" => json!({ "of": "paths", "step": 1, "source": null, "target": hidden }),
            "distribution" => json!({ "of": "distribution", "bin": 0 }),
            "retention" => json!({ "of": "retention", "cohort": begins, "unit": 0, "group": null }),
            _ => json!({ "of": "lifecycle", "time": begins, "state": "new" }),
        };
        let people = json!({ "question": body, "pick": pick });
        calls.push([
            (format!("people of {name}"), "run/people", people),
            (format!("file of {name}"), "run/export", body.clone()),
            (name, "run", body),
        ]);
    }
    calls
}

/// A person with a session, or a program with a key.
struct Caller {
    actor: Actor,
    key: Option<String>,
    /// Which half it reads of what is read alike for many properties, texts and questions; everything if None.
    half: Option<usize>,
}

impl Caller {
    /// What is hidden depends on one permission, not on who lacks it: one caller without it reads everything,
    /// and the others share everything between them.
    fn some<T>(&self, all: Vec<T>) -> Vec<T> {
        let half = if std::env::var_os("LONG_TESTS").is_some() { None } else { self.half };
        let own = |(place, _): &(usize, T)| half.is_none_or(|half| place % 2 == half);
        all.into_iter().enumerate().filter(own).map(|(_, one)| one).collect()
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.actor.request(method, path);
        match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    async fn get(&self, path: &str) -> String {
        text(self.request(Method::GET, path)).await
    }

    async fn post(&self, path: &str, body: &Value) -> String {
        text(self.request(Method::POST, path).json(body)).await
    }

    /// What a stream sends within a moment.
    async fn watch(&self, server: &TestServer, team: &Team) -> String {
        let path = format!("/api/v1/apps/{}/live", team.app_id);
        let mut stream = self.request(Method::GET, &path).send().await.unwrap();
        let mut said = String::new();
        let first = stream.chunk().await.unwrap().unwrap();
        said.push_str(std::str::from_utf8(&first).unwrap());
        plant(server, team).await;
        while let Ok(chunk) = tokio::time::timeout(Duration::from_secs(2), stream.chunk()).await {
            said.push_str(std::str::from_utf8(&chunk.unwrap().unwrap()).unwrap());
        }
        said
    }
}

async fn text(request: reqwest::RequestBuilder) -> String {
    let response = request.send().await.unwrap();
    assert!(response.status() != 500, "{response:?}");
    response.text().await.unwrap()
}

in_either_size! {
    async fn personal_data_never_leaves_without_the_right_to_it(server: TestServer) {
        let team = server.team("one").await;
        let app = team.app_id.as_str();
        plant(&server, &team).await;
        drain(&server).await;
        atrium::collect::samples::write(&server.atrium).await.unwrap();
        let with_session =
            |name: &str, half| Caller { actor: team.actor(name).clone(), key: None, half };
        let key = Some(format!("qk_{app}"));
        let callers = [
            with_session("analyst", None), with_session("developer", Some(0)),
            Caller { actor: server.anonymous(), key, half: Some(1) },
        ];
        // The streams come first: every message invalidates all kept answers.
        let mut streams = Vec::new();
        for caller in &callers {
            streams.push(caller.watch(&server, &team).await);
        }
        drain(&server).await;
        for (caller, live) in callers.iter().zip(streams) {
            let mut read = read_everything(&server, &team, caller).await;
            read.push(("live".to_owned(), live));
            assert!(read.len() > if caller.half.is_some() { 80 } else { 160 }, "{}", read.len());
            for (what, said) in &read {
                for planted in PLANTED.iter().chain([&OTHER]) {
                    assert!(!said.contains(planted), "{planted} in {what}: {said}");
                }
            }
            assert!(read.iter().any(|(_, said)| said.contains("\"pro\"")), "the rest is there");
        }
        // With the right to personal data everything is found, which shows that the test looks in the right
        // places.
        let owner = with_session("owner", Some(0));
        let read = read_everything(&server, &team, &owner).await;
        let live = owner.watch(&server, &team).await;
        for planted in PLANTED.iter().chain([&OTHER]) {
            assert!(read.iter().any(|(_, said)| said.contains(planted)), "{planted}");
            assert!(live.contains(planted), "{planted}");
        }
    }
}

in_either_size! {
    async fn nothing_is_left_of_someone_who_was_erased(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        plant(&server, &team).await;
        drain(&server).await;
        atrium::collect::samples::write(&server.atrium).await.unwrap();
        for (kind, id) in [
            ("user", "user-jane-77"), ("device", "device-jane-77"),
            ("user", "40014001"), ("device", "device-40014001"),
        ] {
            let path = format!("/api/v1/apps/{app}/erasures");
            assert_eq!(owner.post(&path, json!({ "kind": kind, "subject": id })).await.status, 200);
        }
        assert_eq!(erasures::run::run_due(&server.atrium).await.unwrap(), 4);
        let caller = Caller { actor: owner.clone(), key: None, half: None };
        for (what, said) in read_everything(&server, &team, &caller).await {
            for planted in PLANTED {
                assert!(!said.contains(planted), "{planted} in {what}: {said}");
            }
        }
        let gone = owner.get(&format!("/api/v1/apps/{app}/profile?kind=user&ref=user-jane-77")).await;
        assert_eq!(gone.status, 404);
    }
}
