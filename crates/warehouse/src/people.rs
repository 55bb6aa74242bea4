//! The list of an app's users and devices.
//!
//! Callers who may not see ids see pseudonyms. A pseudonym is the beginning of a hash over a key and the
//! id; to find the id behind one, the store hashes the ids it has.

use std::time::Duration;

use serde::Deserialize;
use uuid::Uuid;

use crate::bounds::{Bounds, LIST};
use crate::client::Warehouse;
use crate::error::Error;
use crate::params::Param;
use crate::rows::Kind;

/// The key of pseudonyms: other keys give other ones.
pub type PseudonymKey = [u8; 32];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeopleSort {
    FirstSeen,
    LastSeen,
    /// By the id, or by the pseudonym where that replaces it.
    Id,
}

#[derive(Clone, Debug)]
pub enum PeopleSearch {
    All,
    /// Ids with this prefix, and people with a property whose value contains it.
    IdsAndProperties(String),
    /// Pseudonyms with this prefix, in hexadecimal digits.
    Pseudonyms(String),
}

#[derive(Clone, Debug)]
pub struct PeopleQuery {
    pub app: Uuid,
    pub kind: Kind,
    pub search: PeopleSearch,
    pub sort: PeopleSort,
    pub descending: bool,
    pub limit: u64,
    pub offset: u64,
    /// The key, for callers who see pseudonyms.
    pub pseudonyms: Option<PseudonymKey>,
}

/// A user or device. One with properties but no events has no times.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PersonRow {
    pub id: String,
    pub first_ms: Option<i64>,
    pub last_ms: Option<i64>,
}

/// There may be millions, and all are read for one page.
const PEOPLE: Bounds = Bounds { time: Duration::from_secs(10), memory: 512 << 20, ..LIST };

const PSEUDONYM: &str = "lower(hex(substring(SHA256(concat(unhex({key:String}), id)), 1, 16)))";

const CONTAINS: &str = "positionCaseInsensitiveUTF8(properties, {search:String}) > 0 AND arrayExists(\
    pair -> pair.1 != '$truncated' AND positionCaseInsensitiveUTF8(pair.2, {search:String}) > 0, \
    JSONExtractKeysAndValuesRaw(properties))";

const LIVING: &str = "app_id = {app:UUID} AND kind = {kind:String} AND NOT deleted";

impl Kind {
    pub(crate) fn table(self) -> &'static str {
        match self {
            Self::Device => "devices",
            Self::User => "users",
        }
    }

    pub(crate) fn column(self) -> &'static str {
        match self {
            Self::Device => "device_id",
            Self::User => "user_id",
        }
    }
}

impl PeopleQuery {
    fn params(&self) -> Vec<(&'static str, Param)> {
        let search = match &self.search {
            PeopleSearch::All => "",
            PeopleSearch::IdsAndProperties(text) | PeopleSearch::Pseudonyms(text) => text,
        };
        vec![
            ("app", self.app.into()),
            ("kind", self.kind.as_str().into()),
            ("search", search.into()),
            ("key", hex::encode(self.pseudonyms.unwrap_or_default()).into()),
        ]
    }

    /// Conditions for people with events, and for people with properties.
    fn narrowed(&self) -> (String, String) {
        match self.search {
            PeopleSearch::All => ("1".to_owned(), "1".to_owned()),
            PeopleSearch::Pseudonyms(_) => {
                let test = format!("startsWith({PSEUDONYM}, {{search:String}})");
                (test.clone(), test)
            }
            PeopleSearch::IdsAndProperties(_) => (
                format!(
                    "(startsWith(id, {{search:String}}) OR cityHash64(id) IN \
                     (SELECT cityHash64(id) FROM profiles FINAL WHERE {LIVING} AND {CONTAINS}))"
                ),
                format!("(startsWith(id, {{search:String}}) OR {CONTAINS})"),
            ),
        }
    }

    /// All people who match. A device is on one shard, but a user may be on several.
    fn all(&self, with_profiles: bool, is_spread: bool) -> String {
        let (table, column) = (self.kind.table(), self.kind.column());
        let (seen_test, known_test) = self.narrowed();
        let mut all = match self.kind {
            Kind::User if is_spread => format!(
                "SELECT {column} AS id, min(toNullable(first_seen)) AS first, \
                    max(toNullable(last_seen)) AS last \
                 FROM {table} WHERE app_id = {{app:UUID}} AND {seen_test} GROUP BY id"
            ),
            _ => format!(
                "SELECT {column} AS id, toNullable(first_seen) AS first, \
                    toNullable(last_seen) AS last \
                 FROM {table} FINAL WHERE app_id = {{app:UUID}} AND {seen_test}"
            ),
        };
        if with_profiles {
            all.push_str(&format!(
                " UNION ALL SELECT id, NULL AS first, NULL AS last FROM profiles FINAL \
                 WHERE {LIVING} AND {known_test} AND cityHash64(id) NOT IN \
                 (SELECT cityHash64({column}) FROM {table} WHERE app_id = {{app:UUID}})"
            ));
        }
        all
    }

    fn page(&self, all: &str) -> String {
        let by = match self.sort {
            PeopleSort::FirstSeen => "first",
            PeopleSort::LastSeen => "last",
            PeopleSort::Id if self.pseudonyms.is_some() => PSEUDONYM,
            PeopleSort::Id => "id",
        };
        let direction = if self.descending { "DESC" } else { "ASC" };
        format!(
            "SELECT id, toUnixTimestamp64Milli(first) AS first_ms, \
                toUnixTimestamp64Milli(last) AS last_ms \
             FROM ({all}) ORDER BY {by} {direction} NULLS LAST, id \
             LIMIT {{limit:UInt64}} OFFSET {{offset:UInt64}}"
        )
    }
}

impl Warehouse {
    /// A page of people, and how many there are in all.
    pub async fn people(&self, query: &PeopleQuery) -> Result<(Vec<PersonRow>, u64), Error> {
        #[derive(Deserialize)]
        struct Count {
            total: u64,
        }
        let all = query.all(self.has_profiles(query).await?, self.is_cluster());
        // Counted separately: to count them along with the page, all would have to be in memory.
        let (page, total) = (query.page(&all), format!("SELECT count() AS total FROM ({all})"));
        let mut params = query.params();
        params.extend([("limit", query.limit.into()), ("offset", query.offset.into())]);
        let (page, total) = tokio::try_join!(
            self.query_within::<PersonRow>(&PEOPLE, &page, &params),
            self.query_within::<Count>(&PEOPLE, &total, &params),
        )?;
        Ok((page, total.first().map_or(0, |count| count.total)))
    }

    /// Most apps set no properties: then half of the query can be left out.
    async fn has_profiles(&self, query: &PeopleQuery) -> Result<bool, Error> {
        let sql = "SELECT 1 AS one FROM profiles WHERE app_id = {app:UUID} AND kind = {kind:String} LIMIT 1";
        let params = [("app", query.app.into()), ("kind", query.kind.as_str().into())];
        Ok(!self.query::<serde_json::Value>(sql, &params).await?.is_empty())
    }

    /// The id behind a pseudonym, given in hexadecimal digits, if it is one of this app's.
    pub async fn id_behind(
        &self,
        app: Uuid,
        kind: Kind,
        key: &PseudonymKey,
        pseudonym: &str,
    ) -> Result<Option<String>, Error> {
        let test = format!("{PSEUDONYM} = {{pseudonym:String}}");
        let params = [("key", hex::encode(*key).into()), ("pseudonym", pseudonym.into())];
        self.find(app, kind, &test, &params).await
    }

    /// The id itself, if a person with it exists.
    pub async fn id_known(&self, app: Uuid, kind: Kind, id: &str) -> Result<Option<String>, Error> {
        self.find(app, kind, "id = {id:String}", &[("id", id.into())]).await
    }

    async fn find(
        &self,
        app: Uuid,
        kind: Kind,
        test: &str,
        more: &[(&'static str, Param)],
    ) -> Result<Option<String>, Error> {
        #[derive(Deserialize)]
        struct Row {
            id: String,
        }
        let seen = format!(
            "SELECT {} AS id FROM {} WHERE app_id = {{app:UUID}} AND {test} LIMIT 1",
            kind.column(),
            kind.table()
        );
        // Nearly everyone has events; the second query is only for the others.
        let known = format!("SELECT id FROM profiles FINAL WHERE {LIVING} AND {test} LIMIT 1");
        let mut params = vec![("app", app.into()), ("kind", kind.as_str().into())];
        params.extend_from_slice(more);
        for sql in [seen, known] {
            let found: Vec<Row> = self.query(&sql, &params).await?;
            if let Some(row) = found.into_iter().next() {
                return Ok(Some(row.id));
            }
        }
        Ok(None)
    }
}
