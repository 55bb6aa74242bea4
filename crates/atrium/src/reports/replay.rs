//! Screen recordings: a piece as a browser sends it, as it is stored, and all pieces as one file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::event::hex_id;
use atrium_core::error::{Code, Error, Result};
use atrium_core::types::Id;

/// The limit of one unpacked piece, the same as of a request.
const PIECE_MAX: usize = 8 << 20;
/// More than two minutes at one a second.
const SEGMENTS_MAX: i64 = 1_000;

/// The metadata of a piece.
pub struct ReplayEvent {
    pub replay_id: String,
    pub segment: i64,
    value: Value,
}

impl ReplayEvent {
    pub fn read(payload: &[u8]) -> Result<Self> {
        let value: Value = serde_json::from_slice(payload).map_err(|_| Code::MalformedReport)?;
        let replay_id = value.get("replay_id").and_then(hex_id).ok_or(Code::MalformedReport)?;
        let segment = value.get("segment_id").and_then(Value::as_i64);
        let segment = segment.filter(|segment| (0..SEGMENTS_MAX).contains(segment));
        Ok(Self { replay_id, segment: segment.ok_or(Code::MalformedReport)?, value })
    }

    pub fn for_upstream(&self, user_id: &Id) -> Vec<u8> {
        let mut value = self.value.clone();
        if let Some(all) = value.as_object_mut() {
            all.remove("request");
            all.insert("user".to_owned(), json!({ "id": user_id }));
        }
        value.to_string().into_bytes()
    }
}

#[derive(Deserialize)]
struct PieceHead {
    #[allow(dead_code)]
    segment_id: i64,
}

/// The recording itself: a line about it, then a list in JSON.
pub fn recording(payload: &[u8]) -> Result<&str> {
    let end = payload.iter().position(|byte| *byte == b'\n').ok_or(Code::MalformedReport)?;
    let (head, list) = payload.split_at(end);
    serde_json::from_slice::<PieceHead>(head).map_err(|_| Code::MalformedReport)?;
    let list = std::str::from_utf8(list).map_err(|_| Code::MalformedReport)?.trim();
    serde_json::from_str::<Vec<IgnoredAny>>(list).map_err(|_| Code::MalformedReport)?;
    Ok(list)
}

pub fn pack(list: &str) -> Result<String> {
    let packed = zstd::bulk::compress(list.as_bytes(), 3).map_err(Error::internal)?;
    Ok(STANDARD_NO_PAD.encode(packed))
}

fn unpack(piece: &str) -> Result<String> {
    let packed = STANDARD_NO_PAD.decode(piece).map_err(Error::internal)?;
    let list = zstd::bulk::decompress(&packed, PIECE_MAX).map_err(Error::internal)?;
    String::from_utf8(list).map_err(Error::internal)
}

/// All pieces as one file, in the form that a player of such recordings reads.
pub fn file(replay_id: &str, pieces: &[String]) -> Result<String> {
    let mut events = String::new();
    for piece in pieces {
        let list = unpack(piece)?;
        let inner = list.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
        let inner = inner.unwrap_or_default().trim();
        if !events.is_empty() && !inner.is_empty() {
            events.push(',');
        }
        events.push_str(inner);
    }
    Ok(format!("{{\"replay_id\":\"{replay_id}\",\"events\":[{events}]}}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_one_list() {
        let pieces = ["[{\"a\":[1]},[2]]", "[]", "[{\"c\":\"]\"}]"].map(|list| pack(list).unwrap());
        let file: Value = serde_json::from_str(&file("x", &pieces).unwrap()).unwrap();
        assert_eq!(file["events"], json!([{ "a": [1] }, [2], { "c": "]" }]));
    }

    #[test]
    fn a_recording_is_a_list_after_a_line() {
        assert_eq!(recording(b"{\"segment_id\":0}\n[1, 2]").unwrap(), "[1, 2]");
        for wrong in
            ["", "[1]", "{}\n[1]", "{\"segment_id\":0}\n{}", "{\"segment_id\":0}\n\u{1}\u{2}"]
        {
            assert!(recording(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
        assert!(recording(b"{\"segment_id\":0}\n\x78\x9c\xff").is_err());
    }
}
