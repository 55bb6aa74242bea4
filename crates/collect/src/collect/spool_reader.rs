//! Queries on the spool's file: what is waiting, since when, and the next groups to load.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;

use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

use super::ledger::Tally;
use super::loader::partitions::Partitions;
use super::spool::Spool;
use super::spool_changes::Attempt;
use super::spool_file::connect;
use atrium_core::db::integrity;

/// Maximum bytes loaded at once: they are in memory several times over while being loaded.
const CHUNK_BYTES: usize = 64 << 20;
/// The maximum number of apps in one statement to the store.
const APPS_MAX: usize = 500;

/// The apps with waiting groups. Skips through the index, which has an entry for every group.
const WAITING_APPS: &str = "
    WITH RECURSIVE waiting (app) AS (
        SELECT MIN(app) FROM groups
        UNION ALL
        SELECT (SELECT MIN(app) FROM groups WHERE groups.app > waiting.app)
        FROM waiting WHERE waiting.app IS NOT NULL)
    SELECT app FROM waiting WHERE app IS NOT NULL";

/// Where groups begin that were not tried yet: after the app's attempts.
const UNTRIED_FROM: &str = "SELECT COALESCE(MAX(upto), 0) FROM attempts WHERE app = ?1";

/// Messages of one app that arrived at about the same time.
pub struct Group {
    pub app: Uuid,
    pub seq: i64,
    /// When the first of them arrived; zero if an earlier version wrote it.
    pub at: i64,
    pub format: i64,
    pub messages: i64,
    pub tally: Tally,
    pub data: Vec<u8>,
}

impl Group {
    fn read(row: &Row<'_>) -> anyhow::Result<Self> {
        Ok(Self {
            app: read_app(row, 0)?,
            seq: row.get(1)?,
            at: row.get(2)?,
            format: row.get(3)?,
            messages: row.get(4)?,
            tally: serde_json::from_str(row.get_ref(5)?.as_str()?)?,
            data: row.get(6)?,
        })
    }
}

const GROUP: &str = "app, seq, at, format, messages, ledger, data";

/// Which apps' groups are wanted.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// All apps in these partitions except some.
    AllBut(BTreeSet<Uuid>, Partitions),
    Only(Uuid),
}

/// Where an app's untried groups begin.
struct Cursor {
    app: Uuid,
    after: i64,
}

impl Spool {
    /// The next untried groups: oldest first for each app, apps served longest ago first, and at most a
    /// batch's worth from each.
    pub async fn take(
        &self,
        wanted: Wanted,
        messages_max: i64,
        turns: HashMap<Uuid, u64>,
    ) -> anyhow::Result<Vec<Group>> {
        self.read(move |connection| {
            let cursors = cursors(connection, &wanted, &turns)?;
            let share = CHUNK_BYTES / cursors.len().max(1);
            let (mut groups, mut bytes) = (Vec::new(), 0);
            for Cursor { app, after } in cursors {
                if bytes >= CHUNK_BYTES {
                    break;
                }
                bytes += take_of(connection, app, after, (messages_max, share), &mut groups)?;
            }
            Ok(groups)
        })
        .await
    }

    /// The groups of attempts that were begun.
    pub async fn take_begun(&self, attempts: Vec<Attempt>) -> anyhow::Result<Vec<Group>> {
        self.read(move |connection| {
            let mut groups = Vec::new();
            for Attempt { app, upto, .. } in attempts {
                let mut statement = connection.prepare_cached(&format!(
                    "SELECT {GROUP} FROM groups WHERE app = ?1 AND seq <= ?2 AND seq > (
                        SELECT COALESCE(MAX(upto), 0) FROM attempts WHERE app = ?1 AND upto < ?2)
                     ORDER BY seq"
                ))?;
                let mut rows = statement.query(params![app.as_bytes(), upto])?;
                while let Some(row) = rows.next()? {
                    groups.push(Group::read(row)?);
                }
            }
            Ok(groups)
        })
        .await
    }

    /// Attempts that were begun but not finished.
    pub async fn attempts(&self) -> anyhow::Result<Vec<Attempt>> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT app, upto, batch FROM attempts")?;
            let mut rows = statement.query([])?;
            let mut attempts = Vec::new();
            while let Some(row) = rows.next()? {
                let batch = row.get::<_, i64>(2)?.cast_unsigned();
                attempts.push(Attempt { app: read_app(row, 0)?, upto: row.get(1)?, batch });
            }
            Ok(attempts)
        })
        .await
    }

    /// The partitions of the waiting apps, including those with unfinished attempts.
    pub async fn waiting_partitions(&self) -> anyhow::Result<Partitions> {
        self.read(|connection| Ok(waiting_apps(connection)?.into_iter().collect())).await
    }

    /// The oldest waiting group.
    pub async fn first(&self) -> anyhow::Result<Option<i64>> {
        self.read(|found| Ok(found.query_row("SELECT MIN(seq) FROM groups", [], |r| r.get(0))?))
            .await
    }

    /// An app's oldest and newest waiting groups.
    pub async fn ends(&self, app: Uuid) -> anyhow::Result<Option<(i64, i64)>> {
        self.read(move |connection| {
            let ends = |row: &Row<'_>| Ok((row.get::<_, Option<i64>>(0)?, row.get(1)?));
            let sql = "SELECT (SELECT MIN(seq) FROM groups WHERE app = ?1),
                (SELECT MAX(seq) FROM groups WHERE app = ?1)";
            let (first, last) = connection.query_row(sql, [app.as_bytes()], ends)?;
            Ok(first.zip(last))
        })
        .await
    }

    /// When the oldest waiting message arrived, of all apps or of these.
    pub async fn oldest(&self, apps: Option<Vec<Uuid>>) -> anyhow::Result<Option<i64>> {
        self.read(move |connection| {
            let Some(apps) = apps else { return oldest_of_all(connection) };
            let mut statement = connection
                .prepare_cached("SELECT at FROM groups WHERE app = ?1 ORDER BY seq LIMIT 1")?;
            let mut oldest = None;
            for app in apps {
                let at = statement.query_row([app.as_bytes()], |row| row.get::<_, i64>(0));
                let at = at.optional()?.filter(|at| *at > 0);
                oldest = [oldest, at].into_iter().flatten().min();
            }
            Ok(oldest)
        })
        .await
    }

    /// One of these attempts whose message was set aside, so that only its end is missing.
    pub async fn set_aside_among(&self, attempts: Vec<Attempt>) -> anyhow::Result<Option<Attempt>> {
        if self.usage().set_aside.load(Ordering::Relaxed) == 0 {
            return Ok(None);
        }
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT 1 FROM set_aside WHERE app = ?1 AND seq = ?2 AND log_id != ''",
            )?;
            for attempt in attempts {
                let app = attempt.app.hyphenated().to_string();
                if statement.exists(params![app, attempt.upto])? {
                    return Ok(Some(attempt));
                }
            }
            Ok(None)
        })
        .await
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let (reader, file) = (self.reader.clone(), self.file.clone());
        let seen = self.usage().repairs.load(Ordering::Relaxed);
        let outcome = tokio::task::spawn_blocking(move || {
            let mut reader = reader.lock();
            let outcome = work(&reader);
            // A disk fault may have made the connection useless, so the next call opens a new one.
            if outcome.as_ref().is_err_and(is_sqlite)
                && let Ok(fresh) = connect(&file)
            {
                *reader = fresh;
            }
            outcome
        })
        .await?;
        if let Err(error) = &outcome
            && error.chain().any(|cause| cause.downcast_ref().is_some_and(integrity::is_damage))
        {
            self.repair(format!("{error:#}"), seen).await;
        }
        outcome
    }
}

fn is_sqlite(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<rusqlite::Error>())
}

/// When the oldest waiting message arrived.
pub fn oldest_of_all(connection: &Connection) -> anyhow::Result<Option<i64>> {
    let sql = "SELECT at FROM groups ORDER BY seq LIMIT 1";
    let at: Option<i64> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(at.filter(|at| *at > 0))
}

/// Where to begin for each wanted app, those served longest ago first.
fn cursors(
    connection: &Connection,
    wanted: &Wanted,
    turns: &HashMap<Uuid, u64>,
) -> anyhow::Result<Vec<Cursor>> {
    let apps = match wanted {
        Wanted::Only(app) => vec![*app],
        Wanted::AllBut(others, partitions) => {
            let mut apps = waiting_apps(connection)?;
            apps.retain(|app| partitions.contains(*app) && !others.contains(app));
            apps
        }
    };
    let mut first =
        connection.prepare_cached("SELECT MIN(seq) FROM groups WHERE app = ?1 AND seq > ?2")?;
    let mut untried_from = connection.prepare_cached(UNTRIED_FROM)?;
    let mut found = Vec::new();
    for app in apps {
        let after: i64 = untried_from.query_row([app.as_bytes()], |row| row.get(0))?;
        let at =
            first.query_row(params![app.as_bytes(), after], |row| row.get::<_, Option<i64>>(0));
        if let Some(seq) = at? {
            let turn = turns.get(&app).copied().unwrap_or(0);
            found.push(((turn, seq), Cursor { app, after }));
        }
    }
    found.sort_unstable_by_key(|(place, _)| *place);
    Ok(found.into_iter().map(|(_, cursor)| cursor).take(APPS_MAX).collect())
}

fn waiting_apps(connection: &Connection) -> anyhow::Result<Vec<Uuid>> {
    let mut statement = connection.prepare_cached(WAITING_APPS)?;
    let mut rows = statement.query([])?;
    let mut apps = Vec::new();
    while let Some(row) = rows.next()? {
        apps.push(read_app(row, 0)?);
    }
    Ok(apps)
}

fn read_app(row: &Row<'_>, column: usize) -> anyhow::Result<Uuid> {
    Ok(Uuid::from_slice(row.get_ref(column)?.as_blob()?)?)
}

/// Takes an app's next groups while they fit, but at least one. Returns their size in bytes.
fn take_of(
    connection: &Connection,
    app: Uuid,
    after: i64,
    (messages_max, bytes_max): (i64, usize),
    groups: &mut Vec<Group>,
) -> anyhow::Result<usize> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {GROUP} FROM groups WHERE app = ?1 AND seq > ?2 ORDER BY seq"
    ))?;
    let mut rows = statement.query(params![app.as_bytes(), after])?;
    let (mut messages, mut bytes) = (0, 0);
    while messages < messages_max
        && bytes < bytes_max
        && let Some(row) = rows.next()?
    {
        let group = Group::read(row)?;
        messages += group.messages;
        bytes += group.data.len();
        groups.push(group);
    }
    Ok(bytes)
}
