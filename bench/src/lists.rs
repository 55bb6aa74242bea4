//! Lists of a large organization: 10,000 members, 2,000 apps and a long audit log, among other
//! organizations of its size. Every list is requested with search and sort and timed, and on SQLite its
//! query plan is checked: none may scan a whole table.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use atrium::accounts::create::{self, NewAccount};
use atrium::app::AppState;
use atrium::config::{RawSettings, Settings};
use atrium::locale::Locale;
use atrium::types::{Clock, Id};
use sqlx::Row;
use tokio::net::TcpListener;
use tracing_subscriber::layer::SubscriberExt;

use crate::both;

const MEMBERS: i64 = 10_000;
const APPS: i64 = 2_000;
const AUDIT: i64 = 50_000;
const ORGS: i64 = 3;
const TRIES: usize = 15;
const GOAL: Duration = Duration::from_millis(50);
const BIG: [&str; 7] = [
    "users",
    "org_members",
    "apps",
    "app_members",
    "invitations",
    "audit_entries",
    "organizations",
];

pub async fn measure(database_url: Option<String>) -> anyhow::Result<()> {
    let name = if database_url.is_some() { "PostgreSQL" } else { "SQLite" };
    let statements = Statements::default();
    let subscriber = tracing_subscriber::registry().with(statements.clone());
    tracing::subscriber::set_global_default(subscriber)?;

    let folder = tempfile::tempdir()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let raw = RawSettings {
        listen: Some("127.0.0.1:0".to_owned()),
        data_dir: Some(folder.path().to_owned()),
        database_url,
        ..Default::default()
    };
    let settings = Settings::check(raw)?.listening_on(address);
    let state = AppState::start(settings, Clock::default()).await?;
    let org = fill(&state).await?;
    let serving = state.clone();
    tokio::spawn(async move {
        atrium::server::run(listener, &serving, std::future::pending()).await;
    });
    let cookie = both::sign_in(address, [127, 0, 0, 1], 0).await?;
    let app = first_app(&state, &org).await?;

    statements.seen.lock().map_err(|_| anyhow::anyhow!("poisoned"))?.clear();
    let mut slowest = (Duration::ZERO, String::new());
    let paths = paths(&org, &app);
    for path in &paths {
        let mut times = Vec::new();
        for _ in 0..TRIES {
            let start = Instant::now();
            let answer = both::get_with(address, path, &cookie).await?;
            times.push(start.elapsed());
            if !answer.starts_with("HTTP/1.1 200") {
                bail!("{path}: {}", answer.lines().next().unwrap_or_default());
            }
        }
        times.sort_unstable();
        let median = times[TRIES / 2];
        if median > slowest.0 {
            slowest = (median, path.clone());
        }
    }
    let verdict = if slowest.0 < GOAL { "ok" } else { "TOO SLOW" };
    println!(
        "lists on {name}: {} of them, slowest median {:.1} ms (goal 50 ms, {verdict}): {}",
        paths.len(),
        slowest.0.as_secs_f64() * 1000.0,
        slowest.1.replace(org.as_str(), "ORG").replace(app.as_str(), "APP"),
    );
    if name == "SQLite" {
        report_scans(&state, &statements).await?;
    }
    state.db.close().await;
    Ok(())
}

fn paths(org: &Id, app: &Id) -> Vec<String> {
    let mut paths = Vec::new();
    let mut add = |base: String, sorts: &[&str], search: &str| {
        for sort in sorts {
            for order in ["asc", "desc"] {
                paths.push(format!("{base}sort={sort}&order={order}"));
                paths.push(format!("{base}sort={sort}&order={order}&search={search}&page=3"));
            }
        }
    };
    let org_path = format!("/api/v1/orgs/{org}");
    let app_path = format!("/api/v1/apps/{app}");
    add("/api/v1/orgs?".to_owned(), &["name", "created_at", "member_count", "app_count"], "b");
    let members = ["name", "email", "role", "joined_at", "last_login_at"];
    add(format!("{org_path}/members?"), &members, "9");
    add(format!("{org_path}/members?role=member&"), &["name"], "person");
    let apps = ["name", "created_at", "member_count"];
    add(format!("{org_path}/apps?"), &apps, "7");
    add(format!("{org_path}/apps?status=archived&"), &["archived_at"], "7");
    add(format!("{org_path}/apps?status=deleted&"), &["purge_at"], "7");
    add(format!("{org_path}/invitations?"), &["created_at", "email", "expires_at"], "7");
    add(format!("{app_path}/members?"), &["name", "email", "role", "added_at"], "9");
    add(format!("{app_path}/candidates?"), &["name", "email"], "9");
    for filter in
        ["", "?action=app.", "?actor=person", "?page=50", "?from=2020-01-01&to=2030-01-01"]
    {
        paths.push(format!("{org_path}/audit-logs{filter}"));
    }
    paths.push(format!("{app_path}/audit-logs"));
    paths.push(format!("{app_path}/roles"));
    paths.push("/api/v1/current/notifications".to_owned());
    paths
}

/// Three organizations of the same size; only the first is queried.
async fn fill(state: &AppState) -> anyhow::Result<Id> {
    let account = NewAccount {
        email: "bench0@example.com".to_owned(),
        name: "Bench".to_owned(),
        password: both::PASSWORD.to_owned(),
        organization: Some("Bench".to_owned()),
        locale: Locale::EnUs,
        timezone: None,
    };
    let created = create::by_operator(state, account).await?;
    let org = created.org_id.context("an organization")?;
    for n in 0..ORGS {
        let org = if n == 0 { org.to_string() } else { id(9, n, 0) };
        let mut tx = state.db.write().await?;
        if n > 0 {
            run(&mut tx, "INSERT INTO organizations (id, name, name_key, name_order, timezone, created_at) VALUES ($1, $2, $2, $2, 'UTC', 1)", &[&org, &format!("org {n}")]).await?;
        }
        for m in 0..MEMBERS {
            let (user, email) = (id(1, n, m), format!("person{m}@org{n}.test"));
            run(&mut tx, "INSERT INTO users (id, email, email_normalized, name, name_key, name_order, locale, timezone, created_at) VALUES ($1, $2, $2, $3, $3, $3, 'zh-CN', 'UTC', 1)", &[&user, &email, &format!("person {m}")]).await?;
            run(&mut tx, "INSERT INTO org_members (org_id, user_id, role, joined_at) VALUES ($1, $2, 'member', 1)", &[&org, &user]).await?;
            run(&mut tx, "INSERT INTO invitations (id, org_id, email, email_normalized, role, app_grants, state, created_at, sent_at, expires_at) VALUES ($1, $2, $3, $3, 'member', '[]', 'pending', 1, 1, 9000000000000)", &[&id(2, n, m), &org, &format!("guest{m}@org{n}.test")]).await?;
        }
        for a in 0..APPS {
            let app = id(3, n, a);
            run(&mut tx, "INSERT INTO apps (id, org_id, name, name_key, name_order, description, region, timezone, created_at) VALUES ($1, $2, $3, $3, $3, '', 'local', 'UTC', 1)", &[&app, &org, &format!("app {a}")]).await?;
            // The first app has half the organization as members, the others a few each.
            let some = if a == 0 { MEMBERS / 2 } else { 5 };
            for m in 0..some {
                run(&mut tx, "INSERT INTO app_members (app_id, user_id, role_id, added_at) VALUES ($1, $2, '00000000-0000-7000-8000-000000000004', 1)", &[&app, &id(1, n, (a * 7 + m) % MEMBERS)]).await?;
            }
            let state = match a % 10 {
                0 if a > 0 => "archived_at = 1",
                1 => "deleted_at = 1, purge_at = 9000000000000",
                _ => continue,
            };
            sqlx::query(sqlx::AssertSqlSafe(format!("UPDATE apps SET {state} WHERE id = $1")))
                .bind(&app)
                .execute(&mut *tx)
                .await?;
        }
        for e in 0..AUDIT {
            sqlx::query("INSERT INTO audit_entries (id, chain, seq, org_id, app_id, actor_kind, actor_id, action, target_kind, target_id, details, at, prev_hash, hash) VALUES ($1, $2, $3, $2, $4, 'user', $5, 'app.update', 'app', $4, '{}', $3, '', '')")
                .bind(id(4, n, e)).bind(&org).bind(1_000 + e).bind(id(3, n, e % APPS)).bind(id(1, n, e % MEMBERS))
                .execute(&mut *tx).await?;
        }
        tx.commit().await?;
    }
    let mut tx = state.db.write().await?;
    sqlx::query("ANALYZE").execute(&mut *tx).await?;
    tx.commit().await?;
    Ok(org)
}

async fn first_app(state: &AppState, org: &Id) -> anyhow::Result<Id> {
    let mut db = state.db.read().await?;
    let app: String =
        sqlx::query_scalar("SELECT id FROM apps WHERE org_id = $1 AND name = 'app 0'")
            .bind(org.as_str())
            .fetch_one(&mut *db)
            .await?;
    Id::parse(&app).context("an id")
}

fn id(kind: i64, org: i64, n: i64) -> String {
    format!("0{kind}000000-000{org}-7000-8000-{n:012x}")
}

async fn run(
    db: &mut sqlx::AnyConnection,
    sql: &'static str,
    values: &[&str],
) -> anyhow::Result<()> {
    let mut query = sqlx::query(sql);
    for value in values {
        query = query.bind(*value);
    }
    query.execute(db).await?;
    Ok(())
}

/// Every statement that sqlx logs.
#[derive(Clone, Default)]
struct Statements {
    seen: Arc<Mutex<BTreeSet<String>>>,
}

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Statements {
    fn on_event(&self, event: &tracing::Event<'_>, _: tracing_subscriber::layer::Context<'_, S>) {
        struct Reader(Option<String>, Option<String>);
        impl tracing::field::Visit for Reader {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                self.record_str(field, &format!("{value:?}"));
            }
            fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
                match field.name() {
                    "db.statement" => self.0 = Some(value.to_owned()),
                    "summary" => self.1 = Some(value.to_owned()),
                    _ => {}
                }
            }
        }
        let mut reader = Reader(None, None);
        event.record(&mut reader);
        let statement = reader.0.filter(|text| !text.trim().is_empty()).or(reader.1);
        if let (Some(statement), Ok(mut seen)) = (statement, self.seen.lock()) {
            seen.insert(statement.trim().to_owned());
        }
    }
}

/// "SCAN users" scans the table; "SEARCH users USING INDEX" and scans of subquery results do not.
async fn report_scans(state: &AppState, statements: &Statements) -> anyhow::Result<()> {
    let seen: Vec<String> =
        statements.seen.lock().map_err(|_| anyhow::anyhow!("poisoned"))?.iter().cloned().collect();
    let selects: Vec<&String> =
        seen.iter().filter(|sql| sql.to_uppercase().starts_with("SELECT")).collect();
    let mut scans = Vec::new();
    let mut db = state.db.read().await?;
    for sql in &selects {
        let plan = sqlx::query(sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}")));
        let Ok(rows) = plan.fetch_all(&mut *db).await else { continue };
        for row in rows {
            let step: String = row.try_get("detail")?;
            let walked = step.strip_prefix("SCAN ").and_then(|rest| rest.split(' ').next());
            if walked.is_some_and(|table| BIG.contains(&table)) {
                scans.push(format!(
                    "{step}: {}",
                    sql.split_whitespace().collect::<Vec<_>>().join(" ")
                ));
            }
        }
    }
    println!("lists on SQLite: {} plans looked at, full scans: {}", selects.len(), scans.len());
    for scan in &scans {
        println!("  {scan}");
    }
    Ok(())
}
