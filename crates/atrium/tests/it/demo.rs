//! `atrium demo`: what it creates, that the figures agree, and when it refuses.

mod figures;
mod stories;

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::Duration;

use crate::process::{Server, atrium as program, output, post, text};
use crate::support::running::Running;
use crate::support::sender::{AccessKey, event, mutation};
use crate::support::{Actor, Store, TestServer, engine_library, in_both_sizes};
use atrium::demo::{self, Batch, Options, Outcome, Plan, Report};
use atrium::types::Millis;
use serde_json::{Value, json};
use uuid::Uuid;
use warehouse::{Location, Warehouse};

const EVENTS: u64 = 40_000;
const DAYS: u16 = 90;

fn options(events: u64) -> Options {
    Options { events, days: DAYS, seed: Some(11), again: false, json: false }
}

async fn made(server: &TestServer, options: &Options) -> Report {
    match demo::fill(&server.atrium, options).await.unwrap() {
        Outcome::Made(report) => *report,
        Outcome::ThereAlready(owner) => panic!("{owner} is there already"),
    }
}

in_both_sizes! {
    async fn a_demo_adds_up_and_looks_alive(server: TestServer) {
        let report = made(&server, &options(EVENTS)).await;
        figures::figures_agree(&server, &report).await;
        for app in report.teams.iter().flat_map(|team| &team.apps) {
            figures::days_and_nights(&server, app.id.as_str(), app.timezone).await;
        }
        figures::releases_bring_errors(&server).await;
        figures::people_have_profiles(&server).await;
        everyone_can_sign_in(&server, &report).await;
        keys_work(&server, &report).await;

        // No mail goes to the invented people, and the audit log verifies.
        atrium::outbox::mail::send_due(&server.atrium).await.unwrap();
        assert!(server.mails().is_empty());
        let mut db = server.atrium.db.read().await.unwrap();
        let (seen, faults) =
            atrium::audit::verify(&mut db, &server.atrium.keyring).await.unwrap();
        assert!(seen > 40 && faults.is_empty());
        drop(db);
        figures::fewer_and_fewer_come_back(&server, &report).await;
        everything_is_in_its_place(&server, &report).await;
    }
}

/// So many events that the stories stand out from the noise.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_demo_has_stories_to_find() {
    let server = TestServer::start_with_engine(Store::Sqlite).await;
    let report = made(&server, &options(6 * EVENTS)).await;
    stories::can_be_found(&server, &report).await;
}

async fn everyone_can_sign_in(server: &TestServer, report: &Report) {
    let mut reached = Vec::new();
    for person in &report.people {
        let actor = server.anonymous();
        let answer = actor.login(&person.email, &report.password).await;
        assert_eq!(answer.status, 200, "{} {answer:?}", person.email);
        let orgs = actor.get("/api/v1/orgs").await;
        let orgs = orgs.body["data"]["items"].as_array().unwrap();
        assert_eq!(orgs.len(), person.teams.len());
        reached.push(orgs.iter().map(|org| org["app_count"].as_u64().unwrap()).sum::<u64>());
    }
    // The first person owns both teams; the others see what their role allows, down to a single app.
    assert_eq!(reached[0], 6);
    assert!(reached.contains(&1) && reached.contains(&3), "{reached:?}");
    let secrets: HashSet<_> =
        report.teams.iter().flat_map(|team| &team.apps).map(|app| &app.access_key.secret).collect();
    assert_eq!(secrets.len(), 6);
}

/// Every app is marked as having events, so that nobody lands on the quick start, and names are sorted as
/// people expect.
async fn everything_is_in_its_place(server: &TestServer, report: &Report) {
    let owner = server.anonymous();
    owner.login(&report.people[0].email, &report.password).await;
    for app in report.teams.iter().flat_map(|team| &team.apps) {
        let answer = owner.get(&format!("/api/v1/apps/{}", app.id)).await;
        assert_eq!(answer.body["data"]["has_events"], true, "{answer:?}");
    }
    names_are_by_pinyin(&owner, report).await;
    // Names stored without a sort order, with the order of other rules, and by an older program beside this
    // one get their order at the next start.
    for (order, rules) in [("", "''"), ("zz", "'others'"), ("", "version")] {
        let mut tx = server.atrium.db.write().await.unwrap();
        for sql in [
            format!("UPDATE users SET name_order = '{order}'"),
            format!("UPDATE name_order_rules SET version = {rules}"),
        ] {
            sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut *tx).await.unwrap();
        }
        tx.commit().await.unwrap();
        server.atrium.db.migrate(|| Ok(())).await.unwrap();
        names_are_by_pinyin(&owner, report).await;
    }
}

async fn names_are_by_pinyin(owner: &Actor, report: &Report) {
    let team = report.teams[0].id.as_str();
    for (list, sorted) in [
        ("members", vec!["陈浩", "林悦", "孙倩", "王敏", "赵宇", "周凯"]),
        ("apps", vec!["海外客服台", "云杉到家", "云杉商城"]),
    ] {
        let answer = owner.get(&format!("/api/v1/orgs/{team}/{list}?sort=name")).await;
        let items = answer.body["data"]["items"].as_array().unwrap();
        let names: Vec<_> = items.iter().map(|item| item["name"].as_str().unwrap()).collect();
        assert_eq!(names, sorted, "{list}");
    }
}

async fn keys_work(server: &TestServer, report: &Report) {
    let app = &report.teams[0].apps[0];
    let answer = server.collect(&app.collect_key, json!([event(server, "hello")])).await;
    assert_eq!(answer.body["data"]["accepted"], 1, "{answer:?}");
    let key = AccessKey { id: app.access_key.id.clone(), secret: app.access_key.secret.clone() };
    let change = mutation(server, "UserMutation", "set", "u100001", json!({ "plan": "team" }));
    let answer = server.collect_signed(&key, json!([change])).await;
    assert_eq!(answer.body["data"]["accepted"], 1, "{answer:?}");
}

in_both_sizes! {
    async fn a_second_demo_must_be_asked_for(server: TestServer) {
        let first = made(&server, &options(500)).await;
        let refused = demo::fill(&server.atrium, &options(500)).await.unwrap();
        assert!(matches!(refused, Outcome::ThereAlready(owner) if owner == first.people[0].email));
        assert_eq!(figures::number(&server, "count()", "events").await, 500);

        let second = made(&server, &Options { again: true, ..options(700) }).await;
        assert_ne!(second.people[0].email, first.people[0].email);
        assert_eq!(figures::number(&server, "count()", "events").await, 1_200);
        let login = server.anonymous().login(&second.people[0].email, &second.password).await;
        assert_eq!(login.status, 200);
    }
}

/// As an operator meets it: it fills a folder, refuses a second time and beside a running server, and the
/// result can be served.
#[test]
fn the_program_fills_a_folder_once_and_not_under_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let library = engine_library();
    let engine = ["--engine-library", library.to_str().unwrap(), "--engine-memory-mb", "1024"];
    let demo = |extra: &[&str]| {
        let arguments = [&["demo", "--events", "600", "--days", "20"], extra, &engine].concat();
        output(folder.path(), &arguments)
    };
    let first = demo(&["--json"]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let report: Value = serde_json::from_slice(&first.stdout).unwrap();
    assert_eq!(report["events"], 600);
    assert!(text(&first.stderr).contains("600 of 600 events"), "{}", text(&first.stderr));

    let again = demo(&[]);
    assert_eq!(again.status.code(), Some(3));
    assert!(text(&again.stderr).contains("there already is a demo here"));

    let server = Server::start(folder.path(), &engine);
    let (email, password) = (&report["people"][0]["email"], &report["password"]);
    let body = json!({ "email": email, "password": password }).to_string();
    let answer = server.request(&post("/api/v1/login", &body));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let beside = demo(&["--again"]);
    assert_eq!(beside.status.code(), Some(1));
    assert!(text(&beside.stderr).contains("a server is running on"), "{}", text(&beside.stderr));
    server.signal("-TERM");
    assert_eq!(server.finish().0, Some(0));

    let people = demo(&["--again"]);
    assert!(people.status.success());
    let printed = text(&people.stdout);
    assert!(printed.contains("lin.yue.2@example.com") && printed.contains("atrium serve"));
}

/// Ctrl-C halfway: what was stored is removed, and nothing says that there is a demo.
#[tokio::test]
async fn a_demo_that_is_broken_off_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let library = engine_library();
    let engine = ["--engine-library", library.to_str().unwrap(), "--engine-memory-mb", "1024"];
    let arguments = [&["demo", "--events", "300000", "--days", "3"][..], &engine].concat();
    let mut child = Running::start(program(folder.path(), &arguments).stderr(Stdio::piped()));
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("100,000 of 300,000") {
        assert!(lines.read_line(&mut said).unwrap() > 0, "{said}");
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    lines.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{said}");
    assert!(said.contains("the demo was not created: stopped"), "{said}");

    let store = Warehouse::open(Location::Embedded {
        folder: folder.path().join("events"),
        library,
        program: Some(env!("CARGO_BIN_EXE_atrium").into()),
        memory_mb: 1_024,
    });
    store.ready(Duration::from_secs(60)).await.unwrap();
    for table in ["events", "totals_15m", "mutations", "profiles", "message_ids"] {
        let count = format!("SELECT count() AS n FROM {table}");
        let found: Vec<Value> = store.query(&count, &[]).await.unwrap();
        assert_eq!(found[0]["n"], 0, "{table}");
    }
    store.stop().await;
    let users =
        atrium::db::Db::open(&atrium::config::sqlite_url(folder.path()).unwrap()).await.unwrap();
    let mut db = users.read().await.unwrap();
    let count: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM users").fetch_one(&mut *db).await.unwrap();
    assert_eq!(count, 0);
}

#[test]
fn the_same_seed_makes_the_same_events() {
    let ids: Vec<_> = (1..=6).map(Uuid::from_u128).collect();
    let draw = |seed: u64| {
        let plan = Plan::new(seed, 3_000, 30, Millis(1_763_889_600_000), &ids).unwrap();
        let mut batches: Vec<Batch> = Vec::new();
        let books = demo::generate(&plan, 1, |batch| {
            batches.push(batch);
            true
        });
        let rows: Vec<_> =
            batches.into_iter().map(|batch| (batch.event_rows, batch.mutation_rows)).collect();
        (rows, books)
    };
    let (first, again, other) = (draw(5), draw(5), draw(6));
    assert!(first == again, "one seed, two demos");
    assert!(first.0 != other.0, "two seeds, one demo");
}

#[test]
fn any_size_is_made_exactly() {
    let ids: Vec<_> = (1..=6).map(Uuid::from_u128).collect();
    for (events, days) in [(1, 1), (5, 90), (1_000, 1), (4_321, 7), (2_000, 180)] {
        let now = Millis(1_763_889_600_000);
        let plan = Plan::new(3, events, days, now, &ids).unwrap();
        let mut made = 0;
        demo::generate(&plan, 1, |batch| {
            made += batch.events;
            true
        })
        .unwrap();
        assert_eq!(made, events, "{days} days");
    }
}
