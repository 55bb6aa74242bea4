//! The manifest of an archive: which instance it is of, and what it contains. It is the last entry to be
//! written and the first to be read.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use atrium_core::db;

/// Raised whenever older programs could not restore what newer ones write.
pub const FORMAT: u32 = 2;
/// The format that the first program with archives can restore.
pub const FIRST_FORMAT: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version of the program that made it.
    pub program: String,
    /// Identifies this archive: increments name the ones they need.
    pub id: String,
    pub made_at: String,
    /// The archive that this one is an increment of.
    pub since: Option<String>,
    pub master_key: KeyOf,
    pub database: Database,
    /// None if there were no events yet.
    pub events: Option<Events>,
    pub spools: Vec<Spool>,
    pub entries: Vec<Entry>,
}

/// The instance's master key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeyOf {
    pub fingerprint: String,
    /// Whether it is in the archive.
    pub included: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseKind {
    Sqlite,
    Postgres,
}

impl DatabaseKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Database {
    pub kind: DatabaseKind,
    /// Its last migration.
    pub schema: i64,
    pub entry: String,
    /// Rows of each table.
    pub rows: BTreeMap<String, i64>,
}

/// The form of the events in the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventsKind {
    /// From an embedded store: the files of each part of a table.
    Parts,
    /// From a server: the rows of each partition of a table.
    Rows,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Events {
    pub kind: EventsKind,
    /// The last migration of the tables.
    pub schema: u32,
    pub tables: Tables,
    /// For a cluster, the tables of the shards after the first, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_shards: Vec<Tables>,
}

/// By name.
pub type Tables = BTreeMap<String, Table>;

impl Events {
    /// The tables of every server in order: of the single one, or of the shards of a cluster.
    pub fn shards(&self) -> impl Iterator<Item = &Tables> {
        std::iter::once(&self.tables).chain(&self.other_shards)
    }

    /// The format that a program must support to restore them.
    pub fn format(&self) -> u32 {
        if self.other_shards.is_empty() { FIRST_FORMAT } else { FORMAT }
    }

    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.shards().flat_map(BTreeMap::values).flat_map(|table| &table.parts)
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Table {
    /// For parts, the stored rows, including deleted ones and ones still to be merged; for a server, the
    /// rows after all merges.
    pub rows: u64,
    pub parts: Vec<Part>,
    /// Rows of each app, for tables whose merges keep the number of rows.
    pub apps: Option<BTreeMap<Uuid, u64>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    pub rows: u64,
    /// The SHA-256 of the part's own list of checksums: parts with the same value are identical.
    pub contents: String,
    pub entry: String,
    /// The id of the archive that has the entry: this one, or one that it is an increment of.
    pub archive: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spool {
    pub slot: u32,
    pub entry: String,
    pub rows: BTreeMap<String, i64>,
    /// Messages waiting to be loaded.
    pub messages: i64,
}

/// An entry of the archive, in its compressed form.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    pub name: String,
    pub bytes: u64,
    pub sha256: String,
}

impl Manifest {
    /// Refuses formats and schemas that this program does not know.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.format > FORMAT {
            bail!(
                "it has format {}, but this version of Atrium supports {FORMAT}: it was made by {}",
                self.format,
                self.program
            );
        }
        let newer = |what, has: i64, known: i64| {
            format!(
                "{what} in it has migration {has}, but this version of Atrium supports {known}: \
                 it was made by {}",
                self.program
            )
        };
        if self.database.schema > db::newest_migration() {
            bail!(newer("the database", self.database.schema, db::newest_migration()));
        }
        let known = warehouse::newest_migration();
        if let Some(events) = self.events.as_ref().filter(|events| events.schema > known) {
            bail!(newer("the event store", events.schema.into(), known.into()));
        }
        for part in self.events.iter().flat_map(Events::parts) {
            // It is used as the name of a folder.
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            if part.name.is_empty() || !part.name.chars().all(plain) {
                bail!("{:?} is not the name of a part", part.name);
            }
        }
        Ok(())
    }

    /// The ids of all archives that are needed to restore this one.
    pub fn needs(&self) -> BTreeSet<&str> {
        let parts = self.events.iter().flat_map(Events::parts);
        parts.map(|part| part.archive.as_str()).chain([self.id.as_str()]).collect()
    }

    /// A part of the same table with the same contents.
    pub fn part(&self, table: &str, name: &str, contents: &str) -> Option<&Part> {
        let table = self.events.as_ref()?.tables.get(table)?;
        table.parts.iter().find(|part| part.name == name && part.contents == contents)
    }

    /// How many events of all apps there are.
    pub fn events(&self) -> u64 {
        let tables = self.events.iter().flat_map(Events::shards);
        let events = tables.filter_map(|tables| tables.get("events"));
        events.filter_map(|table| table.apps.as_ref()).flat_map(BTreeMap::values).sum()
    }

    /// How many messages wait in spools.
    pub fn waiting(&self) -> i64 {
        self.spools.iter().map(|spool| spool.messages).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let part = |name: &str, archive: &str| Part {
            name: name.to_owned(),
            rows: 1,
            contents: "c".to_owned(),
            entry: String::new(),
            archive: archive.to_owned(),
        };
        let parts = vec![part("202611_1_1_0", "before"), part("all_2_2_0", "this")];
        let table = Table { rows: 2, parts, apps: Some(BTreeMap::from([(Uuid::nil(), 2)])) };
        let tables = BTreeMap::from([("events".to_owned(), table)]);
        Manifest {
            format: FORMAT,
            program: "v1".to_owned(),
            id: "this".to_owned(),
            made_at: String::new(),
            since: None,
            master_key: KeyOf { fingerprint: String::new(), included: false },
            database: Database {
                kind: DatabaseKind::Sqlite,
                schema: db::newest_migration(),
                entry: String::new(),
                rows: BTreeMap::new(),
            },
            events: Some(Events {
                kind: EventsKind::Parts,
                schema: warehouse::newest_migration(),
                tables,
                other_shards: Vec::new(),
            }),
            spools: Vec::new(),
            entries: Vec::new(),
        }
    }

    fn refused(change: impl FnOnce(&mut Manifest)) -> String {
        let mut changed = manifest();
        change(&mut changed);
        changed.check().unwrap_err().to_string()
    }

    #[test]
    fn what_a_newer_version_made_is_refused() {
        manifest().check().unwrap();
        assert!(refused(|it| it.format += 1).contains("format"));
        assert!(refused(|it| it.database.schema += 1).contains("the database"));
        let newer = |it: &mut Manifest| it.events.as_mut().unwrap().schema += 1;
        assert!(refused(newer).contains("the event store"));
    }

    #[test]
    fn a_part_cannot_be_put_elsewhere() {
        for name in ["", "..", "../x", "a/b", "a'b"] {
            let said = refused(|it| {
                let events = it.events.as_mut().unwrap();
                events.tables.get_mut("events").unwrap().parts[0].name = name.to_owned();
            });
            assert!(said.contains("is not the name of a part"), "{said}");
        }
    }

    /// An older program would restore only the first shard and consider that complete.
    #[test]
    fn archives_of_shards_are_of_a_newer_format() {
        let mut manifest = manifest();
        let events = manifest.events.as_mut().unwrap();
        assert_eq!(events.format(), FIRST_FORMAT);
        events.other_shards.push(events.tables.clone());
        assert_eq!((events.format(), events.parts().count()), (FORMAT, 4));
        assert_eq!(manifest.events(), 4);
    }

    #[test]
    fn an_increment_knows_what_it_needs_and_has() {
        let manifest = manifest();
        assert_eq!(Vec::from_iter(manifest.needs()), ["before", "this"]);
        assert_eq!(manifest.events(), 2);
        assert!(manifest.part("events", "all_2_2_0", "c").is_some());
        assert!(manifest.part("events", "all_2_2_0", "d").is_none(), "written anew since");
        assert!(manifest.part("users", "all_2_2_0", "c").is_none());
    }
}
