//! The outbox: outgoing messages are stored by the transaction that causes them, and sent afterwards by
//! a job that retries until it succeeds. A server that is down delays messages but never loses them.
//!
//! A message is leased right before each attempt, for longer than an attempt may last, so that no other
//! instance sends it as well. It can only go out twice if nobody can know that it went out: the process
//! ends before the success is recorded, or the other side's answer is lost.

pub mod mail;
mod store;

use std::time::Duration;

use serde::Serialize;
use tokio::task::JoinSet;

use crate::chat_provider::Provider;
use crate::db::Write;
use crate::error::{Error, Result};
use crate::state::Core;
use crate::types::{Id, Millis};
use store::Leased;

/// Delays between attempts: short at first, for a server that restarts, then long.
const WAITS: [i64; 7] = [
    10 * Millis::SECOND,
    30 * Millis::SECOND,
    Millis::MINUTE,
    2 * Millis::MINUTE,
    5 * Millis::MINUTE,
    10 * Millis::MINUTE,
    15 * Millis::MINUTE,
];
/// An attempt that takes longer is aborted.
const TRY_LIMIT: Duration = Duration::from_secs(60);
/// A minute longer than an attempt, for instances whose clocks differ.
pub const LEASE: i64 = TRY_LIMIT.as_millis() as i64 + Millis::MINUTE;
/// How often to look for messages that became due or were left by another instance.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Between attempts to record that a message was sent.
const MARK_EVERY: Duration = Duration::from_millis(500);

/// The channel a message goes out on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    Mail,
    Chat(Provider),
}

impl Channel {
    pub const ALL: [Self; 3] =
        [Self::Mail, Self::Chat(Provider::Wechatwork), Self::Chat(Provider::Feishu)];

    /// The name used in rows and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Chat(provider) => provider.as_str(),
        }
    }

    /// The purpose under which its messages are sealed.
    fn purpose(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Chat(_) => "chat",
        }
    }
}

/// Sends the messages of one channel.
pub trait Sender: Clone + Send + Sync + 'static {
    /// How many attempts may run at once, so that a slow one does not hold up the others.
    const AT_ONCE: usize;
    const GIVE_UP_AFTER: i64;

    fn channel(&self) -> Channel;

    fn send(&self, id: &Id, body: &[u8]) -> impl Future<Output = Outcome> + Send;
}

pub enum Outcome {
    Sent,
    /// There is no recipient.
    Nobody,
    /// Not before this time; does not count as an attempt.
    Postponed(Millis),
    Failed(Failure),
}

pub struct Failure {
    pub error: String,
    pub then: Then,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Then {
    Retry,
    /// Not before this many milliseconds have passed.
    RetryAfter(i64),
    /// Nothing gets through on this channel: everything else that is due waits as well.
    ChannelDown,
    /// A retry can never succeed.
    GiveUp,
}

impl Outcome {
    pub fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(Failure { error: format!("{error:#}"), then: Then::Retry })
    }
}

/// Puts a message into the outbox, in the transaction that causes it.
pub async fn enqueue(
    atrium: &Core,
    tx: &mut Write,
    channel: Channel,
    body: &impl Serialize,
) -> Result<()> {
    let json = serde_json::to_vec(body).map_err(Error::internal)?;
    let sealed = atrium.keyring.seal(channel.purpose(), &json, &atrium.entropy)?;
    store::insert(tx, &atrium.new_id(), channel, &sealed, atrium.now()).await
}

/// Sends due messages forever.
pub async fn run<S: Sender>(atrium: Core, sender: S) {
    let channel = sender.channel().as_str();
    let mut woken = atrium.outbox.subscribe();
    let mut tries = JoinSet::new();
    loop {
        if let Err(error) = start_tries(&atrium, &sender, &mut tries).await {
            tracing::warn!(%error, channel, "the outbox could not be read");
        }
        tokio::select! {
            Some(ended) = tries.join_next() => {
                if let Err(error) = flatten(ended) {
                    tracing::warn!(%error, channel, "the outbox could not be written");
                }
            }
            _ = woken.changed() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

/// Tries each due message once. Returns how many there were.
pub async fn send_due<S: Sender>(atrium: &Core, sender: &S) -> Result<usize> {
    let mut tries = JoinSet::new();
    let mut count = 0;
    loop {
        count += start_tries(atrium, sender, &mut tries).await?;
        match tries.join_next().await {
            Some(ended) => flatten(ended)?,
            None => return Ok(count),
        }
    }
}

fn flatten(ended: std::result::Result<Result<()>, tokio::task::JoinError>) -> Result<()> {
    ended.map_err(Error::internal)?
}

/// Starts as many attempts as there is room for, each with its own lease.
async fn start_tries<S: Sender>(
    atrium: &Core,
    sender: &S,
    tries: &mut JoinSet<Result<()>>,
) -> Result<usize> {
    let mut started = 0;
    while tries.len() < S::AT_ONCE {
        // The last place is for first attempts, so that messages that keep failing slowly cannot fill
        // them all.
        let only_first = S::AT_ONCE > 1 && tries.len() + 1 == S::AT_ONCE;
        let now = atrium.now();
        let mut tx = atrium.db.write_relaxed().await?;
        let leased =
            store::lease(&mut tx, sender.channel(), only_first, now, now.plus(LEASE)).await?;
        tx.commit().await?;
        let Some(message) = leased else { break };
        tries.spawn(try_once(atrium.clone(), sender.clone(), message));
        started += 1;
    }
    Ok(started)
}

async fn try_once<S: Sender>(atrium: Core, sender: S, message: Leased) -> Result<()> {
    let outcome = match atrium.keyring.open_sealed(sender.channel().purpose(), &message.body) {
        Ok(body) => {
            let sending = tokio::time::timeout(TRY_LIMIT, sender.send(&message.id, &body));
            sending.await.unwrap_or_else(|_| Outcome::failed("it did not finish in time"))
        }
        Err(error) => Outcome::failed(error),
    };
    match outcome {
        Outcome::Sent => mark_sent(&atrium, sender.channel(), &message).await,
        Outcome::Nobody => settle(&atrium, sender.channel(), &message, Settlement::Delete).await,
        Outcome::Postponed(until) => {
            settle(&atrium, sender.channel(), &message, Settlement::Postpone(until)).await
        }
        Outcome::Failed(failure) => {
            let settlement = decide::<S>(&message, &failure, atrium.now());
            report(sender.channel(), &message, &failure, &settlement);
            settle(&atrium, sender.channel(), &message, settlement).await
        }
    }
}

/// The message is out, but nobody else knows: retries for as long as the lease keeps others away.
/// Deletes the row even if the lease was lost, so that the message does not go out a third time.
async fn mark_sent(atrium: &Core, channel: Channel, message: &Leased) -> Result<()> {
    metrics::counter!("atrium_outbox_sent_total", "channel" => channel.as_str()).increment(1);
    loop {
        let marked = async {
            let mut tx = atrium.db.write_relaxed().await?;
            store::delete(&mut tx, &message.id).await?;
            tx.commit().await
        };
        match marked.await {
            Err(error) if atrium.now() < message.leased_until => {
                tracing::warn!(%error, message = %message.id, "a message was sent but could not be marked as sent");
                tokio::time::sleep(MARK_EVERY).await;
            }
            marked => return marked,
        }
    }
}

/// What happens to a message that was not sent.
enum Settlement {
    Delete,
    Postpone(Millis),
    Retry { at: Millis, error: String, channel_down: bool },
}

fn decide<S: Sender>(message: &Leased, failure: &Failure, now: Millis) -> Settlement {
    if failure.then == Then::GiveUp || now.since(message.created_at) >= S::GIVE_UP_AFTER {
        return Settlement::Delete;
    }
    let step = usize::try_from(message.tries).unwrap_or(0).min(WAITS.len() - 1);
    let least = if let Then::RetryAfter(least) = failure.then { least } else { 0 };
    Settlement::Retry {
        at: now.plus(WAITS[step].max(least)),
        error: failure.error.chars().filter(|c| *c != '\0').take(500).collect(),
        channel_down: failure.then == Then::ChannelDown,
    }
}

fn report(channel: Channel, message: &Leased, failure: &Failure, settlement: &Settlement) {
    let (channel, error, id) = (channel.as_str(), &failure.error, &message.id);
    if matches!(settlement, Settlement::Delete) {
        metrics::counter!("atrium_outbox_lost_total", "channel" => channel).increment(1);
        tracing::error!(message = %id, channel, error, "gave up on a message");
    } else {
        metrics::counter!("atrium_outbox_failed_total", "channel" => channel).increment(1);
        let tries = message.tries + 1;
        tracing::warn!(message = %id, channel, tries, error, "sending a message failed; it will be retried");
    }
}

async fn settle(
    atrium: &Core,
    channel: Channel,
    message: &Leased,
    settlement: Settlement,
) -> Result<()> {
    let mut tx = atrium.db.write_relaxed().await?;
    let ours = match &settlement {
        Settlement::Delete => store::delete_leased(&mut tx, message).await?,
        Settlement::Postpone(until) => store::postpone(&mut tx, message, *until).await?,
        Settlement::Retry { at, error, channel_down } => {
            if *channel_down {
                store::hold_back(&mut tx, channel, atrium.now(), *at, error).await?;
            }
            store::retry_at(&mut tx, message, *at, error).await?
        }
    };
    if !ours {
        tracing::warn!(message = %message.id, "another instance took over the lease on a message");
    }
    tx.commit().await
}

/// Publishes how many messages wait, and for how long.
pub async fn measure(atrium: &Core) -> Result<()> {
    let waiting = store::waiting(&mut *atrium.db.read().await?).await?;
    for channel in Channel::ALL.map(Channel::as_str) {
        let found = waiting.iter().find(|(name, _, _)| name == channel);
        let (count, age) = found.map_or((0, 0), |(_, count, oldest)| {
            (*count, atrium.now().since(*oldest).max(0) / Millis::SECOND)
        });
        metrics::gauge!("atrium_outbox_messages", "channel" => channel).set(count as f64);
        metrics::gauge!("atrium_outbox_oldest_seconds", "channel" => channel).set(age as f64);
    }
    Ok(())
}
