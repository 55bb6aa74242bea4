//! What people are notified about, and the channels they chose.

use std::collections::BTreeMap;

/// Channels by type.
pub type Channels = BTreeMap<String, Vec<String>>;

pub const TYPES: [&str; 6] =
    ["security", "invitation", "role_change", "key_expiry", "app_lifecycle", "ingest_alert"];
pub const CHANNELS: [&str; 4] = ["email", "in_app", "wechatwork", "feishu"];

/// The stored channels, with the default for every type without a choice.
pub fn channels(stored: Option<&str>) -> Channels {
    let mut channels: Channels = TYPES
        .into_iter()
        .map(|kind| (kind.to_owned(), vec!["email".to_owned(), "in_app".to_owned()]))
        .collect();
    let chosen: Channels =
        stored.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    channels.extend(chosen);
    channels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_choices_lie_over_the_defaults() {
        let merged = channels(Some(r#"{"invitation":["in_app"]}"#));
        assert_eq!(merged["invitation"], ["in_app"]);
        assert_eq!(merged["security"], ["email", "in_app"]);
        assert_eq!(channels(None).len(), TYPES.len());
        assert_eq!(channels(Some("broken")), channels(None));
    }
}
