//! Mail in the outbox.

use serde::{Deserialize, Serialize};

use super::{Channel, Outcome, Sender};
use crate::db::Write;
use crate::error::Result;
use crate::mail::Letter;
use crate::state::Core;
use crate::types::{Id, Millis};

/// A mail as it waits.
#[derive(Serialize, Deserialize)]
struct Envelope {
    /// None: nobody to write to. The row is made all the same, so that asking for a mail to an
    /// unknown address takes what it takes for a known one.
    to: Option<String>,
    letter: Letter,
}

/// Puts a mail into the outbox, as part of the transaction that causes it.
pub async fn enqueue(
    atrium: &Core,
    tx: &mut Write,
    to: Option<&str>,
    letter: Letter,
) -> Result<()> {
    let envelope = Envelope { to: to.map(str::to_owned), letter };
    super::enqueue(atrium, tx, Channel::Mail, &envelope).await
}

/// Sends what is due, for ever.
pub async fn run(atrium: Core) {
    super::run(atrium.clone(), MailSender(atrium)).await;
}

/// Tries once what is due. Returns how many that were.
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
