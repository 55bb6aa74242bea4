//! Messages to a bound chat account. They go through the outbox, with a job for each provider, so that
//! one that hangs does not hold up the others. Important messages also go by mail, so a message is
//! tried for no more than a day.

use serde::{Deserialize, Serialize};

use crate::chat_vendor::{Message, RetryDecision};
use crate::state::Tenancy;
use crate::store::chat::{self as store, BindingRow};
use atrium_core::Core;
use atrium_core::chat_provider::Provider;
use atrium_core::config::ServerSettings;
use atrium_core::db::Write;
use atrium_core::error::Result;
use atrium_core::locale::Locale;
use atrium_core::notices::Notice;
use atrium_core::outbox::{self, Channel, Failure, Outcome, Sender, Then};
use atrium_core::types::{Id, Millis};

/// How long to pause after a provider says that it gets too many messages.
const RATE_WAIT: i64 = Millis::MINUTE;
/// WeChat Work cuts text at 2,048 bytes, and the link at the end must stay.
const WORDS_MAX: usize = 1_500;

/// A message as stored. The recipient's account is looked up when it is sent: one that is no longer
/// bound gets nothing.
#[derive(Serialize, Deserialize)]
struct Envelope {
    user_id: Id,
    text: String,
}

/// Puts a message into the outbox, in the transaction that causes it, if the person has bound an
/// account.
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
    outbox::enqueue(atrium, tx, Channel::Chat(provider), &envelope).await
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

/// Both providers interpret markup, such as links and mentions of everyone. The text contains names
/// that people chose, so it must have no markup.
fn plain(words: &str) -> String {
    let mut text = words.replace('<', "＜").replace('>', "＞").replace("](", "] (");
    if text.len() > WORDS_MAX {
        let end = (0..=WORDS_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Sends due messages forever.
pub async fn run(atrium: Tenancy, provider: Provider) {
    outbox::run(Core::clone(&atrium), ChatSender { atrium, provider }).await;
}

/// Tries each due message once. Returns how many there were.
pub async fn send_due(atrium: &Tenancy, provider: Provider) -> Result<usize> {
    outbox::send_due(atrium, &ChatSender { atrium: atrium.clone(), provider }).await
}

#[derive(Clone)]
struct ChatSender {
    atrium: Tenancy,
    provider: Provider,
}

impl Sender for ChatSender {
    /// One at a time: a person's messages arrive in order, and the first one shows whether the provider
    /// is down.
    const AT_ONCE: usize = 1;
    const GIVE_UP_AFTER: i64 = Millis::DAY;

    fn channel(&self) -> Channel {
        Channel::Chat(self.provider)
    }

    async fn send(&self, id: &Id, body: &[u8]) -> Outcome {
        let (atrium, provider) = (&self.atrium, self.provider);
        let Ok(envelope) = serde_json::from_slice::<Envelope>(body) else {
            return Outcome::failed("it cannot be read");
        };
        let Some(vendor) = atrium.chat.vendor(provider) else {
            return Outcome::failed("the provider is not set up");
        };
        let bound = match bound(atrium, &envelope.user_id, provider).await {
            Ok(Some(bound)) => bound,
            Ok(None) => return Outcome::Nobody,
            Err(error) => return Outcome::failed(error),
        };
        let now = atrium.now();
        if let Err(until) = vendor.rate_limit().take(&bound.subject, now) {
            return Outcome::Postponed(until);
        }
        let message = Message {
            id,
            tenant: &bound.tenant,
            subject: &bound.subject,
            text: &envelope.text,
            now,
        };
        match vendor.send(message).await {
            Ok(()) => Outcome::Sent,
            Err(failure) => {
                let then = then(vendor.retry_decision(failure));
                Outcome::Failed(Failure { error: failure.to_string(), then })
            }
        }
    }
}

async fn bound(atrium: &Tenancy, user_id: &Id, provider: Provider) -> Result<Option<BindingRow>> {
    store::binding(&mut *atrium.db.read().await?, user_id, provider).await
}

fn then(decision: RetryDecision) -> Then {
    match decision {
        RetryDecision::ProviderDown => Then::ChannelDown,
        RetryDecision::RateLimited => Then::RetryAfter(RATE_WAIT),
        RetryDecision::Later => Then::Retry,
        RetryDecision::GiveUp => Then::GiveUp,
    }
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
