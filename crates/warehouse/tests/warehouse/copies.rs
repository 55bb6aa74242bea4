//! Tables as they were at one moment, copied into another store.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use uuid::Uuid;
use warehouse::{Frozen, Kind, Warehouse, newest_migration, running_engine};

use crate::support::{Store, at, make_up, number};

const READY: Duration = Duration::from_secs(60);

/// A store without any tables.
fn empty(folder: &Path) -> Warehouse {
    Warehouse::open(at(folder, 1024))
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

async fn attach_all(to: &Warehouse, frozen: &Frozen) {
    to.make_tables(frozen.schema, READY).await.unwrap();
    let folders = to.folders_to_attach_from().await.unwrap();
    for table in &frozen.tables {
        for part in &table.parts {
            copy_folder(&part.folder, &folders[&table.name].join(&part.name));
            to.attach(&table.name, &part.name).await.unwrap();
        }
        let rows: u64 = table.parts.iter().map(|part| part.rows).sum();
        assert_eq!(to.rows_of_parts(&table.name).await.unwrap(), rows, "{}", table.name);
        if let Some(apps) = &table.apps {
            assert_eq!(&to.rows_of_apps(&table.name).await.unwrap(), apps, "{}", table.name);
        }
    }
    to.finish_deletes().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_is_of_its_moment() {
    const FIGURES: [&str; 4] = [
        "SELECT count() AS n FROM events",
        "SELECT sum(events) AS n FROM totals_15m",
        "SELECT sum(events) AS n FROM events_1d",
        "SELECT count() AS n FROM devices FINAL",
    ];
    let figures = async |store: &Warehouse| {
        let mut all = Vec::new();
        for sql in FIGURES {
            all.push(number(store, sql, &[]).await);
        }
        all
    };
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let events = make_up(7, 3000, &[app]);
    store.insert(1, &events[..1000]).await;
    store.insert(2, &events[1000..2000]).await;
    // So that there are rows that are deleted but not yet gone.
    store.warehouse.erase(app, Kind::Device, &events[0].device_id).await.unwrap();
    let shadow = store.folder.path().join("tables/shadow");
    std::fs::create_dir_all(shadow.join("atrium_backup_left")).unwrap();
    let frozen = store.warehouse.freeze("a").await.unwrap();
    assert!(
        !shadow.join("atrium_backup_left").exists(),
        "what one that was killed left is removed"
    );
    let then = figures(&store.warehouse).await;
    store.insert(3, &events[2000..]).await;
    store.warehouse.execute("OPTIMIZE TABLE events FINAL", &[]).await.unwrap();
    assert_ne!(figures(&store.warehouse).await, then);

    let folder = tempfile::tempdir().unwrap();
    let copy = empty(folder.path());
    attach_all(&copy, &frozen).await;
    assert_eq!(figures(&copy).await, then);
    copy.ready(READY).await.unwrap();
    assert_eq!(figures(&copy).await, then, "nothing is counted again");
    copy.stop().await;
    drop(frozen);
    let left = std::fs::read_dir(&shadow).unwrap().map(Result::unwrap);
    let left: Vec<_> = left.filter(|entry| entry.file_type().unwrap().is_dir()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_of_an_earlier_version_are_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let store = empty(folder.path());
    store.make_tables(newest_migration() - 1, READY).await.unwrap();
    let recorded = "SELECT max(number) AS n FROM schema_migrations";
    assert_eq!(number(&store, recorded, &[]).await, u64::from(newest_migration() - 1));
    store.ready(READY).await.unwrap();
    assert_eq!(number(&store, recorded, &[]).await, u64::from(newest_migration()));
    store.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_engine_is_found_by_its_own_user_for_as_long_as_it_runs() {
    let store = Store::open().await;
    let folder = store.folder.path();
    assert_eq!(running_engine(folder), store.warehouse.shared_url());
    let file = std::fs::metadata(folder.join("engine.address")).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    store.warehouse.stop().await;
    assert_eq!(running_engine(folder), None);
    assert!(!folder.join("engine.address").exists());
}
