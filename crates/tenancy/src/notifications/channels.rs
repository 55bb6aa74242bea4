//! Choosing notification channels.

use axum::extract::State;

use crate::notification_types::{CHANNELS, Channels, TYPES, channels};
use crate::session::SignedIn;
use crate::state::Tenancy;
use crate::store::accounts as store;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Json};

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
            // In a fixed order, without duplicates.
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
    fn security_mails_cannot_be_switched_off() {
        let input = |json: &str| check(serde_json::from_str(json).unwrap());
        assert!(input(r#"{"security":["in_app"]}"#).is_err());
        assert!(input(r#"{"security":["pigeon","email"]}"#).is_err());
        assert!(input(r#"{"weather":["email"]}"#).is_err());
        let chosen = input(r#"{"invitation":["in_app","email","in_app"]}"#).unwrap();
        assert_eq!(chosen["invitation"], ["email", "in_app"]);
    }
}
