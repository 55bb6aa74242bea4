//! Mail: written into an outbox by the transaction that causes it, sent afterwards by a job that
//! tries again until it is out. A mail server that is down costs time, never a mail.

mod store;
pub mod templates;
mod transport;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::db::Write;
use crate::error::{Error, Result};
use crate::outbound::chat::Provider;
use crate::state::Core;
use crate::types::Millis;

pub use templates::Letter;
pub use transport::Transport;

/// Waits between tries: quick at first, for a server that restarts, then patient.
const WAITS: [i64; 7] = [
    10 * Millis::SECOND,
    30 * Millis::SECOND,
    Millis::MINUTE,
    2 * Millis::MINUTE,
    5 * Millis::MINUTE,
    10 * Millis::MINUTE,
    15 * Millis::MINUTE,
];
const GIVE_UP_AFTER: i64 = 3 * Millis::DAY;
/// Longer than one try can take.
const LEASE: i64 = 2 * Millis::MINUTE;
const PURPOSE: &str = "mail";

/// A mail as it waits.
#[derive(Serialize, Deserialize)]
struct Envelope {
    /// None: nobody to write to. The row is made all the same, so that asking for a mail to an
    /// unknown address takes what it takes for a known one.
    to: Option<String>,
    letter: Letter,
}

/// Wakes the jobs when there is something to send: a mail, or a message of a work chat.
#[derive(Default)]
pub struct Outbox {
    mail: Notify,
    wechatwork: Notify,
    feishu: Notify,
}

impl Outbox {
    /// To be called after the commit.
    pub fn wake(&self) {
        self.mail.notify_one();
        self.wechatwork.notify_one();
        self.feishu.notify_one();
    }

    /// Waits until someone wakes the job of this provider.
    pub async fn chat(&self, provider: Provider) {
        match provider {
            Provider::Wechatwork => self.wechatwork.notified().await,
            Provider::Feishu => self.feishu.notified().await,
        }
    }
}

/// Puts a mail into the outbox, as part of the transaction that causes it.
pub async fn enqueue(
    atrium: &Core,
    tx: &mut Write,
    to: Option<&str>,
    letter: Letter,
) -> Result<()> {
    let envelope = Envelope { to: to.map(str::to_owned), letter };
    let text = serde_json::to_vec(&envelope).map_err(Error::internal)?;
    let sealed = atrium.keyring.seal(PURPOSE, &text, &atrium.entropy)?;
    store::insert(tx, &atrium.new_id(), &sealed, atrium.now()).await
}

/// Sends what is due, for ever.
pub async fn run(atrium: Core) {
    loop {
        match send_due(&atrium).await {
            Ok(0) => {}
            Ok(_) => continue,
            Err(error) => tracing::warn!(%error, "the outbox could not be read"),
        }
        let pause = tokio::time::sleep(Duration::from_secs(5));
        tokio::select! {
            () = pause => {}
            () = atrium.outbox.mail.notified() => {}
        }
    }
}

/// Takes up to ten mails that are due and tries each once. Returns how many there were.
pub async fn send_due(atrium: &Core) -> Result<usize> {
    let now = atrium.now();
    let mut tx = atrium.db.write_relaxed().await?;
    let due = store::lease(&mut tx, now, now.plus(LEASE)).await?;
    tx.commit().await?;
    for mail in &due {
        let outcome = deliver(atrium, mail).await;
        settle(atrium, mail, outcome).await?;
    }
    Ok(due.len())
}

async fn deliver(atrium: &Core, mail: &store::MailRow) -> anyhow::Result<()> {
    let text = atrium.keyring.open_sealed(PURPOSE, &mail.letter)?;
    let envelope: Envelope = serde_json::from_slice(&text)?;
    match envelope.to {
        Some(to) => atrium.mail.send(&mail.id, &to, &envelope.letter, atrium.now()).await,
        None => Ok(()),
    }
}

async fn settle(atrium: &Core, mail: &store::MailRow, outcome: anyhow::Result<()>) -> Result<()> {
    let now = atrium.now();
    let mut tx = atrium.db.write_relaxed().await?;
    match outcome {
        Ok(()) => {
            metrics::counter!("atrium_mails_sent_total").increment(1);
            store::delete(&mut tx, &mail.id).await?;
        }
        Err(error) if now.since(mail.created_at) >= GIVE_UP_AFTER => {
            metrics::counter!("atrium_mails_lost_total").increment(1);
            tracing::error!(mail = %mail.id, error = format!("{error:#}"), "gave up on a mail");
            store::delete(&mut tx, &mail.id).await?;
        }
        Err(error) => {
            metrics::counter!("atrium_mails_failed_total").increment(1);
            let error = format!("{error:#}");
            tracing::warn!(mail = %mail.id, tries = mail.tries + 1, error, "a mail waits for its next try");
            let step = usize::try_from(mail.tries).unwrap_or(0).min(WAITS.len() - 1);
            store::postpone(&mut tx, &mail.id, now.plus(WAITS[step]), &error).await?;
        }
    }
    tx.commit().await
}
