//! A caller without the right to personal data asks thousands of questions to learn what is hidden. For each
//! secret it asks once with the true text and once with a text of the same shape that was never sent. If the
//! two answers ever differ, in a figure, a group, a status or a size, the secret can be read bit by bit.
//!
//! This asks one question of each kind in each place (`sample`); `LONG_TESTS=1` asks all of them. The same
//! questions by a caller who has the right do find the secrets, which shows that they look in the right places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use futures::stream;
use reqwest::Method;
use serde_json::{Value, json};

use crate::ingest::drain;
use crate::people::by;
use crate::support::sender::{event, mutation};
use crate::support::world::Team;
use crate::support::{Actor, Store, TestServer};

/// A secret that is sent, and a similar text that is never sent.
struct Shape {
    secret: &'static str,
    wrong: &'static str,
    /// Whether comparison operators can find it.
    is_number: bool,
}

const fn shape(secret: &'static str, wrong: &'static str, is_number: bool) -> Shape {
    Shape { secret, wrong, is_number }
}

const SHAPES: &[Shape] = &[
    shape("jane.roe@example.com", "joan.rae@example.com", false),
    shape("13800138000", "13900139000", true),
    shape("+49 30 1234567", "+49 31 7654321", false),
    shape("11010519491231002X", "11010519501231002X", false),
    shape("6222021234567890", "6232021234567890", true),
    shape("352099001761481", "353099001761481", true),
    shape("203.0.113.77", "203.1.113.77", false),
    shape("user-jane-77", "user-june-77", false),
    shape("user-bob-12", "user-ben-12", false),
    shape("/reset?token=s3cr3t", "/reset?token=t3cr3t", false),
];

/// Where a secret is planted, which decides how it can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Property,
    Nested,
    List,
    ListOfObjects,
    /// Sent as a number.
    Number,
    PersonalKey,
    PropertyName,
    EventName,
    PathSegment,
    PathQuery,
    Referrer,
    Profile,
    ProfileList,
}

const PLACES: &[Place] = &[
    Place::Property,
    Place::Nested,
    Place::List,
    Place::ListOfObjects,
    Place::Number,
    Place::PersonalKey,
    Place::PropertyName,
    Place::EventName,
    Place::PathSegment,
    Place::PathQuery,
    Place::Referrer,
    Place::Profile,
    Place::ProfileList,
];

/// A question that tests a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Filter(&'static str),
    Groups(&'static str),
    Export(&'static str),
    Values,
    Named(&'static str),
    Event,
    EventProperties,
    EventSearch,
    People(&'static str),
    Person(&'static str),
    /// The kind of analysis, and the operator that compares the guess.
    Analysis(Kind, &'static str),
}

impl Ask {
    /// What is asked, whatever the operator. The lists of users and of devices are different questions.
    fn kind(self) -> String {
        match self {
            Self::Filter(_) => "filter".to_owned(),
            Self::Groups(_) => "groups".to_owned(),
            Self::Export(_) => "export".to_owned(),
            Self::Analysis(kind, _) => format!("analysis {kind:?}"),
            _ => format!("{self:?}"),
        }
    }
}

/// An analysis that tests the guess, in the place where this kind accepts a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Trend,
    /// Broken down by the tested property.
    Breakdown,
    Distinct,
    Funnel,
    Retention,
    Paths,
    Distribution,
    Lifecycle,
    People,
    Export,
}

const KINDS: &[Kind] = &[
    Kind::Trend,
    Kind::Breakdown,
    Kind::Distinct,
    Kind::Funnel,
    Kind::Retention,
    Kind::Paths,
    Kind::Distribution,
    Kind::Lifecycle,
    Kind::People,
    Kind::Export,
];

fn by_analyses(tests: [&'static str; 2]) -> impl Iterator<Item = Ask> {
    tests.into_iter().flat_map(|it| KINDS.iter().map(move |kind| Ask::Analysis(*kind, it)))
}

impl Place {
    /// The property that holds the secret, for the explorer and for analyses.
    fn property(self, number: usize) -> Option<String> {
        Some(match self {
            Self::Property => format!("note{number}"),
            Self::Nested => format!("o{number}.deep"),
            Self::List => format!("tags{number}"),
            Self::Number => format!("size{number}"),
            Self::PersonalKey => format!("real_name_{number}"),
            Self::Referrer => "referrer".to_owned(),
            Self::PathSegment | Self::PathQuery => "$url_path".to_owned(),
            Self::Profile => format!("$user:note{number}"),
            Self::ProfileList => "$device:list".to_owned(),
            _ => return None,
        })
    }

    fn holds(self, shape: &Shape) -> bool {
        self != Self::Number || shape.is_number
    }

    /// The questions that apply to this place. With the right to personal data, the first one finds the
    /// secret.
    fn asks(self) -> Vec<Ask> {
        match self {
            Self::Number => {
                let compare = ["gte", "gt", "lt", "lte", "is", "is_not", "contains"];
                let each = |it| [Ask::Filter(it), Ask::Groups(it)];
                compare.into_iter().flat_map(each).chain(by_analyses(["gte", "is"])).collect()
            }
            Self::ListOfObjects => vec![Ask::EventSearch],
            Self::PropertyName => vec![Ask::Named("set"), Ask::Named("not_set")],
            Self::EventName => vec![Ask::Event, Ask::EventProperties, Ask::EventSearch],
            Self::Profile | Self::ProfileList => {
                let kinds = ["user", "device"];
                let each = |it| [Ask::People(it), Ask::Person(it)];
                // Distinct values are counted over event properties only.
                let of_events = |ask: &Ask| matches!(ask, Ask::Analysis(Kind::Distinct, _));
                let analyses = by_analyses(["contains", "is"]).filter(|ask| !of_events(ask));
                kinds.into_iter().flat_map(each).chain(analyses).collect()
            }
            _ => {
                let tests = ["contains", "not_contains", "is", "is_not"];
                let each = |it| [Ask::Filter(it), Ask::Groups(it), Ask::Export(it)];
                let by_explorer = tests.into_iter().flat_map(each).chain([Ask::Values]);
                by_explorer.chain(by_analyses(["contains", "is"])).collect()
            }
        }
    }
}

async fn plant(server: &TestServer, team: &Team) {
    let app = team.app_id.as_str();
    let key = server.collect_key(app).await;
    let mut messages = vec![by("user-bob-12", "phone-bob-12", event(server, "seen"))];
    for (number, shape) in SHAPES.iter().enumerate() {
        for place in PLACES.iter().filter(|place| place.holds(shape)) {
            messages.push(message(server, *place, number, shape));
        }
    }
    for some in messages.chunks(50) {
        let taken = server.collect(&key, json!(some)).await;
        assert_eq!(taken.body["data"]["accepted"], some.len(), "{taken:?}");
    }
    let secrets: Vec<&str> = SHAPES.iter().map(|shape| shape.secret).collect();
    let named =
        SHAPES.iter().enumerate().map(|(n, shape)| (format!("note{n}"), json!(shape.secret)));
    let mut profile: serde_json::Map<String, Value> = named.collect();
    profile.insert("list".to_owned(), json!(secrets));
    let changes = json!([
        mutation(server, "UserMutation", "set", "user-jane-77", json!(profile)),
        mutation(server, "DeviceMutation", "set", "phone-jane-77", json!(profile)),
    ]);
    let signer = server.access_key(team.actor("owner"), app).await;
    assert_eq!(server.collect_signed(&signer, changes).await.body["data"]["accepted"], 2);
    drain(server).await;
}

fn message(server: &TestServer, place: Place, number: usize, shape: &Shape) -> Value {
    let secret = shape.secret;
    let mut message = by("user-jane-77", "phone-jane-77", event(server, "seen"));
    let data = &mut message["data"];
    match place {
        Place::Property | Place::PersonalKey | Place::Referrer => {
            let name = place.property(number).unwrap();
            data["properties"] = json!({ (name): format!("about {secret}, yes") });
            if shape.secret.starts_with("user-") {
                data["properties"] = json!({ (place.property(number).unwrap()): secret });
            }
        }
        Place::Nested => data["properties"] = json!({ format!("o{number}"): { "deep": secret } }),
        Place::List => data["properties"] = json!({ format!("tags{number}"): ["x", secret] }),
        Place::ListOfObjects => {
            data["properties"] = json!({ format!("items{number}"): [{ "note": secret }] });
        }
        Place::Number => {
            let digits: i64 = secret.parse().unwrap();
            data["properties"] = json!({ format!("size{number}"): digits });
        }
        Place::PropertyName => data["properties"] = json!({ secret: 1 }),
        Place::EventName => data["event"] = json!(secret),
        Place::PathSegment => {
            let segment: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
            data["url_path"] = json!(format!("/at/{}/x", segment.replace('+', "%20")));
        }
        Place::PathQuery => data["url_path"] = json!(format!("/found?q={secret}")),
        Place::Profile | Place::ProfileList => {}
    }
    message
}

struct Adversary<'a> {
    server: &'a TestServer,
    team: &'a Team,
    actor: Actor,
    key: Option<String>,
    asked: AtomicUsize,
    /// Decides which properties `read` asks about, and whether by the explorer or by an analysis: the callers
    /// alternate.
    turn: usize,
}

impl Adversary<'_> {
    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> (u16, String) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut request = self.actor.request(method, path);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        assert!(status < 500, "{path} {status} {text}");
        (status, text)
    }

    async fn get(&self, path: &str, query: &[(&str, &str)]) -> (u16, String) {
        let mut encoded = url::form_urlencoded::Serializer::new(String::new());
        encoded.extend_pairs(query);
        let path = format!("/api/v1/apps/{}/{path}?{}", self.team.app_id, encoded.finish());
        self.send(Method::GET, &path, None).await
    }

    fn today(&self) -> String {
        let now = jiff::Timestamp::from_millisecond(self.server.atrium.now().0).unwrap();
        now.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
    }

    async fn explore(&self, call: &str, mut more: Value) -> (u16, String) {
        let today = self.today();
        more["start"] = json!(today);
        more["end"] = json!(today);
        more["granularity"] = json!("day");
        let path = format!("/api/v1/apps/{}/{call}", self.team.app_id);
        self.send(Method::POST, &path, Some(more)).await
    }

    async fn analyze(&self, kind: Kind, property: &str, filters: Value) -> (u16, String) {
        let any = json!({ "events": [] });
        let tested = json!({ "events": [], "filters": { "all": filters } });
        let series = |of: Value| json!([{ "events": [], "measure": of }]);
        let (name, mut body) = match kind {
            Kind::Trend | Kind::People => {
                let series = series(json!({ "of": "people" }));
                ("trend", json!({ "series": series, "filters": { "all": filters } }))
            }
            Kind::Breakdown | Kind::Export => {
                let series = json!([{ "events": [], "filters": { "all": filters },
                    "measure": { "of": "events" } }]);
                ("trend", json!({ "series": series, "breakdown": [property] }))
            }
            Kind::Distinct => {
                let series = series(json!({ "of": "distinct", "property": property }));
                ("trend", json!({ "series": series, "filters": { "any": filters } }))
            }
            Kind::Funnel => ("funnel", json!({ "steps": [any, tested], "window_minutes": 60 })),
            Kind::Retention => {
                let more = json!({ "first": tested, "returning": any, "unit": "day", "units": 1 });
                ("retention", more)
            }
            Kind::Paths => ("paths", json!({ "from": tested, "steps": 3 })),
            Kind::Distribution => ("distribution", json!({ "event": tested, "of": "times" })),
            Kind::Lifecycle => ("lifecycle", json!({ "event": tested })),
        };
        body["kind"] = json!(name);
        body["start"] = json!(self.today());
        body["end"] = json!(self.today());
        let call = match kind {
            Kind::People => {
                let pick = json!({ "of": "trend", "series": 0, "time": null, "group": null });
                body = json!({ "question": body, "pick": pick });
                "run/people"
            }
            Kind::Export => "run/export",
            _ => "run",
        };
        let path = format!("/api/v1/apps/{}/analyses/{call}", self.team.app_id);
        let mut answer = self.send(Method::POST, &path, Some(body)).await;
        if let Ok(mut said) = serde_json::from_str::<Value>(&answer.1) {
            // Only says when the answer was computed.
            said["data"].as_object_mut().map(|data| data.remove("computed_at"));
            answer.1 = said.to_string();
        }
        // A question that is refused because it is malformed would prove nothing.
        let may_be_refused = ["query_too_heavy", "personal_data"];
        let is_refused = may_be_refused.iter().any(|code| answer.1.contains(code))
            || self.key.is_some() && answer.1.contains("not_signed_in");
        assert!(answer.0 == 200 || is_refused, "{kind:?} of {property}: {answer:?}");
        answer
    }

    async fn ask(&self, ask: Ask, property: &str, guess: &str) -> (u16, String) {
        let filter = |operator: &str| json!([{ "property": property, "operator": operator, "values": [guess] }]);
        match ask {
            Ask::Filter(it) => self.explore("explore", json!({ "filters": filter(it) })).await,
            Ask::Groups(it) => {
                let more =
                    json!({ "filters": filter(it), "group_by": property, "measure": "users" });
                self.explore("explore", more).await
            }
            Ask::Export(it) => {
                let more = json!({ "filters": filter(it), "group_by": property });
                self.explore("explore/export", more).await
            }
            Ask::Values => {
                self.get("explore/values", &[("property", property), ("search", guess)]).await
            }
            Ask::Named(it) => {
                let filters = json!([{ "property": guess, "operator": it }]);
                self.explore("explore", json!({ "filters": filters })).await
            }
            Ask::Event => self.explore("explore", json!({ "event": guess })).await,
            Ask::EventProperties => self.get("event-properties", &[("event", guess)]).await,
            Ask::EventSearch => self.get("events", &[("search", guess)]).await,
            Ask::People(kind) => self.get("profiles", &[("kind", kind), ("search", guess)]).await,
            Ask::Person(kind) => self.get("profile", &[("kind", kind), ("ref", guess)]).await,
            Ask::Analysis(kind, it) => self.analyze(kind, property, filter(it)).await,
        }
    }

    /// Retries: on a busy machine a question may time out, which says nothing about the data.
    async fn answer(&self, ask: Ask, property: &str, guess: &str) -> (u16, String) {
        for _ in 0..10 {
            let (status, text) = self.ask(ask, property, guess).await;
            if !text.contains("query_too_heavy") {
                return (status, text);
            }
        }
        panic!("{ask:?} about {property} is never answered");
    }

    /// Both answers, if they tell the secret from the text that was never sent.
    async fn learns(
        &self,
        ask: Ask,
        property: &str,
        [secret, wrong]: [&str; 2],
    ) -> Option<[(u16, String); 2]> {
        let answer = self.answer(ask, property, secret).await;
        let other = self.answer(ask, property, wrong).await;
        (answer != other).then_some([answer, other])
    }

    /// Everything that can be read without a guess, in every sort order.
    async fn read(&self) -> String {
        let mut read = String::new();
        for (path, sorts) in [("events", ["name", "events"]), ("profiles", ["id", "last_seen"])] {
            for sort in sorts {
                for kind in ["user", "device"] {
                    let query = [("sort", sort), ("kind", kind), ("limit", "100")];
                    read.push_str(&self.get(path, &query).await.1);
                }
            }
        }
        read.push_str(&self.get("event-properties", &[("event", "seen")]).await.1);
        for kind in ["user", "device"] {
            let list: Value =
                serde_json::from_str(&self.get("profiles", &[("kind", kind)]).await.1).unwrap();
            for item in list["data"]["items"].as_array().unwrap() {
                let query = [("kind", kind), ("ref", item["ref"].as_str().unwrap())];
                read.push_str(&self.get("profile", &query).await.1);
                let query = [query[0], query[1], ("limit", "100")];
                read.push_str(&self.get("profile/events", &query).await.1);
            }
        }
        let of = |number: usize| PLACES.iter().filter_map(move |place| place.property(number));
        let properties: BTreeSet<String> = (0..SHAPES.len()).flat_map(of).collect();
        for (place, property) in properties.iter().enumerate() {
            if !is_long() && place % 2 != self.turn {
                continue;
            }
            let answer = match (place / 2 + self.turn) % 2 {
                0 => self.explore("explore", json!({ "group_by": property })).await,
                _ => self.analyze(Kind::Breakdown, property, json!([])).await,
            };
            read.push_str(&answer.1);
        }
        read
    }
}

/// The shortest beginnings that tell the two texts apart: what a letter-by-letter search would try.
fn beginnings(shape: &Shape) -> [&'static str; 2] {
    let same = shape.secret.bytes().zip(shape.wrong.bytes()).take_while(|(a, b)| a == b).count();
    [&shape.secret[..=same], &shape.wrong[..=same]]
}

fn is_long() -> bool {
    std::env::var_os("LONG_TESTS").is_some()
}

/// The number of the secret, where it is, and what is asked with which guesses.
type Question = (usize, Place, Ask, [&'static str; 2]);

/// Every question about every secret in every place.
fn questions() -> Vec<Question> {
    let mut questions = Vec::new();
    for (number, shape) in SHAPES.iter().enumerate() {
        for place in PLACES.iter().copied().filter(|place| place.holds(shape)) {
            for ask in place.asks() {
                questions.push((number, place, ask, [shape.secret, shape.wrong]));
                if !matches!(
                    ask,
                    Ask::Named(_) | Ask::Event | Ask::EventProperties | Ask::Person(_)
                ) {
                    questions.push((number, place, ask, beginnings(shape)));
                }
            }
        }
    }
    questions
}

/// One question of each kind in each place. Which secret it is about, by which operator, and whether the whole
/// text is guessed or its beginning, changes from each to the next.
fn sample(all: Vec<Question>) -> Vec<Question> {
    let mut alike: BTreeMap<(Place, String), Vec<Question>> = BTreeMap::new();
    for question in all {
        alike.entry((question.1, question.2.kind())).or_default().push(question);
    }
    let choose = |(number, mut group): (usize, Vec<Question>)| {
        let about = number % SHAPES.len();
        if group.iter().any(|question| question.0 == about) {
            group.retain(|question| question.0 == about);
        }
        group[number / 2 % group.len()]
    };
    let sample: Vec<Question> = alike.into_values().enumerate().map(choose).collect();
    for shape in SHAPES {
        let of = |guesses: [&str; 2]| sample.iter().filter(|it| it.3 == guesses).count();
        assert!(of([shape.secret, shape.wrong]) > 1 && of(beginnings(shape)) > 1);
    }
    sample
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_hidden_is_learned_by_asking() {
    let server = TestServer::start_with_engine(Store::Sqlite).await;
    let team = server.team("one").await;
    plant(&server, &team).await;
    let questions = if is_long() { questions() } else { sample(questions()) };
    // What is hidden from a person is hidden from a program by the same code, so the program asks fewer
    // questions. A place has fourteen kinds of them: with this step it asks all kinds, in changing places.
    let steps = if is_long() { [1, 1] } else { [1, 5] };
    let key = format!("qk_{}", team.app_id);
    let callers = [
        ("analyst", team.actor("analyst").clone(), None),
        ("query key", server.anonymous(), Some(key)),
    ];
    let mut asked = 0;
    for (turn, (name, actor, key)) in callers.into_iter().enumerate() {
        let adversary =
            Adversary { server: &server, team: &team, actor, key, asked: 0.into(), turn };
        let each = stream::iter(questions.iter().step_by(steps[turn]));
        // Not more at once than one caller is allowed to run.
        each.for_each_concurrent(4, async |(number, place, ask, guesses)| {
            let property = place.property(*number).unwrap_or_default();
            if let Some(answers) = adversary.learns(*ask, &property, *guesses).await {
                panic!("{name} learns {guesses:?} in {place:?} by {ask:?}: {answers:?}");
            }
        })
        .await;
        let read = adversary.read().await;
        for shape in SHAPES {
            assert!(!read.contains(shape.secret), "{name} reads {}", shape.secret);
        }
        asked += adversary.asked.into_inner();
    }
    assert!(asked > if is_long() { 10_000 } else { 350 }, "{asked}");
    // With the right to personal data, every secret is found in every place; otherwise two in each.
    let actor = team.actor("owner").clone();
    let owner =
        Adversary { server: &server, team: &team, actor, key: None, asked: 0.into(), turn: 0 };
    let read = owner.read().await;
    let mut missed = BTreeSet::new();
    for (number, shape) in SHAPES.iter().enumerate() {
        assert!(read.contains(shape.secret), "{}", shape.secret);
        for (at, place) in PLACES.iter().copied().enumerate() {
            if !place.holds(shape) || !is_long() && !(at + number).is_multiple_of(5) {
                continue;
            }
            let property = place.property(number).unwrap_or_default();
            let in_path = place == Place::PathSegment;
            let encoded = |text: &'static str| match in_path {
                true => Box::leak(
                    url::form_urlencoded::byte_serialize(text.as_bytes())
                        .collect::<String>()
                        .replace('+', "%20")
                        .into_boxed_str(),
                ),
                false => text,
            };
            let guesses = [encoded(shape.secret), encoded(shape.wrong)];
            // Objects in lists, and names with a dot, cannot be named in a question; reading finds them.
            let has_no_name = place == Place::ListOfObjects
                || place == Place::PropertyName && shape.secret.contains('.');
            let found =
                has_no_name || owner.learns(place.asks()[0], &property, guesses).await.is_some();
            if !found {
                missed.insert((shape.secret, place));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
    for kind in KINDS {
        let (ask, guesses) =
            (Ask::Analysis(*kind, "contains"), [SHAPES[0].secret, SHAPES[0].wrong]);
        assert!(owner.learns(ask, "note0", guesses).await.is_some(), "{kind:?}");
    }
}
