//! Messages through a bound account: written into an outbox by the transaction that causes them, sent
//! afterwards by a job for each provider, so that one that hangs holds nobody else up. What a person
//! must not miss goes by mail as well, so a message is tried for a day and no longer.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::store::{self, MessageRow};
use super::{Failure, Message, Provider, RetryDecision, Vendor};
use crate::notifications::Notice;
use crate::state::Tenancy;
use atrium_core::config::ServerSettings;
use atrium_core::db::Write;
use atrium_core::error::{Error, Result};
use atrium_core::http::locale::Locale;
use atrium_core::types::{Id, Millis};

/// As for mails.
const WAITS: [i64; 7] = [
    10 * Millis::SECOND,
    30 * Millis::SECOND,
    Millis::MINUTE,
    2 * Millis::MINUTE,
    5 * Millis::MINUTE,
    10 * Millis::MINUTE,
    15 * Millis::MINUTE,
];
const GIVE_UP_AFTER: i64 = Millis::DAY;
/// Longer than a whole round can take.
const LEASE: i64 = 3 * Millis::MINUTE;
/// How long to leave a provider alone that says it is too much.
const RATE_WAIT: i64 = Millis::MINUTE;
const PURPOSE: &str = "chat";
/// WeChat Work cuts text at 2,048 bytes: the link, which comes last, must stay.
const WORDS_MAX: usize = 1_500;

/// A message as it waits. To whom exactly is looked up when it is sent: an account that is no longer
/// bound gets nothing.
#[derive(Serialize, Deserialize)]
struct Envelope {
    user_id: Id,
    text: String,
}

/// Puts a message into the outbox, as part of the transaction that causes it, where the person has
/// an account bound.
pub async fn enqueue(
    atrium: &Tenancy,
    tx: &mut Write,
    provider: Provider,
    (user_id, locale): (&Id, Locale),
    notice: &Notice,
) -> Result<()> {
    let reachable = atrium.chat.is_configured(provider)
        && store::binding(tx, user_id, provider).await?.is_some();
    if !reachable {
        return Ok(());
    }
    let text = text(locale, notice, &atrium.settings.server);
    let envelope = Envelope { user_id: user_id.clone(), text };
    let json = serde_json::to_vec(&envelope).map_err(Error::internal)?;
    let sealed = atrium.keyring.seal(PURPOSE, &json, &atrium.entropy)?;
    store::insert_message(tx, &atrium.new_id(), provider, &sealed, atrium.now()).await
}

fn text(locale: Locale, notice: &Notice, server: &ServerSettings) -> String {
    let words = notice.words(locale);
    let mut text = plain(&format!("{}\n{}", words.title, words.text));
    if let Some(path) = notice.link() {
        text.push('\n');
        text.push_str(&server.link(&path));
    }
    text
}

/// Both providers read marks in a text, as links and as calls to everyone; names in it are people's
/// own, so it must have none.
fn plain(words: &str) -> String {
    let mut text = words.replace('<', "＜").replace('>', "＞").replace("](", "] (");
    if text.len() > WORDS_MAX {
        let end = (0..=WORDS_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Sends what is due, for ever.
pub async fn run(atrium: Tenancy, provider: Provider) {
    loop {
        match send_due(&atrium, provider).await {
            Ok(0) => {}
            Ok(_) => continue,
            Err(error) => tracing::warn!(%error, "the outbox of messages could not be read"),
        }
        let _ = tokio::time::timeout(Duration::from_secs(5), atrium.outbox.chat(provider)).await;
    }
}

/// Takes up to ten messages that are due and tries each once. Returns how many there were.
pub async fn send_due(atrium: &Tenancy, provider: Provider) -> Result<usize> {
    let Some(vendor) = atrium.chat.vendor(provider) else { return Ok(0) };
    let now = atrium.now();
    let mut tx = atrium.db.write_relaxed().await?;
    let due = store::lease(&mut tx, provider, now, now.plus(LEASE)).await?;
    tx.commit().await?;
    let mut away = None;
    for row in &due {
        let outcome = match away {
            Some(failure) => Outcome::Failed(failure),
            None => deliver(atrium, provider, vendor, row).await?,
        };
        if let Outcome::Failed(failure) = outcome
            && vendor.retry_decision(failure) == RetryDecision::ProviderDown
        {
            // No need to try the other messages.
            away = Some(failure);
        }
        settle(atrium, provider, vendor, row, outcome).await?;
    }
    Ok(due.len())
}

enum Outcome {
    Sent,
    /// Not yet: the person has had enough for the moment.
    Early(Millis),
    /// Nobody to write to any more.
    Nobody,
    Failed(Failure),
    /// Sealed with another key.
    Unreadable,
}

async fn deliver(
    atrium: &Tenancy,
    provider: Provider,
    vendor: Vendor<'_>,
    row: &MessageRow,
) -> Result<Outcome> {
    let opened = atrium.keyring.open_sealed(PURPOSE, &row.message).ok();
    let envelope = opened.and_then(|json| serde_json::from_slice::<Envelope>(&json).ok());
    let Some(envelope) = envelope else { return Ok(Outcome::Unreadable) };
    let bound = {
        let mut db = atrium.db.read().await?;
        store::binding(&mut db, &envelope.user_id, provider).await?
    };
    let Some(bound) = bound else { return Ok(Outcome::Nobody) };
    let now = atrium.now();
    if let Err(until) = vendor.rate_limit().take(&bound.subject, now) {
        return Ok(Outcome::Early(until));
    }
    let message = Message {
        id: &row.id,
        tenant: &bound.tenant,
        subject: &bound.subject,
        text: &envelope.text,
        now,
    };
    Ok(vendor.send(message).await.map_or_else(Outcome::Failed, |()| Outcome::Sent))
}

async fn settle(
    atrium: &Tenancy,
    provider: Provider,
    vendor: Vendor<'_>,
    row: &MessageRow,
    outcome: Outcome,
) -> Result<()> {
    let (now, id) = (atrium.now(), &row.id);
    let too_old = now.since(row.created_at) >= GIVE_UP_AFTER;
    let mut tx = atrium.db.write_relaxed().await?;
    match outcome {
        Outcome::Sent => {
            count("atrium_chat_messages_sent_total", provider);
            store::delete_message(&mut tx, id).await?;
        }
        Outcome::Nobody => store::delete_message(&mut tx, id).await?,
        Outcome::Unreadable => {
            count("atrium_chat_messages_lost_total", provider);
            tracing::error!(message = %id, "a message cannot be read");
            store::delete_message(&mut tx, id).await?;
        }
        Outcome::Early(until) => store::postpone(&mut tx, id, until).await?,
        Outcome::Failed(failure)
            if too_old || vendor.retry_decision(failure) == RetryDecision::GiveUp =>
        {
            count("atrium_chat_messages_lost_total", provider);
            let provider = provider.as_str();
            tracing::warn!(message = %id, provider, error = %failure, "gave up on a message");
            store::delete_message(&mut tx, id).await?;
        }
        Outcome::Failed(failure) => {
            count("atrium_chat_messages_failed_total", provider);
            let tries = row.tries + 1;
            let name = provider.as_str();
            tracing::warn!(message = %id, provider = name, tries, error = %failure, "a message waits for its next try");
            let step = usize::try_from(row.tries).unwrap_or(0).min(WAITS.len() - 1);
            let least = if vendor.retry_decision(failure) == RetryDecision::RateLimited {
                RATE_WAIT
            } else {
                0
            };
            let until = now.plus(WAITS[step].max(least));
            store::retry_at(&mut tx, id, until, &failure.to_string()).await?;
        }
    }
    tx.commit().await
}

fn count(name: &'static str, provider: Provider) {
    metrics::counter!(name, "provider" => provider.as_str()).increment(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_words_and_the_link() {
        let settings = atrium_core::config::Settings::check(Default::default()).unwrap();
        let notice = Notice::Invited { org: "Acme".to_owned(), by: "Jane".to_owned() };
        let link = settings.server.link("/organization/list");
        assert_eq!(
            text(Locale::ZhCn, &notice, &settings.server),
            format!("你收到一份团队邀请\nJane 邀请你加入团队“Acme”。\n{link}")
        );
        assert!(text(Locale::EnUs, &notice, &settings.server).ends_with(&link));
        let notice = Notice::Invited { org: "团".repeat(2_000), by: "Jane".to_owned() };
        let long = text(Locale::ZhCn, &notice, &settings.server);
        assert!(long.len() < 2_048 && long.ends_with(&link), "{}", long.len());
    }

    #[test]
    fn what_people_call_themselves_is_no_mark() {
        let name = r#"<a href="https://evil.example">x</a> <at user_id="all"></at> [x](https://y)"#;
        let text = plain(name);
        assert!(!text.contains(['<', '>']) && !text.contains("]("), "{text}");
    }
}
