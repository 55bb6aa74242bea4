//! Which shard a row belongs to. All events of a device are on one shard, with its sessions and
//! everything counted from them. So are the number, the changes and the profile of a device or user.
//! Message ids are placed by themselves, because whoever looks one up knows nothing else about the
//! message.
//!
//! This must never change: rows that are stored stay where they are.

use bytes::Bytes;
use uuid::Uuid;
use xxhash_rust::xxh64::xxh64;

use crate::error::Error;
use crate::rows::{Kind, RowFormat, read_uuid, skip_texts, take_text};

const CANNOT_READ_ALL_DATA: i32 = 33;

/// The sharding expression of a table: its remainder by the number of shards is the index of the shard,
/// from 0 on. None for tables that are made from events on each shard, and for those that every shard
/// has a copy of.
pub fn shard_key(table: &str) -> Option<&'static str> {
    Some(match table {
        "events" | "devices" => {
            "xxHash64(concat(toString(app_id), toString(xxHash64(concat('d', device_id)))))"
        }
        "users" => "xxHash64(concat(toString(app_id), toString(xxHash64(concat('u', user_id)))))",
        "identities" | "device_owners" => "xxHash64(concat(toString(app_id), toString(hash)))",
        "mutations" | "profiles" => {
            "xxHash64(concat(toString(app_id), toString(xxHash64(concat(substring(kind, 1, 1), id)))))"
        }
        "message_ids" | "log_ids" => "xxHash64(concat(toString(app_id), toString(log_id)))",
        _ => return None,
    })
}

/// The hash that identifies a device or user within an app.
pub(crate) fn hash_of(kind: Kind, id: &[u8]) -> u64 {
    let mut named = Vec::with_capacity(id.len() + 1);
    named.push(match kind {
        Kind::Device => b'd',
        Kind::User => b'u',
    });
    named.extend_from_slice(id);
    xxh64(&named, 0)
}

/// A number whose remainder by the number of shards is the index of their shard.
pub(crate) fn place_of(app: Uuid, hash: u64) -> u64 {
    xxh64(format!("{app}{hash}").as_bytes(), 0)
}

/// The same for a message.
pub(crate) fn place_of_message(app: Uuid, log_id: Uuid) -> u64 {
    xxh64(format!("{app}{log_id}").as_bytes(), 0)
}

/// The index of the shard for a place. With a single shard the place is not computed.
pub(crate) fn shard_at(shards: usize, place: impl FnOnce() -> u64) -> usize {
    if shards <= 1 { 0 } else { (place() % shards as u64) as usize }
}

/// Rows for each of the shards.
pub(crate) struct Bodies(Vec<Vec<u8>>);

impl Bodies {
    pub fn new(shards: usize) -> Self {
        Self(vec![Vec::new(); shards.max(1)])
    }

    /// The rows for the shard of a place.
    pub fn at(&mut self, place: impl FnOnce() -> u64) -> &mut Vec<u8> {
        let shard = shard_at(self.0.len(), place);
        &mut self.0[shard]
    }

    /// Splits the rows of an INSERT by shard.
    pub fn split(shards: usize, format: RowFormat, rows: &[u8]) -> Result<Self, Error> {
        let mut bodies = Self::new(shards);
        let mut rest = rows;
        while !rest.is_empty() {
            let (place, length) = next(format, rest).ok_or_else(|| Error::Refused {
                code: CANNOT_READ_ALL_DATA,
                message: "a row ends before it is whole".to_owned(),
            })?;
            let (row, after) = rest.split_at(length);
            bodies.at(|| place).extend_from_slice(row);
            rest = after;
        }
        Ok(bodies)
    }

    /// In the order of the shards.
    pub fn into_each(self) -> impl Iterator<Item = Bytes> {
        self.0.into_iter().map(Bytes::from)
    }
}

/// The place of the first row, and its length.
fn next(format: RowFormat, rows: &[u8]) -> Option<(u64, usize)> {
    let app = read_uuid(rows.get(..16)?);
    let (place, rest) = match format {
        RowFormat::Event => {
            let (_event, rest) = take_text(rows.get(16 + 8..)?)?;
            let (device, rest) = take_text(rest.get(16..)?)?;
            let rest = skip_texts(rest, 3)?;
            let rest = skip_texts(rest.get(4..)?, 10)?;
            // The fixed-size end of a row: when it was received, its person and device numbers, and its
            // `over_limit`.
            (place_of(app, hash_of(Kind::Device, device)), rest.get(8 + 4 + 4 + 1..)?)
        }
        RowFormat::Mutation => {
            let (kind, rest) = take_text(&rows[16..])?;
            let (id, rest) = take_text(rest)?;
            let kind = if kind == b"user" { Kind::User } else { Kind::Device };
            let rest = skip_texts(rest.get(8 + 16..)?, 2)?;
            (place_of(app, hash_of(kind, id)), rest.get(8..)?)
        }
        RowFormat::MessageId => {
            let log_id = read_uuid(rows.get(24..40)?);
            (place_of_message(app, log_id), rows.get(52..)?)
        }
    };
    Some((place, rows.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{
        EventRow, LogIdRow, MutationIn, write_event, write_log_id, write_mutation, write_person_ids,
    };

    const APP: Uuid = Uuid::from_u128(7);

    fn event(device_id: &str) -> Vec<u8> {
        let text = "x".repeat(200);
        let row = EventRow {
            app_id: APP,
            time_ms: 1,
            event: &text,
            log_id: Uuid::from_u128(3),
            device_id,
            user_id: "u",
            sdk_type: "js",
            sdk_version: "",
            timezone_offset: 1.0,
            os: "a",
            language: "b",
            url_path: "c",
            device_type: "d",
            browser: "e",
            browser_version: "f",
            user_agent: &text,
            client_version: "h",
            source: "i",
            properties: &text,
            received_ms: 2,
        };
        let mut written = Vec::new();
        write_event(&row, &mut written);
        write_person_ids(1, 2, &mut written);
        written
    }

    fn mutation(kind: Kind, id: &str) -> Vec<u8> {
        let row = MutationIn {
            app_id: APP,
            kind,
            id,
            time_ms: 1,
            log_id: Uuid::from_u128(9),
            operation: "set",
            properties: "{}",
            received_ms: 2,
        };
        let mut written = Vec::new();
        write_mutation(&row, &mut written);
        written
    }

    fn message_id(log_id: u128) -> Vec<u8> {
        let log_id = Uuid::from_u128(log_id);
        let row = LogIdRow { app_id: APP, time_ms: 1, log_id, received: 2, batch: 3 };
        let mut written = Vec::new();
        write_log_id(&row, &mut written);
        written
    }

    /// Rows of every format are split correctly, and none is lost.
    #[test]
    fn every_row_goes_to_its_place() {
        let place = |kind, id: &str| place_of(APP, hash_of(kind, id.as_bytes()));
        for number in 0..40_u128 {
            let id = format!("id {number}");
            for (format, row, place) in [
                (RowFormat::Event, event(&id), place(Kind::Device, &id)),
                (RowFormat::Mutation, mutation(Kind::User, &id), place(Kind::User, &id)),
                (RowFormat::Mutation, mutation(Kind::Device, &id), place(Kind::Device, &id)),
                (
                    RowFormat::MessageId,
                    message_id(number),
                    place_of_message(APP, Uuid::from_u128(number)),
                ),
            ] {
                let two = [row.clone(), row.clone()].concat();
                let mut bodies = Bodies::split(3, format, &two).unwrap();
                assert_eq!(*bodies.at(|| place), two, "{format:?}");
                assert_eq!(bodies.into_each().map(|body| body.len()).sum::<usize>(), two.len());
                for cut in 1..row.len() {
                    assert!(Bodies::split(3, format, &row[..cut]).is_err(), "{format:?} {cut}");
                }
            }
        }
    }

    #[test]
    fn rows_spread_over_all_shards() {
        let mut counts = [0_u32; 3];
        for number in 0..3_000 {
            let device = format!("device {number}");
            let place = place_of(APP, hash_of(Kind::Device, device.as_bytes()));
            counts[(place % 3) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
        // Many apps have a single device with the same id.
        let server = |app| place_of(Uuid::from_u128(app), hash_of(Kind::Device, b"server")) % 3;
        assert!((0..20).any(|app| server(app) != server(20)));
    }
}
