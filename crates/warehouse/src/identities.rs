//! Every device and user of an app has a number, assigned once and by the loader alone. Sets of small
//! numbers are stored as bitmaps, with which the dashboard counts people (docs/decisions/0015).

use std::collections::{BTreeSet, HashMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use uuid::Uuid;

use crate::call::{Call, Insert};
use crate::client::{Parts, Warehouse};
use crate::error::Error;
use crate::params::literals;
use crate::placement::{hash_of, place_of};
use crate::rows::Kind;
use crate::rows::{put_uuid, read_uuid};

/// A device or user. Both are numbered in one sequence, so that a device without a user has the same
/// number as a person and as a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    pub app: Uuid,
    hash: u64,
}

/// The same as `Identity::of`, in a statement about rows of `events`.
pub(crate) const DEVICE_HASH: &str = "xxHash64(concat('d', device_id))";
pub(crate) const USER_HASH: &str = "xxHash64(concat('u', user_id))";

impl Identity {
    pub fn of(app: Uuid, kind: Kind, id: &[u8]) -> Self {
        Self { app, hash: hash_of(kind, id) }
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// Determines the shard.
    pub(crate) fn place(&self) -> u64 {
        place_of(self.app, self.hash)
    }
}

const ROW: usize = 16 + 8 + 4;

impl Warehouse {
    /// The numbers of the identities that have one. For up to some hundred thousand at a time.
    pub async fn person_ids(
        &self,
        identities: &[Identity],
    ) -> Result<HashMap<Identity, u32>, Error> {
        let mut parts = Parts::new(self.shards().await?);
        for identity in identities {
            parts.add(|| identity.place(), *identity);
        }
        let known =
            parts.ask(|shard, some| async move { shard.person_ids_here(&some).await }).await?;
        Ok(known.into_iter().flatten().collect())
    }

    async fn person_ids_here(
        &self,
        identities: &[Identity],
    ) -> Result<Vec<(Identity, u32)>, Error> {
        let apps: BTreeSet<Uuid> = identities.iter().map(|identity| identity.app).collect();
        let packed: Vec<u8> =
            identities.iter().flat_map(|identity| identity.hash.to_le_bytes()).collect();
        let sql = format!(
            "SELECT app_id, hash, max((fence, no)).2 FROM identities WHERE app_id IN ({}) AND hash IN \
             (SELECT reinterpretAsUInt64(substring(base64Decode('{}'), number * 8 + 1, 8)) \
             FROM numbers({})) GROUP BY app_id, hash FORMAT RowBinary",
            literals(apps),
            STANDARD.encode(&packed),
            identities.len()
        );
        let call = Call::new(&sql, &[], self.limit()).long().reading();
        let answer = self.call(call).await?;
        // Drops rows with the same hash in another app, which was not asked about.
        let asked: HashSet<&Identity> = identities.iter().collect();
        let rows = answer.as_chunks::<ROW>().0.iter().map(read);
        Ok(rows.filter(|(identity, _)| asked.contains(identity)).collect())
    }

    /// Stores numbers, which must be done before any event that carries them is stored. If one person
    /// has two numbers, the one with the higher fence of the app counts.
    pub async fn add_person_ids(
        &self,
        rows: &[(Identity, u32)],
        fence: impl Fn(Uuid) -> i64,
    ) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut bodies = self.bodies().await?;
        for (identity, no) in rows {
            let body = bodies.at(|| identity.place());
            put_uuid(identity.app, body);
            body.extend_from_slice(&identity.hash.to_le_bytes());
            body.extend_from_slice(&no.to_le_bytes());
            body.extend_from_slice(&fence(identity.app).to_le_bytes());
        }
        let sql = "INSERT INTO identities (app_id, hash, no, fence) FORMAT RowBinary";
        self.insert_bodies(sql, bodies, Insert::default()).await
    }

    /// The highest number assigned in an app; 0 if there is none.
    pub async fn last_number(&self, app: Uuid) -> Result<u32, Error> {
        #[derive(Deserialize)]
        struct Row {
            last: u32,
        }
        let sql = "SELECT max(no) AS last FROM identities WHERE app_id = {app:UUID}";
        let rows: Vec<Row> = self.query(sql, &[("app", app.into())]).await?;
        Ok(rows.first().map_or(0, |row| row.last))
    }
}

fn read(row: &[u8; ROW]) -> (Identity, u32) {
    let (app, rest) = (read_uuid(&row[..16]), &row[16..]);
    let hash = rest[..8].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
    let no = rest[8..].iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
    (Identity { app, hash }, no)
}
