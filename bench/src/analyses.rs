//! Analyses of an app with ten million events: each kind on a cold cache, against the best statement
//! written by hand for the same question, and asked again; and the memory they take. The statements by hand run
//! before and after the others, because machines are faster and slower at times.
//!
//! The statements by hand follow the same rules: the owner of each device is looked up, and totals come with
//! the answer. The benchmark fails where the figures of the two differ.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use uuid::Uuid;
use warehouse::Warehouse;

use crate::history::{DAY, History};
use crate::overall::{middle, p95_ms};
use crate::program::{self, Account, Program};
use crate::sending;

/// Two fifths of them belong to the first app.
const EVENTS: u64 = 25_000_000;
/// Each question is asked with days that start at another hour, so that nothing is cached.
const ZONES: [&str; 12] = [
    "UTC",
    "Asia/Shanghai",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Asia/Tokyo",
    "America/Los_Angeles",
    "Europe/Moscow",
    "Asia/Dubai",
    "Australia/Sydney",
    "America/Sao_Paulo",
    "America/Chicago",
];
const BY_HAND: usize = 3;
/// Instead of the number of links, where a person is not on a path.
const OUTSIDE: u8 = 9;

struct Kind {
    name: &'static str,
    days: u32,
    goal_ms: f64,
    question: Value,
    by_hand: String,
    /// Figures of the answer that are in the last column of the statement by hand, too.
    figures: Option<fn(&Value) -> Vec<f64>>,
}

#[derive(Default)]
struct ByHand {
    times: Vec<Duration>,
    figures: Vec<f64>,
}

/// What the server took for one kind.
struct Measured {
    kind: Kind,
    cold: Vec<Duration>,
    again: Vec<Duration>,
    /// Figures of the answer that must be among those by hand.
    figures: Vec<f64>,
    rows: u64,
    own_mb: f64,
    engine_mb: f64,
}

pub async fn measure(program: &str) -> anyhow::Result<()> {
    let events = std::env::var("BENCH_EVENTS").map_or(Ok(EVENTS), |text| text.parse())?;
    let History { folder, store, apps, last } = History::make(program, events).await?;
    program::at_rest(&store).await?;
    let mut by_hand: Vec<ByHand> = kinds(apps[0], last).iter().map(|_| ByHand::default()).collect();
    ask_by_hand(&store, apps[0], last, &mut by_hand).await?;
    store.stop().await;
    let server = Program::start_in(program, folder).await?;
    println!("analyses of one app, {events} events in all, two fifths of them its own");
    // The first request starts the engine.
    let cohort = cohort(&server.account).await?;
    let mut measured = Vec::new();
    for mut kind in kinds(apps[0], last) {
        let text = kind.question.to_string().replace("COHORT", &cohort);
        kind.question = serde_json::from_str(&text)?;
        measured.push(answers(&server, kind, last).await?);
    }
    let folder = server.end()?;
    let store = program::open_store(program, folder.path())?;
    store.ready(Duration::from_secs(60)).await?;
    ask_by_hand(&store, apps[0], last, &mut by_hand).await?;
    for (measured, by_hand) in measured.iter().zip(&by_hand) {
        measured.print(by_hand)?;
    }
    fill_columns(&store, apps[0]).await?;
    store.stop().await;
    let server = Program::start_in(program, folder).await?;
    // The first request starts the engine.
    size_of(&server.account, &cohort).await?;
    let mut first = kinds(apps[0], last).swap_remove(0);
    first.name = "the first, of properties with columns";
    answers(&server, first, last).await?.print(&by_hand[0])
}

async fn ask_by_hand(
    store: &Warehouse,
    app: Uuid,
    last: u32,
    by_hand: &mut [ByHand],
) -> anyhow::Result<()> {
    let patient = store.patient(Duration::from_secs(300));
    for (kind, by_hand) in kinds(app, last).iter().zip(by_hand) {
        let sql = &kind.by_hand;
        for _ in 0..BY_HAND {
            let started = Instant::now();
            patient.bytes(&format!("{sql} FORMAT Null"), &[]).await?;
            by_hand.times.push(started.elapsed());
        }
        let rows = patient.bytes(&format!("{sql} FORMAT TSV"), &[]).await?;
        let last_column =
            |row: &str| row.rsplit('\t').next().and_then(|figure| figure.parse().ok());
        by_hand.figures = std::str::from_utf8(&rows)?.lines().filter_map(last_column).collect();
    }
    Ok(())
}

/// Assigns columns to the properties of the first question, and prints how long it takes to fill them.
async fn fill_columns(store: &Warehouse, app: Uuid) -> anyhow::Result<()> {
    let now = sending::now_ms() / 1_000;
    for name in ["seats", "price"] {
        store.add_property_column(app, &[name.to_owned()], now).await?;
    }
    let started = Instant::now();
    loop {
        let left = store.property_column_work(now).await?;
        let Some(first) = left.first() else { break };
        if !store.begin_property_column_work(first).await? {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
    println!("  two properties got columns within {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// Everyone who saw a page in the ninety days of the history: nearly all people. A cohort's days end now, not
/// with yesterday, so it takes more than ninety to cover all of them.
async fn cohort(account: &Account) -> anyhow::Result<String> {
    let did = json!({ "is": "did", "event": { "events": ["page_view"] }, "not": false, "times": 1, "days": 100 });
    let body =
        json!({ "name": "Some", "shared": true, "definition": { "of": "rule", "all": [did] } });
    let made = account.post(&format!("/apps/{}/cohorts", account.app), &body).await?;
    let id = made["data"]["id"].as_str().context("a cohort")?.to_owned();
    println!("  the cohort has {} people", size_of(account, &id).await?);
    Ok(id)
}

async fn size_of(account: &Account, cohort: &str) -> anyhow::Result<Value> {
    let size = account.get(&format!("/apps/{}/cohorts/{cohort}/size", account.app)).await?;
    Ok(size["data"]["people"].clone())
}

async fn answers(server: &Program, kind: Kind, last: u32) -> anyhow::Result<Measured> {
    let path = format!("/apps/{}/analyses/run", server.account.app);
    let ask = async |zone: &str| -> anyhow::Result<(Duration, Value)> {
        let mut body = kind.question.clone();
        body["start"] = json!(date(last + 1 - kind.days));
        body["end"] = json!(date(last));
        body["timezone"] = json!(zone);
        let started = Instant::now();
        let answer = server.account.post(&path, &body).await?;
        Ok((started.elapsed(), answer))
    };
    server.forget_peaks()?;
    let (mut cold, mut rows) = (Vec::new(), 0);
    for zone in ZONES {
        let (time, answer) = ask(zone).await?;
        cold.push(time);
        rows = answer["data"]["rows_read"].as_u64().unwrap_or(0);
    }
    let (own_mb, engine_mb) = server.peaks_mb()?;
    let mut again = Vec::new();
    for _ in 0..20 {
        again.push(ask(ZONES[0]).await?.0);
    }
    let figures = match kind.figures {
        Some(figures) => figures(&ask("UTC").await?.1["data"]),
        None => Vec::new(),
    };
    Ok(Measured { kind, cold, again, figures, rows, own_mb, engine_mb })
}

impl Measured {
    fn print(&self, by_hand: &ByHand) -> anyhow::Result<()> {
        let Self { kind, cold, again, figures, rows, own_mb, engine_mb } = self;
        ensure!(
            are_among(figures, &by_hand.figures),
            "{}: {figures:?} are not all among {:?}",
            kind.name,
            by_hand.figures
        );
        let (own, hand) = (middle(cold.clone()), middle(by_hand.times.clone()));
        println!(
            "  {:<42} median {:>5.0} ms, p95 {:>5.0} (goal ≤ {:>4.0}); by hand {:>5.0}, ratio {:.2} \
             (goal ≤ 1.3); again p95 {:>6.1} ms (goal ≤ 20); {rows} rows; server {own_mb:.0} MB, engine \
             {engine_mb:.0} MB at most",
            kind.name,
            own * 1e3,
            p95_ms(cold.clone()),
            kind.goal_ms,
            hand * 1e3,
            own / hand,
            p95_ms(again.clone()),
        );
        Ok(())
    }
}

/// Whether all of some figures are among others; sums of decimals differ in their last digits.
fn are_among(some: &[f64], others: &[f64]) -> bool {
    let mut others = others.to_vec();
    !some.is_empty()
        && some.iter().all(|figure| {
            let found =
                others.iter().position(|other| (figure - other).abs() <= other.abs() * 1e-9);
            found.map(|place| others.swap_remove(place)).is_some()
        })
}

/// The total of a trend and its points.
fn of_trend(data: &Value) -> Vec<f64> {
    let series = &data["series"][0];
    let points = series["points"].as_array().into_iter().flatten();
    points.chain([&series["total"]]).filter_map(Value::as_f64).collect()
}

/// Covers the whole weeks in the range, and the week before them.
fn of_lifecycle(data: &Value) -> Vec<f64> {
    let points = data["points"].as_array().into_iter().flatten().skip(2);
    let states = points.flat_map(|point| {
        ["new", "returning", "resurrected", "dormant"].map(|state| point[state].as_f64())
    });
    states.flatten().filter(|people| *people > 0.0).collect()
}

fn of_funnel(data: &Value) -> Vec<f64> {
    let steps = data["steps"].as_array().into_iter().flatten();
    steps.filter_map(|step| step["people"].as_f64()).collect()
}

/// Without the weeks that nobody returned in, or that are not over.
fn of_retention(data: &Value) -> Vec<f64> {
    let cohorts = data["cohorts"].as_array().into_iter().flatten();
    let returned = cohorts.flat_map(|cohort| cohort["returned"].as_array().into_iter().flatten());
    returned.filter_map(Value::as_f64).filter(|people| *people > 0.0).collect()
}

/// Without the steps that are not listed.
fn of_paths(data: &Value) -> Vec<f64> {
    let is_listed =
        |link: &&Value| ["source", "target"].iter().all(|end| link[end]["kind"] == json!("event"));
    let links = data["links"].as_array().into_iter().flatten().filter(is_listed);
    links.filter_map(|link| link["people"].as_f64()).collect()
}

fn of_distribution(data: &Value) -> Vec<f64> {
    let bins = data["bins"].as_array().into_iter().flatten();
    bins.filter_map(|bin| bin["people"].as_f64()).filter(|people| *people > 0.0).collect()
}

fn kinds(app: Uuid, last: u32) -> Vec<Kind> {
    let event = |name: &str| json!({ "events": [name] });
    let of = |days: u32| {
        let (from, to) = ((last + 1 - days) * DAY, (last + 1) * DAY);
        format!(
            "events WHERE app_id = '{app}' AND time >= toDateTime({from}, 'UTC') \
             AND time < toDateTime({to}, 'UTC')"
        )
    };
    let (week, month, history) = (of(7), of(30), of(90));
    let owners = format!(
        "(SELECT device_no AS person_no, min(first).2 AS owner FROM device_owners \
         WHERE app_id = '{app}' GROUP BY device_no)"
    );
    // Adds the person that each number belongs to.
    let people = |columns: &str, rows: &str| {
        format!(
            "(SELECT {columns}, if(owner > 0, owner, person_no) AS person \
             FROM ({rows}) AS numbered ANY LEFT JOIN {owners} AS owned USING (person_no))"
        )
    };
    let first_week = (last + 1 - 84) * DAY;
    vec![
        Kind {
            name: "trend, a sum by a property, 30 days",
            days: 30,
            goal_ms: 1_000.0,
            question: json!({ "kind": "trend", "breakdown": ["seats"], "series": [
                { "events": ["page_view"], "measure": { "of": "sum", "property": "price" } },
            ] }),
            by_hand: format!(
                "SELECT value, day, sum(price) AS amount FROM (SELECT toDate(time) AS day, \
                    JSONExtractRaw(properties, 'seats') AS value, \
                    sum(JSONExtractFloat(properties, 'price')) AS price \
                 FROM {month} AND event = 'page_view' GROUP BY day, value) \
                 GROUP BY GROUPING SETS ((), (day), (value), (value, day))"
            ),
            figures: Some(of_trend),
        },
        Kind {
            name: "trend, people by page, 30 days",
            days: 30,
            goal_ms: 1_000.0,
            question: json!({ "kind": "trend", "breakdown": ["$url_path"], "series": [
                { "events": ["page_view"], "measure": { "of": "people" } },
            ] }),
            by_hand: format!(
                "SELECT url_path, day, groupBitmap(person) FROM {} \
                 GROUP BY GROUPING SETS ((), (day), (url_path), (url_path, day))",
                people(
                    "day, url_path",
                    &format!(
                        "SELECT toDate(time) AS day, url_path, person_no \
                         FROM {month} AND event = 'page_view' GROUP BY day, url_path, person_no"
                    )
                )
            ),
            figures: Some(of_trend),
        },
        Kind {
            name: "funnel of 4 steps, 30 days",
            days: 30,
            goal_ms: 1_500.0,
            question: json!({ "kind": "funnel", "window_minutes": 1_440, "steps": [
                event("page_view"), event("event 0"), event("event 1"), event("event 2"),
            ] }),
            // windowFunnel takes events of the same millisecond in the order of the steps, too.
            by_hand: format!(
                "SELECT arrayJoin([countIf(level > 0), countIf(level > 1), countIf(level > 2), countIf(level > 3)]) \
                 FROM (SELECT person, windowFunnel(86400000)(at, event = 'page_view', event = 'event 0', \
                     event = 'event 1', event = 'event 2') AS level FROM {} GROUP BY person)",
                people(
                    "at, event",
                    &format!(
                        "SELECT toUInt64(toUnixTimestamp64Milli(time)) AS at, event, person_no \
                         FROM {month} AND event IN ('page_view', 'event 0', 'event 1', 'event 2')"
                    )
                )
            ),
            figures: Some(of_funnel),
        },
        Kind {
            name: "retention, 12 weeks",
            days: 84,
            goal_ms: 1_500.0,
            question: json!({ "kind": "retention", "unit": "week", "units": 11,
                "first": event("page_view"), "returning": { "events": [] } }),
            by_hand: format!(
                "SELECT first, week, count() FROM (SELECT arrayJoin(firsts) AS first, weeks FROM (\
                     SELECT person, groupUniqArrayIf(week, did) AS firsts, groupUniqArray(week) AS weeks \
                     FROM {} GROUP BY person)) ARRAY JOIN weeks AS week \
                 WHERE week >= first GROUP BY first, week",
                people(
                    "week, did",
                    &format!(
                        "SELECT toMonday(time) AS week, max(event = 'page_view') AS did, person_no \
                         FROM events WHERE app_id = '{app}' \
                         AND time >= toMonday(toDateTime({first_week}, 'UTC')) GROUP BY week, person_no"
                    )
                )
            ),
            figures: Some(of_retention),
        },
        Kind {
            name: "paths of 5 steps, 7 days",
            days: 7,
            goal_ms: 2_000.0,
            question: json!({ "kind": "paths", "from": event("page_view"), "steps": 5 }),
            // Goes through each person's events like the question: a path has five links, ends with the
            // session, and leaves out repeated steps.
            by_hand: format!(
                "SELECT link, count() FROM (SELECT arrayJoin(arrayDistinct(arrayFold((path, event) -> multiIf( \
                        (path.1 = {OUTSIDE}) OR (event.1 - path.3 > 1800000), \
                            (if(event.3, toUInt8(0), toUInt8({OUTSIDE})), event.2, event.1, path.4), \
                        event.2 = path.2, (path.1, path.2, event.1, path.4), \
                        (if(path.1 = 4, toUInt8({OUTSIDE}), toUInt8(path.1 + 1)), event.2, event.1, \
                            arrayPushBack(path.4, (toUInt8(path.1 + 1), path.2, event.2)))), \
                    arraySort(groupArray((at, step, is_start))), \
                    (toUInt8({OUTSIDE}), '', toInt64(0), CAST([], 'Array(Tuple(UInt8, String, String))'))).4)) \
                 AS link FROM {} GROUP BY person) GROUP BY link",
                people(
                    "at, step, is_start",
                    &format!(
                        "SELECT toUnixTimestamp64Milli(time) AS at, event = 'page_view' AS is_start, \
                         concat(event, if(is_start, url_path, '')) AS step, person_no FROM {week}"
                    )
                )
            ),
            figures: Some(of_paths),
        },
        Kind {
            name: "people of a cohort, 30 days",
            days: 30,
            goal_ms: 1_500.0,
            question: json!({ "kind": "trend",
                "series": [{ "events": [], "measure": { "of": "people" } }],
                "filters": { "all": [{ "property": "$cohort:COHORT", "operator": "is", "values": [] }] } }),
            by_hand: format!(
                "SELECT day, groupBitmap(person) FROM {} WHERE person IN (SELECT person FROM {}) \
                 GROUP BY GROUPING SETS ((), (day))",
                people(
                    "day",
                    &format!(
                        "SELECT toDate(time) AS day, person_no FROM {month} GROUP BY day, person_no"
                    )
                ),
                people(
                    "1 AS one",
                    &format!("SELECT DISTINCT person_no FROM {history} AND event = 'page_view'")
                )
            ),
            figures: Some(of_trend),
        },
        Kind {
            name: "lifecycle by week, 12 weeks",
            days: 84,
            goal_ms: 1_500.0,
            question: json!({ "kind": "lifecycle", "granularity": "week" }),
            by_hand: format!(
                "SELECT state, week, count() FROM (SELECT arraySort(groupUniqArray(week)) AS all, \
                    arrayJoin(arrayConcat( \
                        arrayMap(w -> (w, multiIf(w = all[1], 'new', has(all, w - 7), 'returning', \
                            'resurrected')), all), \
                        arrayMap(w -> (w + 7, 'dormant'), arrayFilter(w -> NOT has(all, w + 7), all)) \
                    )) AS at, at.1 AS week_of_state, at.2 AS state \
                 FROM {} GROUP BY person) \
                 WHERE week_of_state >= toMonday(toDateTime({first_week}, 'UTC')) \
                    AND week_of_state <= toMonday(toDateTime({}, 'UTC')) \
                 GROUP BY state, week_of_state AS week",
                people(
                    "week",
                    &format!(
                        "SELECT toMonday(time) AS week, person_no FROM {history} GROUP BY week, person_no"
                    )
                ),
                (last + 1) * DAY - 1
            ),
            figures: Some(of_lifecycle),
        },
        Kind {
            name: "distribution of days, 30 days",
            days: 30,
            goal_ms: 1_000.0,
            question: json!({ "kind": "distribution", "event": event("page_view"), "of": "days" }),
            by_hand: format!(
                "SELECT roundDown(days, [1, 2, 3, 4, 5, 6, 7, 8, 15, 22]) AS bin, sum(times) AS events, \
                     count() AS people \
                 FROM (SELECT uniqExact(day) AS days, sum(times) AS times FROM {} GROUP BY person) GROUP BY bin",
                people(
                    "day, times",
                    &format!(
                        "SELECT toDate(time) AS day, count() AS times, person_no \
                         FROM {month} AND event = 'page_view' GROUP BY day, person_no"
                    )
                )
            ),
            figures: Some(of_distribution),
        },
    ]
}

fn date(day: u32) -> String {
    let epoch = jiff::civil::date(1970, 1, 1);
    epoch.checked_add(jiff::Span::new().days(i64::from(day))).unwrap_or(epoch).to_string()
}
