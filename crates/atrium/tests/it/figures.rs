//! `/metrics`: one registry of metrics, compared with the code that writes them, with what a server shows
//! right after its start, with the operator's documentation, and with the dashboard and alerts in deploy/.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use crate::process::Server;
use crate::support::sender::event;
use crate::support::{PASSWORD, Store, TestServer};
use atrium::figures::{self, Kind};
use atrium::fleet::measure;
use atrium::fleet::runs::{self, Job};
use serde_json::{Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

/// What a server shows right after its start.
static FRESH: LazyLock<Shown> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let answer = server.request("GET /metrics HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    Shown::read(&answer)
});

type Labels = BTreeMap<String, String>;

#[derive(Default)]
struct Shown {
    kinds: BTreeMap<String, String>,
    helps: BTreeSet<String>,
    series: BTreeMap<String, Vec<(Labels, f64)>>,
}

impl Shown {
    fn read(text: &str) -> Self {
        let mut shown = Self::default();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                shown.kinds.insert(name.to_owned(), kind.to_owned());
            } else if let Some(rest) = line.strip_prefix("# HELP ") {
                shown.helps.insert(rest.split(' ').next().unwrap().to_owned());
            } else if line.starts_with("atrium_") {
                let (series, value) = line.rsplit_once(' ').unwrap();
                let (name, labels) = series.split_once('{').unwrap_or((series, ""));
                let labels = labels.trim_end_matches('}').split("\",").filter(|it| !it.is_empty());
                let labels = labels.map(|label| {
                    let (name, value) = label.split_once("=\"").unwrap();
                    (name.to_owned(), value.trim_end_matches('"').to_owned())
                });
                let of_name = shown.series.entry(name.to_owned()).or_default();
                of_name.push((labels.collect(), value.parse().unwrap()));
            }
        }
        shown
    }

    fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let is_it = |has: &Labels| {
            has.len() == labels.len()
                && labels.iter().all(|(name, value)| has.get(*name).is_some_and(|it| it == value))
        };
        self.series.get(name)?.iter().find(|(has, _)| is_it(has)).map(|(_, value)| *value)
    }

    /// The labels of a PromQL series; `…_bucket` and the like belong to a histogram.
    fn labels_of(&self, name: &str) -> Option<BTreeMap<&str, BTreeSet<&str>>> {
        let mut labels = BTreeMap::<&str, BTreeSet<&str>>::new();
        for (has, _) in self.series.get(name)? {
            for (name, value) in has {
                labels.entry(name).or_default().insert(value);
            }
        }
        Some(labels)
    }
}

async fn shown(server: &TestServer) -> Shown {
    let text = http_client::local().get(format!("{}/metrics", server.url)).send().await.unwrap();
    Shown::read(&text.text().await.unwrap())
}

#[test]
fn every_figure_is_there_from_the_start() {
    for figure in figures::all() {
        let name = figure.name;
        assert_eq!(FRESH.kinds.get(name).map(String::as_str), Some(figure.kind.as_str()), "{name}");
        assert!(FRESH.helps.contains(name), "{name} has no help");
        let counted = match figure.kind {
            Kind::Histogram => format!("{name}_count"),
            Kind::Counter | Kind::Gauge => name.to_owned(),
        };
        for labels in figure.series() {
            assert!(FRESH.value(&counted, &labels).is_some(), "{counted} {labels:?}");
        }
    }
    let version = atrium::http::CLIENT_VERSION;
    let (labels, value) = &FRESH.series["atrium_build_info"][0];
    assert_eq!((labels["version"].as_str(), *value), (version, 1.0));
}

#[test]
fn a_server_shows_nothing_that_is_not_in_the_registry() {
    let known: BTreeSet<_> = figures::all().iter().map(|figure| figure.name).collect();
    let unknown: Vec<_> =
        FRESH.kinds.keys().filter(|name| !known.contains(name.as_str())).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Every `counter!("atrium_…"` and the like in the sources of all crates, with its kind.
fn written() -> BTreeMap<String, Kind> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(Path::new(ROOT).join("crates")).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    let macros =
        [("counter!(", Kind::Counter), ("gauge!(", Kind::Gauge), ("histogram!(", Kind::Histogram)];
    let mut found = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for (call, kind) in macros {
            for after in text.split(call).skip(1) {
                let Some(rest) = after.trim_start().strip_prefix('"') else { continue };
                found.insert(rest.split('"').next().unwrap().to_owned(), kind);
            }
        }
    }
    found
}

#[test]
fn the_registry_knows_what_the_code_writes_and_nothing_else() {
    let written = written();
    let known: BTreeMap<_, _> =
        figures::all().into_iter().map(|figure| (figure.name.to_owned(), figure.kind)).collect();
    assert!(written.len() > 40, "{}", written.len());
    assert_eq!(written, known);
}

#[test]
fn the_operators_page_lists_every_figure() {
    let page = file("docs/operating.md");
    let table = figures::page();
    assert!(page.contains(&table), "docs/operating.md must have this table:\n{table}");
}

/// Label, operator and value.
type Condition = (String, String, String);

/// One PromQL expression: its series with their selectors, and the labels it groups by.
#[derive(Debug, Default)]
struct Expression {
    selected: Vec<(String, Vec<Condition>)>,
    grouped: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Mark(char),
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        if next == '"' {
            let value: String = rest.by_ref().take_while(|c| *c != '"').collect();
            tokens.push(Token::Text(value));
        } else if next.is_ascii_alphabetic() || next == '_' || next == '$' {
            let mut word = next.to_string();
            while let Some(c) = rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                word.push(c);
            }
            tokens.push(Token::Word(word));
        } else if !next.is_whitespace() {
            tokens.push(Token::Mark(next));
        }
    }
    tokens
}

impl Expression {
    fn read(text: &str) -> Self {
        let tokens = tokens(text);
        let mut read = Self::default();
        let mut at = 0;
        while at < tokens.len() {
            let Token::Word(word) = &tokens[at] else {
                at += 1;
                continue;
            };
            at += 1;
            if word.starts_with("atrium_") {
                let mut conditions = Vec::new();
                if tokens.get(at) == Some(&Token::Mark('{')) {
                    let end =
                        (at..tokens.len()).find(|it| tokens[*it] == Token::Mark('}')).unwrap();
                    for part in tokens[at + 1..end].split(|token| *token == Token::Mark(',')) {
                        let [Token::Word(label), marks @ .., Token::Text(value)] = part else {
                            panic!("{text}: {part:?}")
                        };
                        let operator = marks.iter().map(|mark| match mark {
                            Token::Mark(mark) => *mark,
                            other => panic!("{text}: {other:?}"),
                        });
                        conditions.push((label.clone(), operator.collect(), value.clone()));
                    }
                    at = end + 1;
                }
                read.selected.push((word.clone(), conditions));
            } else if matches!(word.as_str(), "by" | "without" | "on" | "ignoring") {
                let end = (at..tokens.len()).find(|it| tokens[*it] == Token::Mark(')')).unwrap();
                read.grouped.extend(tokens[at..end].iter().filter_map(|token| match token {
                    Token::Word(label) => Some(label.clone()),
                    _ => None,
                }));
                at = end;
            }
        }
        read
    }
}

/// The label that Prometheus itself adds.
const TARGET: [&str; 1] = ["instance"];

fn check(expression: &str) {
    let read = Expression::read(expression);
    assert!(!read.selected.is_empty(), "{expression} asks for nothing of ours");
    let mut labels = BTreeSet::from(TARGET);
    for (name, conditions) in &read.selected {
        let known = FRESH.labels_of(name);
        let known = known.unwrap_or_else(|| panic!("{name} of {expression} is not in /metrics"));
        labels.extend(known.keys());
        for (label, operator, value) in conditions {
            if TARGET.contains(&label.as_str()) {
                continue;
            }
            let values = known.get(label.as_str());
            let values = values.unwrap_or_else(|| panic!("{expression}: {name} has no {label}"));
            let wanted: Vec<_> = match operator.as_str() {
                "=" | "!=" => vec![value.as_str()],
                "=~" | "!~" => value.split('|').collect(),
                other => panic!("{expression}: {other}"),
            };
            for value in wanted {
                assert!(values.contains(value), "{expression}: {label} is never {value}");
            }
        }
    }
    for label in &read.grouped {
        assert!(labels.contains(label.as_str()), "{expression}: nothing has the label {label}");
    }
}

/// Collects the text under this key anywhere in the dashboard.
fn texts<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == key => found.push(text),
                    value => texts(value, key, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, key, found)),
        _ => {}
    }
}

#[test]
fn the_dashboard_asks_for_figures_that_exist() {
    let board: Value = serde_json::from_str(&file("deploy/grafana/atrium.json")).unwrap();
    let mut expressions = Vec::new();
    texts(&board, "expr", &mut expressions);
    texts(&board, "definition", &mut expressions);
    assert!(expressions.len() > 40, "{}", expressions.len());
    let mut used = BTreeSet::new();
    for expression in expressions {
        check(expression);
        used.extend(Expression::read(expression).selected.into_iter().map(|(name, _)| name));
    }
    // The dashboard shows every metric.
    for figure in figures::all() {
        let is_used = used.iter().any(|name| {
            let ending = name.strip_prefix(figure.name);
            ending.is_some_and(|it| matches!(it, "" | "_bucket" | "_sum" | "_count"))
        });
        assert!(is_used, "{} is not on the dashboard", figure.name);
    }
    let panels = board["panels"].as_array().unwrap();
    let rows: Vec<_> =
        panels.iter().filter(|it| it["type"] == "row").map(|it| &it["title"]).collect();
    for row in ["Traffic", "Collecting", "Loading", "Reading", "Sign-in", "Stores", "Jobs"] {
        assert!(rows.contains(&&json!(row)), "{row}");
    }
    let ids: BTreeSet<_> = panels.iter().map(|it| it["id"].as_i64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len(), "every panel has an id of its own");
}

#[derive(Debug, Default)]
struct Alert {
    fields: BTreeMap<String, String>,
}

/// The alert rules, parsed as far as this test needs: keys with a text, which may continue on the next lines
/// (`>-`).
fn alerts() -> Vec<Alert> {
    let text = file("deploy/prometheus/alerts.yml");
    let mut alerts = Vec::<Alert>::new();
    let mut folded: Option<(usize, String)> = None;
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let depth = line.len() - line.trim_start().len();
        if let Some((above, key)) = &folded
            && depth > *above
        {
            let field = alerts.last_mut().unwrap().fields.get_mut(key).unwrap();
            *field = format!("{field} {}", line.trim()).trim().to_owned();
            continue;
        }
        folded = None;
        let Some((key, value)) = line.trim().trim_start_matches("- ").split_once(':') else {
            continue;
        };
        let value = value.trim().trim_matches('\'');
        if key == "alert" {
            alerts.push(Alert::default());
        }
        if let Some(alert) = alerts.last_mut() {
            let text = if value == ">-" { "" } else { value };
            alert.fields.insert(key.to_owned(), text.to_owned());
            folded = (value == ">-").then(|| (depth, key.to_owned()));
        }
    }
    alerts
}

#[test]
fn every_alert_asks_for_figures_that_exist_and_says_what_to_do() {
    let alerts = alerts();
    assert!(alerts.len() > 15, "{}", alerts.len());
    let page = file("docs/operating.md");
    let health = page.split("\n## ").find(|chapter| chapter.starts_with("Health\n")).unwrap();
    let mut sections = BTreeSet::new();
    for Alert { fields } in &alerts {
        let name = &fields["alert"];
        check(&fields["expr"]);
        assert!(matches!(fields["severity"].as_str(), "critical" | "warning"), "{name}");
        assert!(!fields["summary"].is_empty(), "{name}");
        // An expression over a period of time needs no `for`.
        let waits = ["increase(", "_away_seconds"].iter().any(|it| fields["expr"].contains(it));
        assert!(fields.contains_key("for") || waits, "{name}");
        let section = fields["docs"].strip_prefix("Health: ").unwrap();
        assert!(health.contains(&format!("\n### {section}\n")), "{name}: {section}");
        assert!(health.contains(&format!("`{name}`")), "{name} is not in docs/operating.md");
        sections.insert(section);
    }
    let written = health.matches("\n### ").count();
    assert!(written >= sections.len(), "{written}");
}

#[test]
fn a_selector_that_finds_nothing_is_found() {
    for wrong in [
        "rate(atrium_no_such_total[5m])",
        "atrium_reads_running{color=\"blue\"}",
        "atrium_reads_running{class=\"blue\"}",
        "sum by (color) (atrium_reads_running)",
    ] {
        assert!(std::panic::catch_unwind(|| check(wrong)).is_err(), "{wrong}");
    }
    check("sum by (class, instance) (atrium_reads_running{class=~\"dashboard|question\"}) > 1");
}

/// Metrics belong to the process, and other tests run in it: they grow by at least this much.
async fn grows(server: &TestServer, name: &str, labels: &[(&str, &str)], by: f64, before: &Shown) {
    let after = shown(server).await;
    let (before, after) = (before.value(name, labels), after.value(name, labels));
    assert!(after.unwrap() >= before.unwrap() + by, "{name} {labels:?}: {before:?} {after:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_ins_are_counted_by_method_and_outcome() {
    let server = TestServer::start(Store::Sqlite).await;
    let before = shown(&server).await;
    server.owner("jane@example.com").await;
    let name = "atrium_sign_ins_total";
    let of = |outcome| [("method", "password"), ("outcome", outcome)];
    grows(&server, name, &of("signed_in"), 1.0, &before).await;
    for _ in 0..12 {
        server.anonymous().login("jane@example.com", "wrong").await;
    }
    grows(&server, name, &of("refused"), 10.0, &before).await;
    grows(&server, name, &of("throttled"), 1.0, &before).await;
    let answer = server.anonymous().login("jane@example.com", PASSWORD).await;
    assert_eq!(answer.status, 429, "{answer:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_are_counted_by_what_became_of_them() {
    let server = TestServer::start(Store::Sqlite).await;
    let team = server.team("one").await;
    let key = server.collect_key(team.app_id.as_str()).await;
    let before = shown(&server).await;
    let event = event(&server, "a");
    let answer = server.collect(&key, json!([event, event, { "type": "Nonsense" }])).await;
    let (messages, rejected) = ("atrium_collect_messages_total", "atrium_collect_rejected_total");
    for outcome in ["accepted", "duplicate", "rejected"] {
        grows(&server, messages, &[("outcome", outcome)], 1.0, &before).await;
    }
    let reason = answer.body["data"]["errors"][0]["code"].as_str().unwrap().to_owned();
    grows(&server, rejected, &[("reason", &reason)], 1.0, &before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_server_stands_on_is_measured() {
    for store in [Store::Sqlite, Store::Postgres] {
        let server = TestServer::start_with_engine_and(store, |raw| {
            raw.database_connections = Some(7);
        })
        .await;
        server.atrium.warehouse.ready(Duration::from_secs(60)).await.unwrap();
        let before = shown(&server).await;
        server.atrium.warehouse.about().await.unwrap();
        let statements = "atrium_event_store_statement_seconds_count";
        grows(&server, statements, &[("kind", "read")], 1.0, &before).await;
        let refused = server.atrium.warehouse.query::<Value>("SELECT no_such_column", &[]).await;
        assert!(refused.is_err());
        let failures = "atrium_event_store_statement_failures_total";
        let labels = [("kind", "read"), ("reason", "refused")];
        grows(&server, failures, &labels, 1.0, &before).await;

        let held = server.atrium.db.read().await.unwrap();
        let pools = server.atrium.db.pool_use();
        assert!(pools.iter().any(|pool| pool.in_use > 0));
        if store == Store::Postgres {
            assert_eq!(pools[0].most, 7, "as the setting says");
        }
        drop(held);
        measure::measure(&server.atrium).await.unwrap();
        let shown = shown(&server).await;
        let pool = if store == Store::Postgres { "shared" } else { "read" };
        for (name, labels) in [
            ("atrium_database_connections_max", vec![("pool", pool)]),
            ("atrium_disk_free_bytes", vec![]),
            ("atrium_disk_bytes", vec![]),
            ("atrium_resident_bytes", vec![("process", "server")]),
        ] {
            assert!(shown.value(name, &labels).unwrap() > 0.0, "{name}");
        }
        if store == Store::Sqlite && cfg!(target_os = "linux") {
            assert!(server.atrium.warehouse.engine_memory().unwrap() > 1 << 20);
        }
    }
}

/// The engine's working directory is a folder of its store.
#[cfg(target_os = "linux")]
fn engine_in(folder: &Path) -> Option<u32> {
    let folder = folder.canonicalize().ok()?;
    std::fs::read_dir("/proc").ok()?.filter_map(Result::ok).find_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let works_in = std::fs::read_link(entry.path().join("cwd")).ok()?;
        works_in.starts_with(&folder).then_some(pid)
    })
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_engine_that_ends_is_counted() {
    let server = TestServer::start_with_engine(Store::Sqlite).await;
    let store = &server.atrium.warehouse;
    store.ready(Duration::from_secs(60)).await.unwrap();
    let (before, generation) = (shown(&server).await, store.generation());
    let pid = engine_in(server.folder()).expect("an engine runs").to_string();
    let killed = std::process::Command::new("kill").args(["-KILL", &pid]).status();
    assert!(killed.unwrap().success());
    let started = async {
        while store.generation() <= generation {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), started).await.unwrap();
    grows(&server, "atrium_engine_restarts_total", &[], 1.0, &before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_of_jobs_are_counted() {
    let server = TestServer::start(Store::Sqlite).await;
    let before = shown(&server).await;
    runs::run(&server.atrium, Job::Purge, async { Ok::<_, String>(3) }).await;
    runs::run(&server.atrium, Job::Purge, async { Err("no room".to_owned()) }).await;
    for outcome in ["ok", "failed"] {
        let labels = [("task", "purge"), ("outcome", outcome)];
        grows(&server, "atrium_job_runs_total", &labels, 1.0, &before).await;
    }
    grows(&server, "atrium_job_seconds_count", &[("task", "purge")], 2.0, &before).await;
    let last = "atrium_job_last_success_timestamp_seconds";
    let at = shown(&server).await.value(last, &[("task", "purge")]).unwrap();
    assert!(at > 1_700_000_000.0, "{at}");
}
