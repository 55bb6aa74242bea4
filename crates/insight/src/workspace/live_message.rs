//! A message as a viewer of the live stream may see it.

use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::pseudonym::Pseudonyms;
use atrium_collect::collect::ledger::Outcome;
use atrium_collect::collect::live::{Named, Seen};
use atrium_collect::collect::message::MessageType;
use atrium_collect::collect::reason::Reason;
use atrium_collect::personal::{self, Ids, Others};
use atrium_core::locale::Locale;
use atrium_core::types::Millis;

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LiveOutcome {
    Accepted,
    Duplicate,
    Rejected,
}

/// A message, and what became of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct LiveMessage {
    pub at: Millis,
    /// Whether it had come before the stream was opened.
    pub earlier: bool,
    /// Only for a message that is shown in full.
    pub log_id: Option<String>,
    /// Event, DeviceMutation, UserMutation or unknown.
    #[serde(rename = "type")]
    kind: &'static str,
    pub outcome: LiveOutcome,
    /// Why it was rejected: its code, and in the language of the request.
    #[schema(value_type = Option<Reason>)]
    reason: Option<&'static str>,
    reason_name: Option<&'static str>,
    event: Option<String>,
    /// The id, or a pseudonym for callers who may not see ids.
    device: Option<String>,
    user: Option<String>,
    url_path: Option<String>,
    /// For a rejected or very long message, an outline of it.
    #[schema(value_type = Option<Object>)]
    properties: Option<Value>,
    sdk: Option<String>,
}

/// What a viewer may see.
pub struct ViewerRights {
    pub pii: bool,
    pub users: Pseudonyms,
    pub devices: Pseudonyms,
    pub locale: Locale,
}

impl ViewerRights {
    pub fn message(&self, seen: &Seen, text: Value, others: &Others) -> LiveMessage {
        let (outcome, reason) = match seen.outcome {
            Outcome::Accepted => (LiveOutcome::Accepted, None),
            Outcome::Duplicate => (LiveOutcome::Duplicate, None),
            Outcome::Rejected(reason) => (LiveOutcome::Rejected, Some(reason)),
        };
        let mut message = LiveMessage {
            at: seen.at,
            earlier: false,
            log_id: None,
            kind: seen.kind.as_str(),
            outcome,
            reason: reason.map(|reason| reason.as_str()),
            reason_name: reason.map(|reason| reason.text(self.locale)),
            event: None,
            device: None,
            user: None,
            url_path: None,
            properties: None,
            sdk: None,
        };
        if seen.is_outline {
            message.event = seen.named.as_ref().map(|named| self.event_name(named, others));
            // A message that is not an object has no fields to show.
            message.properties =
                Some(if text.is_object() { text } else { json!({ "message": text }) });
        } else {
            self.fill(&mut message, seen.kind, &text["data"], others);
        }
        message
    }

    fn event_name(&self, Named { event, user, device }: &Named, others: &Others) -> String {
        if self.pii {
            return event.clone();
        }
        Ids { user, device, others: Some(others) }.shown(event.clone())
    }

    fn fill(&self, message: &mut LiveMessage, kind: MessageType, data: &Value, others: &Others) {
        let text = |field: &str| text_of(&data[field]);
        let (user, device) = match kind {
            MessageType::UserMutation => (text("id"), None),
            MessageType::DeviceMutation => (None, text("id")),
            _ => (text("user_id"), text("device_id")),
        };
        let mut properties = data["properties"].as_object().cloned().unwrap_or_default();
        let (mut url_path, mut event) = (text("url_path"), text("event"));
        let sdk: Vec<String> =
            [text("sdk_type"), text("sdk_version")].into_iter().flatten().collect();
        let mut sdk = (!sdk.is_empty()).then(|| sdk.join(" "));
        if !self.pii {
            let ids = Ids {
                user: user.as_deref().unwrap_or_default(),
                device: device.as_deref().unwrap_or_default(),
                others: Some(others),
            };
            self.hide(&mut properties, kind, ids);
            url_path = url_path.map(|path| personal::path(&path, ids));
            event = event.map(|event| ids.shown(event));
            sdk = sdk.map(|sdk| ids.shown_version(sdk));
        }
        let called = |id: Option<String>, pseudonyms: &Pseudonyms| match id {
            Some(id) if !self.pii => Some(pseudonyms.of(&id)),
            id => id,
        };
        let id = text("log_id").and_then(|id| Uuid::try_parse(&id).ok());
        message.log_id = id.map(|id| id.to_string());
        message.event = event;
        message.user = called(user, &self.users);
        message.device = called(device, &self.devices);
        message.url_path = url_path;
        message.properties = Some(Value::Object(properties));
        message.sdk = sdk;
    }

    fn hide(&self, properties: &mut Map<String, Value>, kind: MessageType, ids: Ids<'_>) {
        match kind {
            MessageType::UserMutation | MessageType::DeviceMutation => {
                personal::redact_profile(properties, ids)
            }
            _ => personal::redact_event(properties, ids),
        };
    }
}

/// Reads a text like the collector: a number becomes its digits, an empty text None.
fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}
