//! The database layer: queued writers, and migrations and keys when several instances start at once.

use std::time::{Duration, Instant};

use crate::support::{Store, TestServer, on_both};
use atrium::app::AppState;
use atrium::audit::Actor;
use atrium::backup::{self, Options, Progress, Source};
use atrium::config::Settings;
use atrium::db::{BUSY_TIMEOUT, Db};
use atrium::fleet::outdated;
use atrium::types::Clock;
use futures::future::join_all;

async fn increment(db: &Db) -> Duration {
    let started = Instant::now();
    let mut tx = db.write().await.unwrap();
    // Read first, then write: the pattern in which a deferred transaction fails.
    let seen: i64 =
        sqlx::query_scalar("SELECT failures FROM throttles").fetch_one(&mut *tx).await.unwrap();
    sqlx::query("UPDATE throttles SET failures = $1")
        .bind(seen + 1)
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    started.elapsed()
}

/// Two handles stand for two processes: the server and the command line.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thirty_two_writers_on_sqlite_neither_fail_nor_wait_too_long() {
    let server = TestServer::start(Store::Sqlite).await;
    server
        .execute("INSERT INTO throttles (scope, window_start, failures, blocked_until) VALUES ($1, 0, 0, 0)", "t")
        .await;
    let other = Db::open(&atrium::config::sqlite_url(server.folder()).unwrap()).await.unwrap();
    let writers = (0..32).map(|n| {
        let db = if n % 8 == 0 { other.clone() } else { server.atrium.db.clone() };
        tokio::spawn(async move {
            let mut longest = Duration::ZERO;
            for _ in 0..25 {
                longest = longest.max(increment(&db).await);
            }
            longest
        })
    });
    for longest in join_all(writers).await {
        assert!(longest.unwrap() < BUSY_TIMEOUT);
    }
    assert_eq!(server.count("SELECT failures FROM throttles").await, 32 * 25);
}

/// Another program copies the file and holds the write lock: callers are asked to come back, and get no
/// internal error.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_locked_by_another_process_is_unavailable() {
    let server = TestServer::start(Store::Sqlite).await;
    server.account("jane@example.com").await;
    let other = Db::open(&atrium::config::sqlite_url(server.folder()).unwrap()).await.unwrap();
    let held = other.write().await.unwrap();
    let tries = (0..3).map(|_| {
        let jane = server.anonymous();
        async move { jane.login("jane@example.com", crate::support::PASSWORD).await }
    });
    for answer in join_all(tries).await {
        assert_eq!((answer.status, answer.code()), (503, "unavailable"));
        assert!(!answer.header("retry-after").is_empty());
    }
    assert_eq!(server.anonymous().get("/readyz").await.status, 503);
    drop(held);
    let answer = server.anonymous().login("jane@example.com", crate::support::PASSWORD).await;
    assert_eq!(answer.status, 200);
}

on_both! {
    async fn a_dropped_transaction_leaves_nothing(server: TestServer) {
        server.account("jane@example.com").await;
        let epoch = server.atrium.db.epoch().await.unwrap();
        let mut tx = server.atrium.db.write().await.unwrap();
        sqlx::query("DELETE FROM org_members").execute(&mut *tx).await.unwrap();
        drop(tx);
        assert_eq!(server.count("SELECT COUNT(*) FROM org_members").await, 1);
        assert_eq!(server.atrium.db.epoch().await.unwrap(), epoch);
    }
}

on_both! {
    async fn instances_that_start_at_once_agree(server: TestServer) {
        // Wind the database back to nothing, then have eight instances find it at once.
        let tables = ["schema_migrations", "job_runs", "instances", "ingest_over_limit", "counted_values", "outbox", "name_order_rules", "chat_bindings", "session_orgs", "org_removals", "sso_identities", "org_domains", "org_sso", "error_people", "error_reports", "error_replays", "error_groups", "people_numbers", "profile_versions", "owner_versions", "data_versions", "ingest_samples", "cohort_sizes", "cohorts", "saved_analyses", "property_uses", "property_types", "property_metadata", "event_metadata", "ingest_alerts", "erasures", "adopted_spools", "loaders", "leases", "ingest_batches", "ingest_ledger", "key_addresses", "access_keys", "api_keys", "access_requests", "invitations", "app_members", "role_permissions", "app_roles", "notifications", "passkeys", "recovery_codes", "totp_factors", "audit_chains", "audit_entries", "apps", "org_members",
            "organizations", "throttles", "one_time_tokens", "sessions", "users", "instance"];
        let mut tx = server.atrium.db.write_relaxed().await.unwrap();
        for table in tables {
            let statement = format!("DROP TABLE {table}");
            sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&mut *tx).await.unwrap();
        }
        tx.commit().await.unwrap();
        std::fs::remove_file(server.folder().join("master.key")).unwrap();

        let starts = (0..8).map(|_| {
            let settings = Settings::check(server.raw_settings()).unwrap();
            tokio::spawn(AppState::start_anew(settings, Clock::default()))
        });
        let mut fingerprints: Vec<String> = Vec::new();
        for started in join_all(starts).await {
            fingerprints.push(started.unwrap().unwrap().keyring.fingerprint());
        }
        fingerprints.dedup();
        assert_eq!(fingerprints.len(), 1, "{fingerprints:?}");
        let state = server.atrium.db.migration_state().await.unwrap();
        assert_eq!(state.pending, 0);
        assert_eq!(server.count("SELECT COUNT(*) FROM instance").await, 1);
    }
}

on_both! {
    async fn another_master_key_is_refused(server: TestServer) {
        let mut raw = server.raw_settings();
        raw.master_key = Some("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".into());
        let settings = Settings::check(raw).unwrap();
        let error = AppState::start(settings, Clock::default()).await.err().unwrap().to_string();
        assert!(error.contains("a different key"), "{error}");

        // A lost key is not silently replaced by a new one.
        let file = server.folder().join("master.key");
        std::fs::remove_file(&file).unwrap();
        let settings = Settings::check(server.raw_settings()).unwrap();
        let error = AppState::start(settings, Clock::default()).await.err().unwrap().to_string();
        assert!(error.contains("bring that key back"), "{error}");
        assert!(!file.exists());
    }
}

on_both! {
    async fn a_schema_from_the_future_is_refused(server: TestServer) {
        let before = server.atrium.db.migration_state().await.unwrap();
        assert_eq!(before.pending, 0);
        server
            .execute("INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'x', $1)", "y")
            .await;
        let error = server.atrium.db.migrate(|| Ok(())).await.unwrap_err().to_string();
        assert!(error.contains("9999") && error.contains("newer"), "{error}");
    }
}

on_both! {
    async fn a_newer_schema_is_used_for_as_long_as_it_counts_this_program_in(server: TestServer) {
        server
            .execute(
                "INSERT INTO schema_migrations (version, name, checksum, oldest_program) VALUES (9999, $1, '', 1)",
                "newer",
            )
            .await;
        assert_eq!(server.atrium.db.migrate(|| Ok(())).await.unwrap(), 0);
        let state = server.atrium.db.migration_state().await.unwrap();
        assert_eq!((state.pending, state.newer), (0, 1));
        server.second_instance().await;
        assert_eq!(outdated::reason(&server.atrium).await, None);
        // This program does not know what the newer tables hold.
        let output = server.folder().join("backup.tar");
        let options = Options { output, since: None, include_master_key: false };
        let (by, silent) = (Actor::operator(), Progress::Silent);
        let made = backup::make(&server.atrium, &options, Source::Nothing, &by, silent).await;
        assert!(made.unwrap_err().to_string().contains("newer version"));

        // The release after that removes something that this one needs.
        let newest = atrium::db::newest_migration();
        let raise = "UPDATE schema_migrations SET oldest_program = CAST($1 AS BIGINT) WHERE version = 9999";
        server.execute(raise, &newest.to_string()).await;
        assert_eq!(outdated::reason(&server.atrium).await, None);
        server.execute(raise, &(newest + 1).to_string()).await;
        let reason = outdated::reason(&server.atrium).await.unwrap();
        assert!(reason.contains("9999") && reason.contains("newer"), "{reason}");
        let settings = Settings::check(server.raw_settings()).unwrap();
        let error = AppState::start(settings, Clock::default()).await.err().unwrap().to_string();
        assert_eq!(error, reason);
    }
}

/// Another connection reads a table for long, as pg_dump does. A migration that waited for its lock would
/// block everyone who queues behind it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_does_not_stand_in_line_for_a_table() {
    let server = TestServer::start(Store::Postgres).await;
    for sql in [
        "DELETE FROM schema_migrations WHERE version >= 24 AND name <> $1",
        "DROP TABLE owner_versions",
        "DROP TABLE profile_versions",
        "DROP TABLE property_uses",
        "DROP TABLE property_types",
        "DROP TABLE saved_analyses",
        "DROP TABLE cohort_sizes",
        "DROP TABLE cohorts",
        "ALTER TABLE schema_migrations DROP COLUMN oldest_program",
        "ALTER TABLE instances DROP COLUMN database_migration, DROP COLUMN event_migration",
    ] {
        let mut tx = server.atrium.db.write().await.unwrap();
        let query = sqlx::query(sql);
        let query = if sql.contains("$1") { query.bind("") } else { query };
        query.execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
    }
    let mut reader = server.atrium.db.write().await.unwrap();
    sqlx::query("SELECT * FROM instances").execute(&mut *reader).await.unwrap();
    let db = server.atrium.db.clone();
    let migrating = tokio::spawn(async move { db.migrate(|| Ok(())).await.unwrap() });
    // The migration waits in vain, and after that other statements get through.
    let waits = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND database = \
                 (SELECT oid FROM pg_database WHERE datname = current_database())";
    server.until_count(waits, 1).await;
    server.until_count(waits, 0).await;
    let looks = server.count("SELECT COUNT(*) FROM instances");
    assert_eq!(tokio::time::timeout(BUSY_TIMEOUT, looks).await.unwrap(), 0);
    drop(reader);
    assert!(migrating.await.unwrap() > 0);
}

on_both! {
    async fn a_changed_migration_is_refused(server: TestServer) {
        server.execute("UPDATE schema_migrations SET checksum = $1", "other").await;
        assert!(server.atrium.db.migrate(|| Ok(())).await.is_err());
        assert!(server.atrium.db.migration_state().await.is_err());
    }
}
