//! Mail in the outbox.

use serde::{Deserialize, Serialize};

use super::{Channel, Outcome, Sender};
use crate::db::Write;
use crate::error::Result;
use crate::mail::Letter;
use crate::state::Core;
use crate::types::{Id, Millis};

/// A mail as stored in the outbox.
#[derive(Serialize, Deserialize)]
struct Envelope {
    /// None: there is no recipient. The row is written anyway, so that requesting a mail takes the same
    /// time for an unknown address as for a known one.
    to: Option<String>,
    letter: Letter,
}

/// Puts a mail into the outbox, in the transaction that causes it.
pub async fn enqueue(
    atrium: &Core,
    tx: &mut Write,
    to: Option<&str>,
    letter: Letter,
) -> Result<()> {
    let envelope = Envelope { to: to.map(str::to_owned), letter };
    super::enqueue(atrium, tx, Channel::Mail, &envelope).await
}

/// Sends due mails forever.
pub async fn run(atrium: Core) {
    super::run(atrium.clone(), MailSender(atrium)).await;
}

/// Tries each due mail once. Returns how many there were.
pub async fn send_due(atrium: &Core) -> Result<usize> {
    super::send_due(atrium, &MailSender(atrium.clone())).await
}

#[derive(Clone)]
struct MailSender(Core);

impl Sender for MailSender {
    const AT_ONCE: usize = 4;
    const GIVE_UP_AFTER: i64 = 3 * Millis::DAY;

    fn channel(&self) -> Channel {
        Channel::Mail
    }

    async fn send(&self, id: &Id, body: &[u8]) -> Outcome {
        let envelope: Envelope = match serde_json::from_slice(body) {
            Ok(envelope) => envelope,
            Err(error) => return Outcome::failed(error),
        };
        let Some(to) = envelope.to else { return Outcome::Nobody };
        match self.0.mail.send(id, &to, &envelope.letter, self.0.now()).await {
            Ok(()) => Outcome::Sent,
            Err(error) => Outcome::failed(error),
        }
    }
}
