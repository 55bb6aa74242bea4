//! Brings the tables up to date. Every statement can be repeated, so an interrupted migration does no
//! harm: a migration is recorded after it ran. Only one server does this at a time (`SchemaGuard`), and
//! a server keeps working with tables that a newer one has changed for as long as it may
//! (`compatibility`).

mod names;
mod record;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use crate::call::Call;
use crate::client::Warehouse;
use crate::compatibility::{may_use, oldest_program, takes_away_from};
use crate::counting;
use crate::error::Error;
use crate::location::{Names, quoted};
use crate::schema_state::SchemaGuard;
use crate::upgrade;
pub(crate) use record::SHARD_TABLE;

/// In the order they run. A published file is never changed.
const MIGRATIONS: &[(u32, &str)] = &[
    (1, include_str!("../migrations/0001_tables.sql")),
    (2, include_str!("../migrations/0002_rollups.sql")),
    (PEOPLE, include_str!("../migrations/0003_people.sql")),
    (HOURS, include_str!("../migrations/0004_hours.sql")),
    (5, include_str!("../migrations/0005_order.sql")),
    (6, include_str!("../migrations/0006_over_limit.sql")),
    (7, include_str!("../migrations/0007_loaders.sql")),
    (UPGRADES, include_str!("../migrations/0008_upgrades.sql")),
    (OWNERS, include_str!("../migrations/0009_owners.sql")),
    (10, include_str!("../migrations/0010_property_columns.sql")),
    (PAGES, include_str!("../migrations/0011_pages.sql")),
];

/// The migration after which the people of earlier events must be numbered.
const PEOPLE: u32 = 3;
/// The migration after which hours must be counted from existing rows.
const HOURS: u32 = 4;
/// From this migration on, migrations say which programs can keep working with them.
const UPGRADES: u32 = 8;
/// The migration after which the owners of devices must be determined.
const OWNERS: u32 = 9;
/// The migration after which pages must be counted from existing events.
pub(crate) const PAGES: u32 = 11;

/// The table that records which migrations ran.
pub(crate) const RECORD_TABLE: &str = "schema_migrations";
/// A table that marks a store which another one is being moved into (`transfer_state`).
pub(crate) const TRANSFER_TABLE: &str = "move_in_progress";
const RECORD: &str = "CREATE TABLE IF NOT EXISTS schema_migrations \
    (number UInt32, applied_at DateTime('UTC') DEFAULT now()) \
    ENGINE = {ReplacingMergeTree} ORDER BY number";

impl Names {
    /// Fills the placeholders of a migration: `{…MergeTree}`.
    fn fill(&self, sql: &str) -> String {
        let replicated = if self.is_replicated() { "Replicated" } else { "" };
        let mut filled = sql.to_owned();
        for engine in ["MergeTree", "AggregatingMergeTree", "ReplacingMergeTree"] {
            filled = filled.replace(&format!("{{{engine}}}"), &format!("{replicated}{engine}"));
        }
        filled.replace(
            "{ReplacingMergeTree:version}",
            &format!("{replicated}ReplacingMergeTree(version)"),
        )
    }

    /// The database of a replicated shard creates everything on all of its replicas, under the macros
    /// that each server defines for its shard and itself.
    pub(crate) fn create_database(&self) -> String {
        let database = quoted(&self.database);
        let shard = self.shard.as_ref().filter(|shard| shard.replicated);
        let replicated = shard.map_or(String::new(), |shard| {
            let path = format!("'/atrium/{}/{{shard}}'", self.database.replace(['\\', '\''], "_"));
            let on_cluster = shard.on_cluster();
            format!("{on_cluster} ENGINE = Replicated({path}, '{{shard}}', '{{replica}}')")
        });
        format!("CREATE DATABASE IF NOT EXISTS {database}{replicated}")
    }
}

/// The last migration that this program knows.
pub fn newest_migration() -> u32 {
    MIGRATIONS.iter().map(|(number, _)| *number).max().unwrap_or(0)
}

/// The statements of a file. They are separated by semicolons at line ends.
fn statements(file: &str) -> impl Iterator<Item = &str> {
    file.split(";\n").map(str::trim).filter(|statement| !statement.is_empty())
}

impl Warehouse {
    /// Waits until the store answers and its tables are up to date, which is ensured once per process.
    pub async fn ready(&self, wait: Duration) -> Result<(), Error> {
        let mut last = None;
        let work = async {
            loop {
                self.up().await;
                match self.schema().await {
                    Err(error) if error.may_pass() => last = Some(error),
                    outcome => return outcome,
                }
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        };
        match tokio::time::timeout(wait, work).await {
            Ok(outcome) => outcome,
            Err(_) => Err(last.unwrap_or_else(|| self.why_not())),
        }
    }

    /// Creates the tables of an empty store as they were after a migration, for rows that were copied
    /// from such tables. `ready` then brings them up to date.
    pub async fn make_tables(&self, newest: u32, wait: Duration) -> Result<(), Error> {
        if tokio::time::timeout(wait, self.up()).await.is_err() {
            return Err(self.why_not());
        }
        let shards = self.shards().await?;
        for (number, shard) in (1..).zip(&shards) {
            shard.make_tables_here(newest).await?;
            if self.is_cluster() {
                shard.record_shard(number, shards.len()).await?;
            }
        }
        Ok(())
    }

    async fn make_tables_here(&self, newest: u32) -> Result<(), Error> {
        make_database(self).await?;
        for (number, file) in MIGRATIONS.iter().filter(|(number, _)| *number <= newest) {
            run_file(self, file).await?;
            record(self, *number, file).await?;
        }
        Ok(())
    }

    /// Sets the guard that knows the other servers on this store.
    pub fn guarded_by(self, guard: Arc<dyn SchemaGuard>) -> Self {
        // Set once, when the store is opened; later calls change nothing.
        let _ = self.schema_state().guard.set(guard);
        self
    }

    /// Fails where a newer program has taken away what this one needs. Changes nothing.
    pub async fn check_schema(&self) -> Result<(), Error> {
        self.on_every_shard(|shard| async move { shard.check_schema_here().await }).await.map(drop)
    }

    async fn check_schema_here(&self) -> Result<(), Error> {
        let exists = "SELECT count() AS number FROM system.tables \
                      WHERE database = currentDatabase() AND name = 'schema_migrations'";
        let exists: Vec<Number> = self.query(exists, &[]).await?;
        if exists.iter().any(|row| row.number > 0) {
            check(self, &applied(self).await?).await?;
        }
        Ok(())
    }

    /// Whether a newer program has changed the tables.
    pub async fn is_schema_newer(&self) -> Result<bool, Error> {
        let applied = self.on_every_shard(|shard| async move { applied(&shard).await }).await?;
        Ok(applied.iter().flatten().any(|number| *number > newest_migration()))
    }

    /// On its own task, so that a slow migration continues when a caller gives up waiting.
    async fn schema(&self) -> Result<(), Error> {
        if *self.schema_state().up_to_date.lock().await {
            return Ok(());
        }
        let this = self.clone();
        let work = tokio::spawn(async move {
            let state = this.schema_state();
            let mut done = state.up_to_date.lock().await;
            if !*done {
                let changes = Box::pin(this.bring_shards_up_to_date());
                match state.guard.get() {
                    Some(guard) => guard.alone(changes).await?,
                    None => changes.await?,
                }
                *done = true;
            }
            Ok(())
        });
        work.await.unwrap_or_else(|error| Err(Error::Unavailable(error.to_string())))
    }
}

async fn make_database(warehouse: &Warehouse) -> Result<(), Error> {
    let names = warehouse.names();
    let create = names.create_database();
    let mut call = Call::new(&create, &[], CHANGE_LIMIT);
    call.in_database = false;
    warehouse.call(call).await?;
    run(warehouse, &names.fill(RECORD)).await
}

async fn bring_up_to_date(warehouse: &Warehouse) -> Result<(), Error> {
    make_database(warehouse).await?;
    let applied = applied(warehouse).await?;
    check(warehouse, &applied).await?;
    let is_new = |number: u32| !applied.contains(&number);
    let pending: Vec<_> = MIGRATIONS.iter().filter(|(number, _)| is_new(*number)).collect();
    if !applied.is_empty() {
        for (number, file) in &pending {
            wait_for_older(warehouse, *number, file).await?;
        }
    }
    let (plain, counted): (Vec<_>, Vec<_>) =
        pending.into_iter().partition(|(number, _)| *number < PEOPLE);
    // Recorded immediately, because an early file cannot be repeated later: its views do not match the
    // tables that a later one leaves, and the engine checks that even for views that exist already.
    for (number, file) in plain {
        run_file(warehouse, file).await?;
        record(warehouse, number, file).await?;
    }
    for (_, file) in &counted {
        run_file(warehouse, file).await?;
    }
    // After all migrations, because numbering people recounts all tables.
    if is_new(PEOPLE) {
        upgrade::number_people(warehouse).await?;
    } else {
        let recounts =
            [(HOURS, counting::HOURS), (OWNERS, counting::OWNERS), (PAGES, counting::PAGES)];
        for (migration, recount) in recounts {
            if is_new(migration) {
                warehouse.plan_recount(&recount).await?;
            }
        }
    }
    for (number, file) in counted {
        record(warehouse, number, file).await?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct Number {
    number: u32,
}

async fn applied(warehouse: &Warehouse) -> Result<BTreeSet<u32>, Error> {
    let sql = "SELECT DISTINCT number FROM schema_migrations";
    let rows: Vec<Number> = warehouse.query(sql, &[]).await?;
    Ok(rows.into_iter().map(|row| row.number).collect())
}

/// Every applied migration that this program does not know must allow it.
async fn check(warehouse: &Warehouse, applied: &BTreeSet<u32>) -> Result<(), Error> {
    let known = newest_migration();
    let Some(newest) = applied.last().filter(|newest| **newest > known) else { return Ok(()) };

    #[derive(Deserialize)]
    struct Row {
        number: u32,
        oldest: u32,
    }
    let sql = "SELECT number, max(oldest_program) AS oldest FROM schema_migrations \
               WHERE number > {known:UInt32} GROUP BY number ORDER BY number";
    let rows: Vec<Row> = warehouse.query(sql, &[("known", known.into())]).await?;
    match rows.iter().find(|row| !may_use(known, row.oldest)) {
        Some(Row { number, .. }) => Err(Error::Outdated(format!(
            "the event store has migration {number}, which removed something that this version of \
             Atrium (migration {known}) needs; use the version that applied it, or a newer one"
        ))),
        None => {
            tracing::info!(
                newest,
                known,
                "the event store is of a newer version that this one can run beside"
            );
            Ok(())
        }
    }
}

/// A migration that takes something away fails for now while servers that need it are running.
async fn wait_for_older(warehouse: &Warehouse, number: u32, file: &str) -> Result<(), Error> {
    let Some(guard) = warehouse.schema_state().guard.get() else { return Ok(()) };
    let Some(oldest) = takes_away_from(file) else { return Ok(()) };
    let running = guard.running_below(oldest).await?;
    if running.is_empty() {
        return Ok(());
    }
    Err(Error::Unavailable(format!(
        "migration {number} of the event store removes something that running servers still need: \
         {}; it waits until they are upgraded or stopped",
        running.join(", ")
    )))
}

async fn run_file(warehouse: &Warehouse, file: &str) -> Result<(), Error> {
    for statement in statements(file) {
        run(warehouse, &warehouse.names().fill(statement)).await?;
    }
    Ok(())
}

async fn record(warehouse: &Warehouse, number: u32, file: &str) -> Result<(), Error> {
    // Earlier migrations ran before the column existed.
    let sql = match number {
        ..UPGRADES => format!("INSERT INTO schema_migrations (number) VALUES ({number})"),
        UPGRADES.. => format!(
            "INSERT INTO schema_migrations (number, oldest_program) VALUES ({number}, {})",
            oldest_program(file)
        ),
    };
    run(warehouse, &sql).await?;
    tracing::info!(number, "the event store's tables were updated");
    Ok(())
}

/// Some statements copy a table.
const CHANGE_LIMIT: Duration = Duration::from_secs(600);

async fn run(warehouse: &Warehouse, sql: &str) -> Result<(), Error> {
    warehouse.call(Call::new(sql, &[], CHANGE_LIMIT)).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::{Location, ShardNames, own_names};
    use crate::schema_state::{Changes, Servers};

    #[test]
    fn migrations_say_who_may_go_on_beside_them() {
        for (number, file) in MIGRATIONS.iter().filter(|(number, _)| *number >= UPGRADES) {
            assert_eq!(crate::compatibility::fault(*number, file), None);
        }
    }

    struct Fleet;

    impl SchemaGuard for Fleet {
        fn alone<'a>(&'a self, changes: Changes<'a>) -> Changes<'a> {
            changes
        }

        fn running_below(&self, migration: u32) -> Servers<'_> {
            let names = (migration > 8).then(|| "one (v1)".to_owned());
            Box::pin(async { Ok(names.into_iter().collect()) })
        }
    }

    #[tokio::test]
    async fn what_takes_away_waits_for_servers_that_need_it() {
        let url = url::Url::parse("http://127.0.0.1:1").unwrap();
        let warehouse = Warehouse::open(Location::Remote { url }).guarded_by(Arc::new(Fleet));
        let wait = async |file: &str| wait_for_older(&warehouse, 10, file).await;
        wait("-- expand\nCREATE TABLE a (b UInt8)").await.unwrap();
        wait("-- contract: 8\nDROP TABLE a").await.unwrap();
        let error = wait("-- contract: 9\nDROP TABLE a").await.unwrap_err();
        assert!(error.may_pass() && error.to_string().contains("one (v1)"), "{error}");
    }

    fn names(replicated: bool) -> Names {
        let (database, cluster) = ("atrium_local".to_owned(), "main".to_owned());
        let whole = "atrium".to_owned();
        Names { database, shard: Some(ShardNames { number: 1, cluster, whole, replicated }) }
    }

    /// Tests have no replicas, so the statements for them are kept in a file, and changes to them show
    /// in review. `UPDATE_SNAPSHOT=1 cargo test` rewrites it.
    #[test]
    fn statements_of_replicas() {
        let names = names(true);
        let files = MIGRATIONS.iter().map(|(_, file)| *file);
        let tables = std::iter::once(RECORD).chain(files.flat_map(statements));
        let tables: Vec<String> = tables.map(|statement| names.fill(statement)).collect();
        let text = format!("{};\n\n{};\n", names.create_database(), tables.join(";\n\n"));
        let snapshot = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/replicas.sql");
        if std::env::var_os("UPDATE_SNAPSHOT").is_some() {
            std::fs::write(snapshot, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(snapshot).unwrap());
        for statement in &tables {
            assert!(!statement.contains("{"), "{statement}");
            assert_eq!(statement.contains("ENGINE = Replicated"), statement.contains("ENGINE"));
        }
    }

    #[test]
    fn statements_of_one_server() {
        for names in [own_names(), names(false)] {
            assert!(!names.create_database().contains("ENGINE"));
            for statement in MIGRATIONS.iter().flat_map(|(_, file)| statements(file)) {
                let filled = names.fill(statement);
                assert!(!filled.contains(['{', '}']) && !filled.contains("Replicated"), "{filled}");
            }
        }
    }
}
