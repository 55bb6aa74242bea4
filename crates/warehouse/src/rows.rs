//! Rows as they are sent and kept in the spool: ClickHouse's RowBinary. The format of a row is part of
//! the spool's format: whoever changes it must still be able to read existing rows.

use serde::{Deserialize, Serialize};
use uuid::Uuid;
use xxhash_rust::xxh64::xxh64;

use crate::property_sql::{filled_columns, paths_of_apps};

/// An event, borrowed from wherever it was parsed.
#[derive(Clone, Copy, Debug)]
pub struct EventRow<'a> {
    pub app_id: Uuid,
    /// When it happened, in milliseconds.
    pub time_ms: i64,
    pub event: &'a str,
    pub log_id: Uuid,
    pub device_id: &'a str,
    /// Empty when there was none.
    pub user_id: &'a str,
    pub sdk_type: &'a str,
    pub sdk_version: &'a str,
    /// In hours.
    pub timezone_offset: f32,
    pub os: &'a str,
    pub language: &'a str,
    pub url_path: &'a str,
    pub device_type: &'a str,
    pub browser: &'a str,
    pub browser_version: &'a str,
    pub user_agent: &'a str,
    pub client_version: &'a str,
    pub source: &'a str,
    /// A JSON object, as text.
    pub properties: &'a str,
    /// When it came in, in milliseconds.
    pub received_ms: i64,
}

/// Whose properties they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Device,
    User,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::User => "user",
        }
    }
}

/// A change to the properties of a device or user.
#[derive(Clone, Copy, Debug)]
pub struct MutationIn<'a> {
    pub app_id: Uuid,
    pub kind: Kind,
    pub id: &'a str,
    pub time_ms: i64,
    pub log_id: Uuid,
    pub operation: &'a str,
    /// A JSON object, as text.
    pub properties: &'a str,
    pub received_ms: i64,
}

/// The record that a message with this id was stored.
#[derive(Clone, Copy, Debug)]
pub struct LogIdRow {
    pub app_id: Uuid,
    /// When it happened. The same id at another time is another message.
    pub time_ms: i64,
    pub log_id: Uuid,
    /// Unix time.
    pub received: u32,
    /// The load that stores it; a load's own ids are not duplicates.
    pub batch: u64,
}

/// The columns that `write_event` writes, and their types on the way in.
const EVENT_STRUCTURE: &str = "app_id UUID, time DateTime64(3, \\'UTC\\'), event String, log_id UUID, \
    device_id String, user_id String, sdk_type String, sdk_version String, timezone_offset Float32, \
    os String, language String, url_path String, device_type String, browser String, \
    browser_version String, user_agent String, client_version String, source String, \
    properties String, received_at DateTime64(3, \\'UTC\\'), person_no UInt32, device_no UInt32, \
    over_limit UInt8";

const EVENT_COLUMNS: &str = "app_id, time, event, log_id, device_id, user_id, sdk_type, sdk_version, \
    timezone_offset, os, language, url_path, device_type, browser, browser_version, user_agent, \
    client_version, source, properties, received_at, person_no, device_no, over_limit";

const MUTATION_STRUCTURE: &str = "app_id UUID, kind String, id String, time DateTime64(3, \\'UTC\\'), \
    log_id UUID, operation String, properties String, received_at DateTime64(3, \\'UTC\\')";

const MUTATION_COLUMNS: &str = "app_id, kind, id, time, log_id, operation, properties, received_at";

/// The format of an INSERT's rows, for finding their shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowFormat {
    Event,
    Mutation,
    MessageId,
}

/// A statement that stores rows, and what they look like.
#[derive(Clone, Debug)]
pub struct RowInsert {
    pub(crate) sql: String,
    /// The statement to use when some apps' properties have columns.
    pub(crate) filling_columns: Option<String>,
    pub(crate) format: RowFormat,
}

impl RowInsert {
    /// Stores rows as a release without property columns does.
    pub fn leave_columns(&mut self) {
        self.filling_columns = None;
    }
}

/// The statement that stores events, each written by `write_event` and then `write_person_ids`, under
/// the number of their load.
pub fn event_insert(batch: u64) -> RowInsert {
    let sql = with_batch("events", EVENT_COLUMNS, EVENT_STRUCTURE, batch);
    let (columns, values) = filled_columns();
    let filling_columns = format!(
        "INSERT INTO events ({EVENT_COLUMNS}, batch, {columns}) \
         SELECT {EVENT_COLUMNS}, toUInt64({batch}), {values} FROM input('{EVENT_STRUCTURE}') AS row \
         ANY LEFT JOIN {} AS paths USING (app_id) FORMAT RowBinary",
        paths_of_apps()
    );
    RowInsert { sql, filling_columns: Some(filling_columns), format: RowFormat::Event }
}

/// The statement that stores changes written by `write_mutation`.
pub fn mutation_insert(batch: u64) -> RowInsert {
    let sql = with_batch("mutations", MUTATION_COLUMNS, MUTATION_STRUCTURE, batch);
    RowInsert { sql, filling_columns: None, format: RowFormat::Mutation }
}

/// The statement that stores ids written by `write_log_id`.
pub fn log_id_insert() -> RowInsert {
    let sql = "INSERT INTO message_ids (app_id, time_ms, log_id, received, batch) FORMAT RowBinary";
    RowInsert { sql: sql.to_owned(), filling_columns: None, format: RowFormat::MessageId }
}

fn with_batch(table: &str, columns: &str, structure: &str, batch: u64) -> String {
    format!(
        "INSERT INTO {table} ({columns}, batch) SELECT {columns}, toUInt64({batch}) \
         FROM input('{structure}') FORMAT RowBinary"
    )
}

pub fn write_event(row: &EventRow<'_>, into: &mut Vec<u8>) {
    put_uuid(row.app_id, into);
    into.extend_from_slice(&row.time_ms.to_le_bytes());
    put_text(row.event, into);
    put_uuid(row.log_id, into);
    put_text(row.device_id, into);
    put_text(row.user_id, into);
    put_text(row.sdk_type, into);
    put_text(row.sdk_version, into);
    into.extend_from_slice(&row.timezone_offset.to_le_bytes());
    put_text(row.os, into);
    put_text(row.language, into);
    put_text(row.url_path, into);
    put_text(row.device_type, into);
    put_text(row.browser, into);
    put_text(row.browser_version, into);
    put_text(row.user_agent, into);
    put_text(row.client_version, into);
    put_text(row.source, into);
    put_text(row.properties, into);
    into.extend_from_slice(&row.received_ms.to_le_bytes());
}

/// Appends the numbers of an event's person and device, which are not known before it is loaded. For an
/// event with no value over a limit.
pub fn write_person_ids(person: u32, device: u32, into: &mut Vec<u8>) {
    write_person_ids_over_limit(person, device, 0, into);
}

/// The same for an event with values over a limit: `over_limit` has their bits.
pub fn write_person_ids_over_limit(person: u32, device: u32, over_limit: u8, into: &mut Vec<u8>) {
    into.extend_from_slice(&person.to_le_bytes());
    into.extend_from_slice(&device.to_le_bytes());
    into.push(over_limit);
}

/// The device and the user (empty when there was none) of an event that `write_event` wrote.
pub fn subjects(row: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_event, rest) = take_text(row.get(16 + 8..)?)?;
    let (device, rest) = take_text(rest.get(16..)?)?;
    let (user, _) = take_text(rest)?;
    Some((device, user))
}

/// The values of an event that have counts of their own, and its properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedFields<'a> {
    pub event: &'a [u8],
    pub os: &'a [u8],
    pub language: &'a [u8],
    pub device_type: &'a [u8],
    pub browser: &'a [u8],
    pub url_path: &'a [u8],
    /// A JSON object, as text.
    pub properties: &'a [u8],
}

/// Reads them from an event that `write_event` wrote.
pub fn counted_fields(row: &[u8]) -> Option<CountedFields<'_>> {
    let (event, rest) = take_text(row.get(16 + 8..)?)?;
    let rest = skip_texts(rest.get(16..)?, 4)?;
    let (os, rest) = take_text(rest.get(4..)?)?;
    let (language, rest) = take_text(rest)?;
    let (url_path, rest) = take_text(rest)?;
    let (device_type, rest) = take_text(rest)?;
    let (browser, rest) = take_text(rest)?;
    let (properties, _) = take_text(skip_texts(rest, 4)?)?;
    Some(CountedFields { event, os, language, device_type, browser, url_path, properties })
}

impl CountedFields<'_> {
    /// Whether its page and its referring site are counted.
    pub fn is_page_view(&self) -> bool {
        self.event == b"page_view"
    }
}

/// Hashes of the values of an event that have counts of their own. Referring sites are left out because
/// there are few.
pub fn counted_values(row: &[u8], seed: u64) -> Option<[u64; 6]> {
    let fields = counted_fields(row)?;
    let CountedFields { event, os, language, device_type, browser, url_path, .. } = fields;
    let hash = |place: u64, value| xxh64(value, seed.wrapping_add(place));
    let page = if fields.is_page_view() { hash(5, url_path) } else { hash(0, event) };
    let device = [hash(1, os), hash(2, language), hash(3, device_type), hash(4, browser)];
    let [os, language, device_type, browser] = device;
    Some([hash(0, event), os, language, device_type, browser, page])
}

pub fn write_mutation(row: &MutationIn<'_>, into: &mut Vec<u8>) {
    put_uuid(row.app_id, into);
    put_text(row.kind.as_str(), into);
    put_text(row.id, into);
    into.extend_from_slice(&row.time_ms.to_le_bytes());
    put_uuid(row.log_id, into);
    put_text(row.operation, into);
    put_text(row.properties, into);
    into.extend_from_slice(&row.received_ms.to_le_bytes());
}

pub fn write_log_id(row: &LogIdRow, into: &mut Vec<u8>) {
    put_message_id((row.app_id, row.time_ms, row.log_id), into);
    into.extend_from_slice(&row.received.to_le_bytes());
    into.extend_from_slice(&row.batch.to_le_bytes());
}

/// A message's key: its app, when it happened, and its id.
pub type MessageKey = (Uuid, i64, Uuid);

pub(crate) fn put_message_id((app_id, time_ms, log_id): MessageKey, into: &mut Vec<u8>) {
    put_uuid(app_id, into);
    into.extend_from_slice(&time_ms.to_le_bytes());
    put_uuid(log_id, into);
}

/// ClickHouse stores an id as two 64-bit numbers, the higher first, each in the machine's byte order.
pub(crate) fn put_uuid(id: Uuid, into: &mut Vec<u8>) {
    let (high, low) = id.as_u64_pair();
    into.extend_from_slice(&high.to_le_bytes());
    into.extend_from_slice(&low.to_le_bytes());
}

/// Reads pairs of ids, as `FORMAT RowBinary` gives two columns of them.
pub(crate) fn read_pairs(bytes: &[u8]) -> Vec<(Uuid, Uuid)> {
    read_uuids(bytes).chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Reads consecutive ids in `FORMAT RowBinary`.
fn read_uuids(bytes: &[u8]) -> Vec<Uuid> {
    bytes.chunks_exact(16).map(read_uuid).collect()
}

/// Reads what `put_uuid` writes.
pub(crate) fn read_uuid(bytes: &[u8]) -> Uuid {
    let half = |bytes: &[u8]| {
        bytes.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
    };
    Uuid::from_u64_pair(half(&bytes[..8]), half(&bytes[8..]))
}

pub(crate) fn skip_texts(bytes: &[u8], count: usize) -> Option<&[u8]> {
    (0..count).try_fold(bytes, |bytes, _| take_text(bytes).map(|(_, rest)| rest))
}

pub(crate) fn take_text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (mut length, mut read) = (0_usize, 0);
    loop {
        let byte = *bytes.get(read)?;
        length |= usize::from(byte & 0x7f).checked_shl(7 * u32::try_from(read).ok()?)?;
        read += 1;
        if byte < 0x80 {
            return bytes.get(read..)?.split_at_checked(length);
        }
    }
}

pub(crate) fn put_text(text: &str, into: &mut Vec<u8>) {
    put_length(text.len(), into);
    into.extend_from_slice(text.as_bytes());
}

pub(crate) fn put_length(mut length: usize, into: &mut Vec<u8>) {
    while length >= 0x80 {
        into.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    into.push(length as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_are_counted_are_read_as_they_were_written() {
        let properties = format!("{{\"a\": \"{}\"}}", "x".repeat(300));
        let row = EventRow {
            app_id: Uuid::from_u128(1),
            time_ms: 2,
            event: "signup",
            log_id: Uuid::from_u128(3),
            device_id: "device",
            user_id: "",
            sdk_type: "js",
            sdk_version: "1",
            timezone_offset: 8.0,
            os: "macOS",
            language: "zh-CN",
            url_path: "/pricing",
            device_type: "PC",
            browser: "Chrome",
            browser_version: "130",
            user_agent: "Mozilla",
            client_version: "1.2.3",
            source: "web",
            properties: &properties,
            received_ms: 4,
        };
        let mut written = Vec::new();
        write_event(&row, &mut written);
        let fields = counted_fields(&written).unwrap();
        let expected = CountedFields {
            event: b"signup",
            os: b"macOS",
            language: b"zh-CN",
            device_type: b"PC",
            browser: b"Chrome",
            url_path: b"/pricing",
            properties: properties.as_bytes(),
        };
        assert_eq!(fields, expected);
        assert_eq!(subjects(&written), Some((&b"device"[..], &b""[..])));
        for cut in 0..written.len() - 8 {
            // A truncated row cannot be read, and must not panic.
            assert_eq!(counted_fields(&written[..cut]), None);
        }
    }
}
