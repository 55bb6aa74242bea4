//! Tables that a newer program has changed.

use std::time::Duration;

use uuid::Uuid;
use warehouse::{Error, Warehouse, newest_migration};

use crate::support::{Store, at, counted, load, make_up, same, stored};

const WAIT: Duration = Duration::from_secs(60);

/// What a newer program would record.
async fn record(store: &Warehouse, oldest_program: u32) {
    let sql = format!(
        "INSERT INTO schema_migrations (number, oldest_program) VALUES (99, {oldest_program})"
    );
    store.execute(&sql, &[]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_store_is_used_for_as_long_as_it_counts_this_program_in() {
    let store = Store::open().await;
    let running = &store.warehouse;
    let events = make_up(1, 100, &[Uuid::new_v4()]);
    record(running, newest_migration()).await;
    running.check_schema().await.unwrap();
    assert!(running.is_schema_newer().await.unwrap());
    let url = running.shared_url().unwrap();
    let another = || Warehouse::open(warehouse::Location::Remote { url: url.clone() });
    let beside = another();
    beside.ready(WAIT).await.unwrap();
    load(&beside, 1, &events).await.unwrap();
    same(&stored(running).await, &counted(&events));

    for oldest_program in [newest_migration() + 1, 0] {
        running.execute("DELETE FROM schema_migrations WHERE number = 99", &[]).await.unwrap();
        record(running, oldest_program).await;
        let later = another();
        for error in [later.ready(WAIT).await, running.check_schema().await] {
            let error = error.unwrap_err();
            assert!(
                matches!(&error, Error::Outdated(words) if words.contains("migration 99")),
                "{error}"
            );
        }
    }
    running.stop().await;
    let embedded = Warehouse::open(at(store.folder.path(), 1024));
    let error = embedded.ready(WAIT).await.unwrap_err();
    assert!(matches!(error, Error::Outdated(_)), "{error}");
}
