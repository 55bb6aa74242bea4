//! One error as reported by a browser: which parts are stored, which others it is grouped with, and how
//! it is displayed.

use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use atrium_core::error::{Code, Result};
use atrium_core::types::Id;

/// The fields of a report that are stored. The person comes from the session instead, and a URL could
/// contain a token.
const KEPT: [&str; 13] = [
    "event_id",
    "timestamp",
    "platform",
    "level",
    "release",
    "environment",
    "transaction",
    "exception",
    "message",
    "logentry",
    "breadcrumbs",
    "tags",
    "sdk",
];
const CONTEXTS_KEPT: [&str; 5] = ["replay", "trace", "culture", "react", "route"];
const EVENT_MAX: usize = 256 << 10;
const KIND_MAX: usize = 100;
const MESSAGE_MAX: usize = 1_000;
const WORD_MAX: usize = 200;
/// How many frames distinguish errors.
const TELLING_FRAMES: usize = 3;

pub struct Event {
    pub event_id: String,
    pub replay_id: Option<String>,
    pub kind: String,
    pub message: String,
    pub route: String,
    pub release: String,
    pub fingerprint: String,
    value: Value,
}

impl Event {
    pub fn read(payload: &[u8]) -> Result<Self> {
        let sent: Map<String, Value> =
            serde_json::from_slice(payload).map_err(|_| Code::MalformedReport)?;
        let event_id = sent.get("event_id").and_then(hex_id).ok_or(Code::MalformedReport)?;
        let value = only_kept(sent);
        let replay_id = value.pointer("/contexts/replay/replay_id").and_then(hex_id);
        let replay_id = replay_id.or_else(|| value.pointer("/tags/replayId").and_then(hex_id));
        let (kind, message) = what_happened(&value);
        let route = text(&value["transaction"], WORD_MAX);
        Ok(Self {
            event_id,
            replay_id,
            fingerprint: fingerprint(&kind, &message, &value),
            kind,
            message,
            // Our own client sends a pattern; anything else would be a path.
            route: if route.starts_with('/') { route } else { String::new() },
            release: text(&value["release"], WORD_MAX),
            value,
        })
    }

    /// The text to store.
    pub fn to_text(&self) -> Result<String> {
        let text = self.value.to_string();
        if text.len() <= EVENT_MAX {
            return Ok(text);
        }
        let mut short = self.value.clone();
        short["breadcrumbs"] = Value::Null;
        let text = short.to_string();
        if text.len() > EVENT_MAX {
            return Err(Code::TooLarge.into());
        }
        Ok(text)
    }

    /// The event for an external collector, with the user from the session.
    pub fn for_upstream(&self, user_id: Option<&Id>) -> Vec<u8> {
        let mut value = self.value.clone();
        if let Some(id) = user_id {
            value["user"] = json!({ "id": id });
        }
        value.to_string().into_bytes()
    }
}

fn only_kept(mut sent: Map<String, Value>) -> Value {
    let contexts = match sent.remove("contexts") {
        Some(Value::Object(mut all)) => {
            all.retain(|name, _| CONTEXTS_KEPT.contains(&name.as_str()));
            all
        }
        _ => Map::new(),
    };
    sent.retain(|name, _| KEPT.contains(&name.as_str()));
    sent.insert("contexts".to_owned(), Value::Object(contexts));
    Value::Object(sent)
}

/// An id of 32 hexadecimal digits, as reporting clients use.
pub fn hex_id(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let fits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    fits.then(|| text.to_ascii_lowercase())
}

/// Removes control characters, which not every database stores, and limits the length.
fn text(value: &Value, max: usize) -> String {
    let text = value.as_str().unwrap_or_default();
    text.chars().filter(|c| !c.is_control() || *c == '\n').take(max).collect()
}

fn what_happened(value: &Value) -> (String, String) {
    let last =
        value.pointer("/exception/values").and_then(Value::as_array).and_then(|all| all.last());
    if let Some(exception) = last {
        let kind = text(&exception["type"], KIND_MAX);
        let kind = if kind.is_empty() { "Error".to_owned() } else { kind };
        return (kind, text(&exception["value"], MESSAGE_MAX));
    }
    let message =
        [&value["message"], &value["logentry"]["formatted"], &value["logentry"]["message"]];
    let message = message.into_iter().find(|message| message.is_string());
    ("Message".to_owned(), message.map(|message| text(message, MESSAGE_MAX)).unwrap_or_default())
}

/// Equal for errors that are the same to someone who fixes them: of one type, with the same message
/// except for numbers and names in it, from the same files of any build.
fn fingerprint(kind: &str, message: &str, value: &Value) -> String {
    let mut parts = vec![kind.to_owned(), normalized(message)];
    let exceptions = exceptions(value);
    let frames =
        exceptions.first().map(|exception| exception.frames.as_slice()).unwrap_or_default();
    parts.extend(frames.iter().take(TELLING_FRAMES).map(|frame| without_hash(&frame.file)));
    hex::encode(Sha256::digest(parts.join("\n").as_bytes()))
}

/// Replaces numbers, ids and quoted words with a mark.
fn normalized(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut word = String::new();
    let mut quote = None;
    let end = |word: &mut String, out: &mut String| {
        let is_number = word.chars().any(|c| c.is_ascii_digit());
        out.push_str(if is_number { "#" } else { word });
        word.clear();
    };
    for c in message.chars() {
        match quote {
            Some(open) if c == open => {
                quote = None;
                out.push('…');
                out.push(c);
            }
            Some(_) => {}
            None if c.is_alphanumeric() || c == '-' || c == '_' => word.push(c),
            None => {
                // An apostrophe is inside a word, a quote before one.
                if matches!(c, '"' | '`') || (c == '\'' && word.is_empty()) {
                    quote = Some(c);
                }
                end(&mut word, &mut out);
                out.push(c);
            }
        }
    }
    end(&mut word, &mut out);
    out
}

/// `/v25.10.202/assets/AppsPage-Dx3k_1aB.js` is AppsPage.js in every build.
fn without_hash(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or_default();
    let Some((stem, kind)) = name.rsplit_once('.') else { return name.to_owned() };
    let stem = match stem.len().checked_sub(9) {
        Some(at) if stem.as_bytes()[at] == b'-' => &stem[..at],
        _ => stem,
    };
    format!("{stem}.{kind}")
}

/// One of the errors in a report: the thrown one first, then what caused it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Exception {
    pub kind: String,
    pub message: String,
    /// Where it was thrown first, then the callers.
    pub frames: Vec<Frame>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Frame {
    pub function: Option<String>,
    pub file: String,
    pub line: Option<i64>,
    pub column: Option<i64>,
}

/// Something that happened before the error.
#[derive(Debug, Serialize, ToSchema)]
pub struct Breadcrumb {
    /// Seconds since 1970, by the browser's clock.
    pub at: Option<f64>,
    pub category: String,
    pub message: String,
}

pub fn exceptions(value: &Value) -> Vec<Exception> {
    let all = value.pointer("/exception/values").and_then(Value::as_array);
    let read = |exception: &Value| Exception {
        kind: text(&exception["type"], KIND_MAX),
        message: text(&exception["value"], MESSAGE_MAX),
        frames: frames(exception),
    };
    all.into_iter().flatten().rev().take(10).map(read).collect()
}

fn frames(exception: &Value) -> Vec<Frame> {
    let all = exception.pointer("/stacktrace/frames").and_then(Value::as_array);
    let read = |frame: &Value| Frame {
        function: Some(text(&frame["function"], WORD_MAX)).filter(|name| !name.is_empty()),
        file: text(&frame["filename"], WORD_MAX),
        line: frame["lineno"].as_i64(),
        column: frame["colno"].as_i64(),
    };
    all.into_iter().flatten().rev().take(50).map(read).collect()
}

pub fn breadcrumbs(value: &Value) -> Vec<Breadcrumb> {
    let all = match &value["breadcrumbs"] {
        Value::Array(all) => Some(all),
        other => other["values"].as_array(),
    };
    let read = |crumb: &Value| {
        let data = &crumb["data"];
        let own_message = text(&crumb["message"], WORD_MAX);
        let moved = [text(&data["from"], WORD_MAX), text(&data["to"], WORD_MAX)];
        let asked = [
            text(&data["method"], WORD_MAX),
            text(&data["url"], WORD_MAX),
            data["status_code"].as_i64().map(|status| status.to_string()).unwrap_or_default(),
        ];
        let message = if !own_message.is_empty() {
            own_message
        } else if !moved[1].is_empty() {
            moved.join(" → ")
        } else {
            asked.join(" ").trim().to_owned()
        };
        Breadcrumb {
            at: crumb["timestamp"].as_f64(),
            category: text(&crumb["category"], KIND_MAX),
            message,
        }
    };
    all.into_iter().flatten().rev().take(50).map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, message: &str, file: &str) -> Event {
        let value = json!({
            "event_id": "0123456789abcdef0123456789ABCDEF",
            "transaction": "/pwdReset/:token", "release": "v25.10.202",
            "request": { "url": "https://a/pwdReset/secret" }, "user": { "email": "x" },
            "extra": { "a": 1 }, "contexts": { "replay": { "replay_id": "f".repeat(32) }, "state": {} },
            "exception": { "values": [{ "type": kind, "value": message, "stacktrace": { "frames": [
                { "filename": "https://a/v25.10.202/assets/main-AAAAAAAA.js" },
                { "filename": file, "function": "f", "lineno": 1, "colno": 2 },
            ] } }] },
        });
        Event::read(value.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn only_what_is_needed_is_kept() {
        let event = event("TypeError", "x", "a.js");
        assert_eq!(event.event_id, "0123456789abcdef0123456789abcdef");
        assert_eq!(event.replay_id.as_deref(), Some("f".repeat(32).as_str()));
        assert_eq!(event.route, "/pwdReset/:token");
        let text = event.to_text().unwrap();
        for gone in ["request", "secret", "\"user\"", "extra", "state"] {
            assert!(!text.contains(gone), "{gone}: {text}");
        }
        let sent: Value = serde_json::from_slice(&event.for_upstream(Some(&Id::fixed(1)))).unwrap();
        assert_eq!(sent["user"], json!({ "id": Id::fixed(1) }));
    }

    #[test]
    fn the_same_error_is_the_same_whatever_it_was_about_and_in_every_build() {
        let one =
            event("TypeError", "no app 7 called 'Shop'", "https://a/v1.2/assets/Apps-Dx3k_1aB.js");
        let same =
            event("TypeError", "no app 12 called 'Home'", "https://a/v1.3/assets/Apps-12345678.js");
        assert_eq!(one.fingerprint, same.fingerprint);
        let others = [
            event("RangeError", "no app 7 called 'Shop'", "https://a/assets/Apps-Dx3k_1aB.js"),
            event("TypeError", "no team 7 called 'Shop'", "https://a/assets/Apps-Dx3k_1aB.js"),
            event("TypeError", "no app 7 called 'Shop'", "https://a/assets/Teams-Dx3k_1aB.js"),
        ];
        for other in others {
            assert_ne!(one.fingerprint, other.fingerprint);
        }
    }

    #[test]
    fn messages_are_told_apart_by_their_words() {
        assert_eq!(normalized("can't read 'x' of 0x1f at 12:30"), "can't read '…' of # at #:#");
        assert_eq!(normalized("id 0198a000-1111-7000 gone"), "id # gone");
        assert_eq!(normalized("open \"quote"), "open \"");
    }

    #[test]
    fn a_long_report_loses_its_breadcrumbs_first() {
        let crumbs = vec![json!({ "message": "x".repeat(5_000) }); 60];
        let value = json!({ "event_id": "0".repeat(32), "breadcrumbs": crumbs, "message": "m" });
        let event = Event::read(value.to_string().as_bytes()).unwrap();
        assert!(event.to_text().unwrap().len() < 1_000);
        let value = json!({ "event_id": "0".repeat(32), "message": "x".repeat(EVENT_MAX) });
        assert!(Event::read(value.to_string().as_bytes()).unwrap().to_text().is_err());
    }

    #[test]
    fn what_is_no_event_is_refused() {
        for text in ["", "[]", "{}", r#"{"event_id":"zz"}"#, r#"{"event_id":7}"#] {
            assert!(Event::read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
