//! What a person is notified about, and through which channels.

use std::collections::BTreeMap;

use axum::extract::State;

use crate::accounts::session::SignedIn;
use crate::accounts::store;
use crate::state::Tenancy;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Json};

/// Channels by type.
pub type Channels = BTreeMap<String, Vec<String>>;

pub const TYPES: [&str; 6] =
    ["security", "invitation", "role_change", "key_expiry", "app_lifecycle", "ingest_alert"];
pub const CHANNELS: [&str; 4] = ["email", "in_app", "wechatwork", "feishu"];

/// The channels as stored, with the default for every type that was never chosen.
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

/// Chooses channels per type; types left out keep theirs.
#[utoipa::path(
    put,
    path = "/api/v1/current/notification-types",
    operation_id = "notification_types_update",
    tag = "account",
    security(("session" = [])),
    request_body = Channels,
    responses((status = 200, body = Data<Channels>))
)]
pub async fn notification_types_update(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    Json(input): Json<Channels>,
) -> Result<Data<Channels>> {
    let chosen = check(input)?;
    let user = signed_in.user();
    let mut tx = atrium.db.write().await?;
    let row = store::user_by_id(&mut tx, &user.id).await?.ok_or(Code::NotSignedIn)?;
    let before = channels(row.notification_types.as_deref());
    let mut after = before.clone();
    after.extend(chosen);
    let json = serde_json::to_string(&after).map_err(Error::internal)?;
    store::update_notification_types(&mut tx, &user.id, &json).await?;
    let details = serde_json::json!({ "before": before, "after": after });
    let event = Event::new("account.notification_types", "user", &user.id).with(details);
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    tx.commit().await?;
    Ok(Data(after))
}

fn check(input: Channels) -> Result<Channels> {
    let mut faults = Vec::new();
    let mut chosen = Channels::new();
    for (kind, list) in input {
        let known = list.iter().all(|channel| CHANNELS.contains(&channel.as_str()));
        if !TYPES.contains(&kind.as_str()) || !known {
            faults.push(
                Fault::new(Code::BadNotificationType).on(kind.chars().take(80).collect::<String>()),
            );
        } else if kind == "security" && !list.iter().any(|channel| channel == "email") {
            faults.push(Fault::new(Code::SecurityMailRequired).on(kind));
        } else {
            // In the one order, each once.
            let ordered =
                CHANNELS.iter().filter(|known| list.iter().any(|channel| channel == *known));
            chosen.insert(kind, ordered.map(|channel| (*channel).to_owned()).collect());
        }
    }
    if faults.is_empty() { Ok(chosen) } else { Err(Error::invalid(faults)) }
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

    #[test]
    fn security_mails_cannot_be_switched_off() {
        let input = |json: &str| check(serde_json::from_str(json).unwrap());
        assert!(input(r#"{"security":["in_app"]}"#).is_err());
        assert!(input(r#"{"security":["pigeon","email"]}"#).is_err());
        assert!(input(r#"{"weather":["email"]}"#).is_err());
        let chosen = input(r#"{"invitation":["in_app","email","in_app"]}"#).unwrap();
        assert_eq!(chosen["invitation"], ["email", "in_app"]);
    }
}
