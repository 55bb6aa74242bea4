//! What the spool keeps of an accepted message: enough for the loader to find duplicates, to book and to
//! group it, and the row for the warehouse.

use std::ops::Range;

use anyhow::{Context, bail};
use uuid::Uuid;

use super::message::MessageType;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    Event,
    DeviceMutation,
    UserMutation,
}

impl RecordKind {
    pub fn message_type(self) -> MessageType {
        match self {
            Self::Event => MessageType::Event,
            Self::DeviceMutation => MessageType::DeviceMutation,
            Self::UserMutation => MessageType::UserMutation,
        }
    }

    fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            0 => Self::Event,
            1 => Self::DeviceMutation,
            2 => Self::UserMutation,
            _ => return None,
        })
    }
}

/// One message; `row` is the position of its bytes in the buffer it came with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub kind: RecordKind,
    pub app: Uuid,
    pub log_id: Uuid,
    pub time_ms: i64,
    pub day: i32,
    pub sdk_version: String,
    /// Whom a mutation is about.
    pub subject: String,
    pub row: Range<usize>,
    /// Which of its values are over the app's limits, as bits. Only the loader knows this, so it is not
    /// stored in the spool.
    pub over_limit: u8,
}

impl Record {
    /// Appends the record with its row, in the form `decode` reads.
    pub fn encode(&self, rows: &[u8], into: &mut Vec<u8>) {
        let row = rows.get(self.row.clone()).unwrap_or_default();
        into.push(self.kind as u8);
        into.extend_from_slice(self.app.as_bytes());
        into.extend_from_slice(self.log_id.as_bytes());
        into.extend_from_slice(&self.time_ms.to_le_bytes());
        into.extend_from_slice(&self.day.to_le_bytes());
        put_text(&self.sdk_version, into);
        put_text(&self.subject, into);
        into.extend_from_slice(&u32::try_from(row.len()).unwrap_or(u32::MAX).to_le_bytes());
        into.extend_from_slice(row);
    }
}

fn put_text(text: &str, into: &mut Vec<u8>) {
    into.extend_from_slice(&u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes());
    into.extend_from_slice(text.as_bytes());
}

/// Reads a buffer of records; each record's row is a range in that buffer.
pub fn decode(buffer: &[u8], into: &mut Vec<Record>) -> anyhow::Result<()> {
    let mut at = 0;
    while at < buffer.len() {
        let kind = RecordKind::from_byte(take::<1>(buffer, &mut at)?[0]);
        let app = Uuid::from_bytes(take(buffer, &mut at)?);
        let log_id = Uuid::from_bytes(take(buffer, &mut at)?);
        let time_ms = i64::from_le_bytes(take(buffer, &mut at)?);
        let day = i32::from_le_bytes(take(buffer, &mut at)?);
        let sdk_version = take_text(buffer, &mut at)?;
        let subject = take_text(buffer, &mut at)?;
        let length = u32::from_le_bytes(take(buffer, &mut at)?) as usize;
        let row = at..at + length;
        if row.end > buffer.len() {
            bail!("a record of the spool ends before its row does");
        }
        at = row.end;
        let kind = kind.context("a record of the spool is of an unknown kind")?;
        let over_limit = 0;
        into.push(Record {
            kind,
            app,
            log_id,
            time_ms,
            day,
            sdk_version,
            subject,
            row,
            over_limit,
        });
    }
    Ok(())
}

fn take<const N: usize>(buffer: &[u8], at: &mut usize) -> anyhow::Result<[u8; N]> {
    let bytes = buffer.get(*at..*at + N).context("a record of the spool is cut off")?;
    *at += N;
    Ok(bytes.try_into()?)
}

fn take_text(buffer: &[u8], at: &mut usize) -> anyhow::Result<String> {
    let length = u16::from_le_bytes(take(buffer, at)?) as usize;
    let bytes = buffer.get(*at..*at + length).context("a record of the spool is cut off")?;
    *at += length;
    Ok(String::from_utf8(bytes.to_vec())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_as_they_went_in() {
        let rows = b"firstsecond";
        let record = |kind, row| Record {
            kind,
            app: Uuid::from_u128(1),
            log_id: Uuid::from_u128(2),
            time_ms: -3,
            day: 4,
            sdk_version: "0.2.4".to_owned(),
            subject: "小王".to_owned(),
            row,
            over_limit: 0,
        };
        let written = [record(RecordKind::Event, 0..5), record(RecordKind::UserMutation, 5..11)];
        let mut buffer = Vec::new();
        for record in &written {
            record.encode(rows, &mut buffer);
        }
        let mut read = Vec::new();
        decode(&buffer, &mut read).unwrap();
        assert_eq!(read.len(), 2);
        for (was, is) in written.iter().zip(&read) {
            assert_eq!(buffer[is.row.clone()], rows[was.row.clone()]);
            assert_eq!(Record { row: was.row.clone(), ..is.clone() }, *was);
        }
        for cut in 1..buffer.len() {
            let mut read = Vec::new();
            // A cut between two records looks like a shorter buffer; any other cut is detected.
            let result = decode(&buffer[..cut], &mut read);
            assert!(result.is_err() || read.len() == 1, "{cut}");
        }
    }
}
