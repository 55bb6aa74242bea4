//! The envelope that a browser's reporting client sends: a line of JSON about the whole, then for each
//! item a line of JSON about it and its bytes. Nothing is trusted: lengths must be right, and kinds must
//! be known.

use serde_json::{Map, Value};

use atrium_core::error::{Code, Result};

/// The limit of a compressed request; for the unpacked one the collector's limit applies.
pub const SENT_MAX: usize = 2 << 20;
const ITEMS_MAX: usize = 20;
const HEAD_MAX: usize = 16 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Event,
    ReplayEvent,
    ReplayRecording,
    Session,
    Sessions,
    ClientReport,
    Transaction,
}

impl Kind {
    pub const ALL: [Self; 7] = [
        Self::Event,
        Self::ReplayEvent,
        Self::ReplayRecording,
        Self::Session,
        Self::Sessions,
        Self::ClientReport,
        Self::Transaction,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::ReplayEvent => "replay_event",
            Self::ReplayRecording => "replay_recording",
            Self::Session => "session",
            Self::Sessions => "sessions",
            Self::ClientReport => "client_report",
            Self::Transaction => "transaction",
        }
    }

    pub fn is_replay(self) -> bool {
        matches!(self, Self::ReplayEvent | Self::ReplayRecording)
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

#[derive(Debug)]
pub struct Envelope<'a> {
    pub head: Map<String, Value>,
    pub items: Vec<Item<'a>>,
}

#[derive(Debug)]
pub struct Item<'a> {
    pub kind: Kind,
    pub payload: std::borrow::Cow<'a, [u8]>,
}

impl Envelope<'_> {
    /// The public key in the DSN that the sender was given.
    pub fn key(&self) -> Option<String> {
        let dsn = self.head.get("dsn")?.as_str()?;
        let url = url::Url::parse(dsn).ok()?;
        Some(url.username().to_owned())
    }

    /// The envelope to forward: without the DSN it was sent to.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut head = self.head.clone();
        head.remove("dsn");
        let mut bytes = Value::Object(head).to_string().into_bytes();
        for item in &self.items {
            let about = serde_json::json!({
                "type": item.kind.as_str(), "length": item.payload.len(),
            });
            bytes.push(b'\n');
            bytes.extend_from_slice(about.to_string().as_bytes());
            bytes.push(b'\n');
            bytes.extend_from_slice(&item.payload);
        }
        bytes.push(b'\n');
        bytes
    }
}

pub fn parse(bytes: &[u8]) -> Result<Envelope<'_>> {
    let (head, mut rest) = read_head(bytes)?;
    let mut items = Vec::new();
    loop {
        while let Some(after) = rest.strip_prefix(b"\n") {
            rest = after;
        }
        if rest.is_empty() {
            break;
        }
        if items.len() == ITEMS_MAX {
            return Err(Code::MalformedReport.into());
        }
        let (item, after) = read_item(rest)?;
        items.push(item);
        rest = after;
    }
    if items.is_empty() {
        return Err(Code::MalformedReport.into());
    }
    Ok(Envelope { head, items })
}

fn read_item(bytes: &[u8]) -> Result<(Item<'_>, &[u8])> {
    let (head, rest) = read_head(bytes)?;
    let kind = head.get("type").and_then(Value::as_str).and_then(Kind::parse);
    let kind = kind.ok_or(Code::MalformedReport)?;
    let (payload, rest) = match head.get("length") {
        None => cut_line(rest),
        Some(length) => {
            let length = length.as_u64().and_then(|length| usize::try_from(length).ok());
            let cut = length.and_then(|length| rest.split_at_checked(length));
            let (payload, rest) = cut.ok_or(Code::MalformedReport)?;
            // The next item must start on a new line.
            if !(rest.is_empty() || rest.starts_with(b"\n")) {
                return Err(Code::MalformedReport.into());
            }
            (payload, rest)
        }
    };
    Ok((Item { kind, payload: payload.into() }, rest))
}

fn read_head(bytes: &[u8]) -> Result<(Map<String, Value>, &[u8])> {
    let (line, rest) = cut_line(bytes);
    if line.len() > HEAD_MAX {
        return Err(Code::MalformedReport.into());
    }
    let head = serde_json::from_slice(line).map_err(|_| Code::MalformedReport)?;
    Ok((head, rest))
}

fn cut_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Option<Vec<&'static str>> {
        let envelope = parse(text.as_bytes()).ok()?;
        Some(envelope.items.iter().map(|item| item.kind.as_str()).collect())
    }

    #[test]
    fn items_are_cut_by_length_or_by_line() {
        let text = "{}\n{\"type\":\"event\",\"length\":3}\n{\n}\n{\"type\":\"session\"}\n{}\n\n";
        let envelope = parse(text.as_bytes()).unwrap();
        assert_eq!(envelope.items[0].payload.as_ref(), b"{\n}");
        assert_eq!(envelope.items[1].payload.as_ref(), b"{}");
        assert_eq!(kinds("{}\n{\"type\":\"event\"}\n{}"), Some(vec!["event"]));
        assert_eq!(
            kinds("{}\n{\"type\":\"client_report\",\"length\":0}\n"),
            Some(vec!["client_report"])
        );
    }

    #[test]
    fn what_does_not_hold_together_is_refused() {
        let many = "\n{\"type\":\"session\"}\n{}".repeat(ITEMS_MAX + 1);
        let cases = [
            "",
            "{}",
            "[]\n{\"type\":\"event\"}\n{}",
            "{}\n{\"type\":\"attachment\"}\nx",
            "{}\n{\"type\":\"event\",\"length\":9}\n{}",
            "{}\n{\"type\":\"event\",\"length\":-1}\n{}",
            "{}\n{\"type\":\"event\",\"length\":1}\n{}",
            "{}\n{\"type\":\"event\",\"length\":18446744073709551615}\n{}",
            "{}\n{\"length\":2}\n{}",
            "{}\nnonsense",
            &format!("{{}}{many}"),
            &format!("{{\"a\":\"{}\"}}\n{{\"type\":\"event\"}}\n{{}}", "x".repeat(HEAD_MAX)),
        ];
        for case in cases {
            assert!(kinds(case).is_none(), "{case:?}");
        }
    }

    #[test]
    fn what_goes_out_again_reads_the_same_and_names_no_address() {
        let text = "{\"dsn\":\"https://k@evil.example/1\",\"event_id\":\"x\"}\n{\"type\":\"event\",\"x\":1}\n{}\n";
        let envelope = parse(text.as_bytes()).unwrap();
        assert_eq!(envelope.key().as_deref(), Some("k"));
        let out = envelope.to_bytes();
        assert!(!String::from_utf8_lossy(&out).contains("evil"));
        let again = parse(&out).unwrap();
        assert_eq!(again.items[0].payload, envelope.items[0].payload);
        assert_eq!(again.head["event_id"], "x");
    }
}
