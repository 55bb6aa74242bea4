//! Fresh metadata databases. The migrations run once on each kind; every test gets a copy.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use atrium::config::sqlite_url;
use atrium::db::{Db, sqlite_file};
use sqlx::{AnyConnection, AssertSqlSafe, Connection};
use tokio::sync::OnceCell;

/// A database in this folder, as a server that was started and never used leaves it.
pub async fn sqlite(folder: &Path) -> String {
    static MIGRATED: OnceCell<Vec<u8>> = OnceCell::const_new();
    let migrated = MIGRATED.get_or_init(|| async {
        let folder = tempfile::tempdir().unwrap();
        let url = sqlite_url(folder.path()).unwrap();
        migrate(&url).await;
        let file = sqlite_file(&url).unwrap();
        let connection = rusqlite::Connection::open(&file).unwrap();
        let all_in_one_file = "PRAGMA wal_checkpoint(TRUNCATE)";
        let busy: i64 = connection.query_row(all_in_one_file, (), |row| row.get(0)).unwrap();
        assert_eq!(busy, 0);
        std::fs::read(file).unwrap()
    });
    let url = sqlite_url(folder).unwrap();
    let file = sqlite_file(&url).unwrap();
    std::fs::write(&file, migrated.await).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(file, private).unwrap();
    url
}

/// A new database on the server that `scripts/with-postgres` started.
pub async fn postgres() -> String {
    static MIGRATED: OnceCell<String> = OnceCell::const_new();
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let process = std::process::id();
    let template = MIGRATED.get_or_init(|| async {
        let name = format!("atrium_{process}_migrated");
        migrate(&create(&name, "template1").await).await;
        name
    });
    let name = format!("atrium_{process}_{}", NEXT.fetch_add(1, Ordering::Relaxed));
    create(&name, template.await).await
}

/// A completely empty database.
pub async fn empty_postgres() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    create(&format!("atrium_{}_empty_{number}", std::process::id()), "template1").await
}

async fn create(name: &str, template: &str) -> String {
    let server = std::env::var("TEST_POSTGRES_URL").expect(
        "TEST_POSTGRES_URL names a PostgreSQL server: run `scripts/with-postgres cargo test`",
    );
    sqlx::any::install_default_drivers();
    let mut connection = AnyConnection::connect(&format!("{server}/postgres")).await.unwrap();
    let create = format!("CREATE DATABASE {name} TEMPLATE {template}");
    sqlx::query(AssertSqlSafe(create)).execute(&mut connection).await.unwrap();
    format!("{server}/{name}")
}

async fn migrate(url: &str) {
    let db = Db::open(url).await.unwrap();
    db.migrate(|| Ok(())).await.unwrap();
    db.close().await;
}
