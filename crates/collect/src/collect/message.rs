//! One message: parsed, checked against the collector's rules, and turned into the row that the warehouse
//! takes. Knows nothing of HTTP or disks.

use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;
use warehouse::{EventRow, Kind, MutationIn};

use super::limits;
use super::reason::Reason;
use super::record::{Record, RecordKind};
use super::text::Text;
use atrium_core::types::Millis;

const MESSAGE_MAX: usize = 64 * 1024;
const PROPERTIES_MAX: usize = 32 * 1024;
const ID_MAX: usize = 128;
pub(super) const EVENT_MAX: usize = 128;
const FIELD_MAX: usize = 256;
const PATH_MAX: usize = 2_048;
const USER_AGENT_MAX: usize = 1_024;
const OLDEST: i64 = 180 * Millis::DAY;
const NEWEST: i64 = 10 * Millis::MINUTE;
pub const OPERATIONS: [&str; 6] = ["set", "set_once", "unset", "increment", "append", "delete"];

/// What is known about a message before it is parsed.
pub struct Context {
    pub app: Uuid,
    pub now: Millis,
    /// The day it is booked under in the app's time zone, as days since 1970.
    pub day: i32,
    pub signed: bool,
}

/// How the ledger labels a message, whatever its outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    pub kind: MessageType,
    pub sdk_version: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MessageType {
    Event,
    DeviceMutation,
    UserMutation,
    #[default]
    Unknown,
}

impl MessageType {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Event => "Event",
            Self::DeviceMutation => "DeviceMutation",
            Self::UserMutation => "UserMutation",
            Self::Unknown => "unknown",
        }
    }

    pub fn parse(text: &str) -> Self {
        match text {
            "Event" => Self::Event,
            "DeviceMutation" => Self::DeviceMutation,
            "UserMutation" => Self::UserMutation,
            _ => Self::Unknown,
        }
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    data: &'a RawValue,
}

#[derive(Deserialize)]
struct EventData<'a> {
    #[serde(borrow)]
    log_id: Text<'a>,
    #[serde(borrow)]
    event: Text<'a>,
    timestamp: i64,
    #[serde(borrow)]
    device_id: Text<'a>,
    #[serde(borrow, default)]
    user_id: Text<'a>,
    #[serde(borrow, default)]
    sdk_type: Text<'a>,
    #[serde(borrow, default)]
    sdk_version: Text<'a>,
    #[serde(default)]
    timezone_offset: Option<f32>,
    #[serde(borrow, default)]
    os: Text<'a>,
    #[serde(borrow, default)]
    language: Text<'a>,
    #[serde(borrow, default)]
    url_path: Text<'a>,
    #[serde(borrow, default)]
    device_type: Text<'a>,
    #[serde(borrow, default)]
    browser: Text<'a>,
    #[serde(borrow, default)]
    browser_version: Text<'a>,
    #[serde(borrow, default)]
    user_agent: Text<'a>,
    #[serde(borrow, default)]
    client_version: Text<'a>,
    #[serde(borrow, default)]
    source: Text<'a>,
    #[serde(borrow, default)]
    properties: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct MutationData<'a> {
    #[serde(borrow)]
    operation: Text<'a>,
    #[serde(borrow)]
    log_id: Text<'a>,
    timestamp: i64,
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow, default)]
    sdk_version: Text<'a>,
    #[serde(borrow, default)]
    properties: Option<&'a RawValue>,
}

/// Reads one message and appends its row to `rows`. The label is for the ledger in either case.
pub fn read(
    raw: &RawValue,
    context: &Context,
    rows: &mut Vec<u8>,
) -> (Label, Result<Record, Reason>) {
    let text = raw.get();
    let mut label = Label::default();
    if text.len() > MESSAGE_MAX {
        return (label, Err(Reason::MessageTooLarge));
    }
    let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(text) else {
        return (label, Err(Reason::BadMessage));
    };
    label.kind = MessageType::parse(&envelope.kind);
    let data = envelope.data.get();
    let result = match label.kind {
        MessageType::Event => event(data, context, &mut label, rows),
        MessageType::DeviceMutation => mutation(data, Kind::Device, context, &mut label, rows),
        MessageType::UserMutation => mutation(data, Kind::User, context, &mut label, rows),
        MessageType::Unknown => Err(Reason::UnknownType),
    };
    (label, result)
}

fn event(
    data: &str,
    context: &Context,
    label: &mut Label,
    rows: &mut Vec<u8>,
) -> Result<Record, Reason> {
    let Ok(data) = serde_json::from_str::<EventData<'_>>(data) else {
        return Err(limits::fault_of_event(data, label));
    };
    label.sdk_version = sdk_version(&data.sdk_version);
    let log_id = log_id(&data.log_id)?;
    if !fits(&data.event, 1, EVENT_MAX) {
        return Err(Reason::BadEvent);
    }
    in_time(data.timestamp, context.now)?;
    if !fits(&data.device_id, 1, ID_MAX) {
        return Err(Reason::BadDeviceId);
    }
    let short = [
        &data.sdk_type,
        &data.sdk_version,
        &data.os,
        &data.language,
        &data.device_type,
        &data.browser,
        &data.browser_version,
        &data.client_version,
        &data.source,
    ];
    let offset = data.timezone_offset.unwrap_or(0.0);
    if short.iter().any(|text| !fits(text, 0, FIELD_MAX))
        || !fits(&data.user_id, 0, ID_MAX)
        || !fits(&data.url_path, 0, PATH_MAX)
        || !fits(&data.user_agent, 0, USER_AGENT_MAX)
        || !(-14.0..=14.0).contains(&offset)
    {
        return Err(Reason::BadField);
    }
    let properties = properties(data.properties)?;
    let start = rows.len();
    warehouse::write_event(
        &EventRow {
            app_id: context.app,
            time_ms: data.timestamp,
            event: &data.event,
            log_id,
            device_id: &data.device_id,
            user_id: &data.user_id,
            sdk_type: &data.sdk_type,
            sdk_version: &data.sdk_version,
            timezone_offset: offset,
            os: &data.os,
            language: &data.language,
            url_path: &data.url_path,
            device_type: &data.device_type,
            browser: &data.browser,
            browser_version: &data.browser_version,
            user_agent: &data.user_agent,
            client_version: &data.client_version,
            source: &data.source,
            properties,
            received_ms: context.now.0,
        },
        rows,
    );
    Ok(record(RecordKind::Event, context, log_id, data.timestamp, label, start, rows))
}

fn mutation(
    data: &str,
    kind: Kind,
    context: &Context,
    label: &mut Label,
    rows: &mut Vec<u8>,
) -> Result<Record, Reason> {
    let Ok(data) = serde_json::from_str::<MutationData<'_>>(data) else {
        return Err(limits::fault_of_mutation(data, label));
    };
    label.sdk_version = sdk_version(&data.sdk_version);
    if !context.signed {
        return Err(Reason::UnsignedMutation);
    }
    let log_id = log_id(&data.log_id)?;
    if !OPERATIONS.contains(&&*data.operation) {
        return Err(Reason::BadOperation);
    }
    in_time(data.timestamp, context.now)?;
    if !fits(&data.id, 1, ID_MAX) {
        return Err(Reason::BadId);
    }
    let properties = properties(data.properties)?;
    // We put the properties together ourselves, so we must be able to read them.
    if serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(properties).is_err() {
        return Err(Reason::BadProperties);
    }
    if &*data.operation == "increment" && !limits::all_numbers(properties) {
        return Err(Reason::BadIncrement);
    }
    let start = rows.len();
    warehouse::write_mutation(
        &MutationIn {
            app_id: context.app,
            kind,
            id: &data.id,
            time_ms: data.timestamp,
            log_id,
            operation: &data.operation,
            properties,
            received_ms: context.now.0,
        },
        rows,
    );
    let kind = match kind {
        Kind::Device => RecordKind::DeviceMutation,
        Kind::User => RecordKind::UserMutation,
    };
    let mut record = record(kind, context, log_id, data.timestamp, label, start, rows);
    record.subject = data.id.to_string();
    Ok(record)
}

fn record(
    kind: RecordKind,
    context: &Context,
    log_id: Uuid,
    time_ms: i64,
    label: &Label,
    start: usize,
    rows: &[u8],
) -> Record {
    Record {
        kind,
        app: context.app,
        log_id,
        time_ms,
        day: context.day,
        sdk_version: label.sdk_version.clone(),
        subject: String::new(),
        row: start..rows.len(),
        over_limit: 0,
    }
}

fn log_id(text: &str) -> Result<Uuid, Reason> {
    // Hyphenated or plain, upper or lower case, but not the braces and prefixes that the parser would
    // accept.
    let plain = matches!(text.len(), 32 | 36);
    Uuid::try_parse(text).ok().filter(|id| plain && !id.is_nil()).ok_or(Reason::BadLogId)
}

fn in_time(timestamp: i64, now: Millis) -> Result<(), Reason> {
    let age = now.since(Millis(timestamp));
    if (-NEWEST..=OLDEST).contains(&age) { Ok(()) } else { Err(Reason::TimestampOutOfRange) }
}

fn fits(text: &str, min: usize, max: usize) -> bool {
    // Most are short; characters are only counted if the byte length does not settle it.
    let length = text.len();
    length >= min && (length <= max || text.chars().count() <= max) && !text.as_bytes().contains(&0)
}

fn properties(given: Option<&RawValue>) -> Result<&str, Reason> {
    let text = match given.map(RawValue::get) {
        None | Some("null") => return Ok("{}"),
        Some(text) => text,
    };
    if text.len() > PROPERTIES_MAX {
        return Err(Reason::PropertiesTooLarge);
    }
    if limits::is_plain_object(text) { Ok(text) } else { Err(Reason::BadProperties) }
}

/// Strangers choose it and the ledger keeps a row for each: anything unusual is booked as unknown.
pub fn sdk_version(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    let known = !text.is_empty() && text.len() <= 20 && text.chars().all(plain);
    if known { text.to_owned() } else { "unknown".to_owned() }
}
