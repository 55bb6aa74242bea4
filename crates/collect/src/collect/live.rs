//! Messages as they come in, for people watching an app live. Nothing is stored. An app that nobody
//! watches costs one look at a number.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::broadcast;
use uuid::Uuid;

use super::ledger::Outcome;
use super::message::{EVENT_MAX, MessageType};
use super::outline::outline;
use atrium_core::types::Millis;

/// Messages of an app shown per second; the others are only counted.
const PER_SECOND: u64 = 50;
/// A viewer who reads too slowly loses the oldest.
const WAITING_MAX: usize = 64;
/// Longer messages are shown in outline.
pub const TEXT_MAX: usize = 8 * 1024;
const VIEWERS_PER_APP: usize = 20;
const VIEWERS_MAX: usize = 200;

/// A message, and what became of it.
pub struct Seen {
    pub at: Millis,
    pub kind: MessageType,
    pub outcome: Outcome,
    /// JSON: the message or its outline.
    pub text: Box<str>,
    pub is_outline: bool,
    /// For an outline, what is known about the intended event.
    pub named: Option<Named>,
}

/// The name of an event, and whose it was: a name can be a person's id.
pub struct Named {
    pub event: String,
    pub user: String,
    pub device: String,
}

#[derive(Default)]
pub struct Live {
    /// One bit per watched app, which several apps may share. If it is not set, nobody watches the app.
    watched: AtomicU64,
    channels: Mutex<Channels>,
}

#[derive(Default)]
struct Channels {
    by_app: HashMap<Uuid, Arc<Channel>>,
    viewers: usize,
    stopped: bool,
}

struct Channel {
    sender: broadcast::Sender<Arc<Seen>>,
    /// The current second, and how many messages were shown in it.
    second: Mutex<(i64, u64)>,
    /// How many were not shown, since the start.
    dropped: AtomicU64,
}

fn bit(app: Uuid) -> u64 {
    // The last bits of an id are random.
    1 << (app.as_u128() & 63)
}

impl Live {
    fn channels(&self) -> MutexGuard<'_, Channels> {
        self.channels.lock()
    }

    /// The channel for an app's messages, if anyone is watching it.
    pub fn watched(&self, app: Uuid) -> Option<Watched> {
        if self.watched.load(Ordering::Relaxed) & bit(app) == 0 {
            return None;
        }
        self.channels().by_app.get(&app).cloned().map(Watched)
    }

    /// A place for one more viewer; None when there are too many already.
    pub fn watch(self: &Arc<Self>, app: Uuid) -> Option<Viewer> {
        let mut channels = self.channels();
        if channels.stopped || channels.viewers >= VIEWERS_MAX {
            return None;
        }
        let channel = channels.by_app.entry(app).or_insert_with(|| {
            Arc::new(Channel {
                sender: broadcast::channel(WAITING_MAX).0,
                second: Mutex::default(),
                dropped: AtomicU64::new(0),
            })
        });
        if channel.sender.receiver_count() >= VIEWERS_PER_APP {
            return None;
        }
        let (receiver, channel) = (channel.sender.subscribe(), channel.clone());
        channels.viewers += 1;
        self.watched.fetch_or(bit(app), Ordering::Relaxed);
        let reported = channel.dropped.load(Ordering::Relaxed);
        let dropped = Dropped { channel: Arc::downgrade(&channel), reported, missed: 0 };
        Some(Viewer { receiver: Some(receiver), dropped, live: self.clone(), app })
    }

    fn leave(&self, app: Uuid, receiver: Option<broadcast::Receiver<Arc<Seen>>>) {
        let mut channels = self.channels();
        drop(receiver);
        channels.viewers = channels.viewers.saturating_sub(1);
        if channels.by_app.get(&app).is_some_and(|one| one.sender.receiver_count() == 0) {
            channels.by_app.remove(&app);
            let bits = channels.by_app.keys().fold(0, |bits, app| bits | bit(*app));
            self.watched.store(bits, Ordering::Relaxed);
        }
    }

    /// Ends every stream and starts no new ones, because the server is stopping.
    pub fn stop(&self) {
        let mut channels = self.channels();
        channels.stopped = true;
        channels.by_app.clear();
        self.watched.store(0, Ordering::Relaxed);
    }
}

/// An app that someone is watching.
pub struct Watched(Arc<Channel>);

impl Watched {
    /// Shows a message, unless enough were shown in this second.
    pub fn tell(&self, message: &RawValue, outcome: Outcome, at: Millis) {
        if !self.has_room(at) {
            self.0.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        #[derive(Deserialize)]
        struct Typed {
            #[serde(rename = "type")]
            kind: String,
        }
        let text = message.get();
        let kind = serde_json::from_str::<Typed>(text).map(|typed| MessageType::parse(&typed.kind));
        let is_outline = matches!(outcome, Outcome::Rejected(_)) || text.len() > TEXT_MAX;
        let named = is_outline.then(|| named(text)).flatten();
        let text = if is_outline { outline(text).to_string().into() } else { text.into() };
        let kind = kind.unwrap_or_default();
        // Nobody watches anymore.
        let _ = self.0.sender.send(Arc::new(Seen { at, kind, outcome, text, is_outline, named }));
    }

    fn has_room(&self, at: Millis) -> bool {
        let now = at.0.div_euclid(Millis::SECOND);
        let mut second = self.0.second.lock();
        if second.0 != now {
            *second = (now, 0);
        }
        second.1 += 1;
        second.1 <= PER_SECOND
    }
}

/// Other faults of a message should not hide its name from people looking for the mistake. A name that no
/// event could have is not shown.
pub fn named(text: &str) -> Option<Named> {
    #[derive(Deserialize)]
    struct Data {
        event: String,
        #[serde(default)]
        user_id: Value,
        #[serde(default)]
        device_id: Value,
    }
    #[derive(Deserialize)]
    struct Message {
        data: Data,
    }
    let Data { event, user_id, device_id } = serde_json::from_str::<Message>(text).ok()?.data;
    let fits = (1..=EVENT_MAX).contains(&event.chars().count());
    let id = |value: Value| match value {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let is_text = fits && !event.chars().any(char::is_control);
    is_text.then(|| Named { event, user: id(user_id), device: id(device_id) })
}

/// A viewer of an app. Dropping it leaves.
pub struct Viewer {
    receiver: Option<broadcast::Receiver<Arc<Seen>>>,
    pub dropped: Dropped,
    live: Arc<Live>,
    app: Uuid,
}

impl Viewer {
    /// The next message; None when there are no more.
    pub async fn next(&mut self) -> Option<Arc<Seen>> {
        let receiver = self.receiver.as_mut()?;
        loop {
            match receiver.recv().await {
                Ok(seen) => return Some(seen),
                Err(broadcast::error::RecvError::Lagged(count)) => self.dropped.missed += count,
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.live.leave(self.app, self.receiver.take());
    }
}

/// How many messages a viewer did not get.
pub struct Dropped {
    channel: std::sync::Weak<Channel>,
    reported: u64,
    missed: u64,
}

impl Dropped {
    /// The number since the last call.
    pub fn take(&mut self) -> u64 {
        let total = self.channel.upgrade().map(|one| one.dropped.load(Ordering::Relaxed));
        let total = total.unwrap_or(self.reported);
        let count = total - self.reported + std::mem::take(&mut self.missed);
        self.reported = total;
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Box<RawValue> {
        RawValue::from_string(r#"{"type":"Event","data":{}}"#.to_owned()).unwrap()
    }

    #[tokio::test]
    async fn only_what_is_watched_is_shown() {
        let live = Arc::new(Live::default());
        let (app, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert!(live.watched(app).is_none());
        let mut viewer = live.watch(app).unwrap();
        // Shares the bit, but nobody watches it.
        assert!(live.watched(other).is_none() && live.watched(Uuid::from_u128(65)).is_none());
        live.watched(app).unwrap().tell(&message(), Outcome::Accepted, Millis(5));
        let seen = viewer.next().await.unwrap();
        assert_eq!((seen.at, seen.kind, seen.is_outline), (Millis(5), MessageType::Event, false));
        drop(viewer);
        assert!(live.watched(app).is_none());
        assert_eq!(live.watched.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_name_is_told_where_one_can_be_read() {
        let name = |text: &str| named(text).map(|named| named.event);
        assert_eq!(name(r#"{"type":"Event","data":{"event":"order"}}"#).as_deref(), Some("order"));
        assert_eq!(name(r#"{"type":7,"data":{"event":"a","user_id":9}}"#).as_deref(), Some("a"));
        let long = format!(r#"{{"data":{{"event":"{}"}}}}"#, "x".repeat(EVENT_MAX + 1));
        for none in [
            "7",
            r#"{"data":7}"#,
            r#"{"data":{"event":7}}"#,
            r#"{"data":{"event":""}}"#,
            r#"{"data":{"event":"a\u0000b"}}"#,
            &long,
        ] {
            assert_eq!(name(none), None, "{none}");
        }
    }

    #[tokio::test]
    async fn what_is_too_much_is_counted() {
        let live = Arc::new(Live::default());
        let app = Uuid::from_u128(1);
        let (mut quick, mut slow) = (live.watch(app).unwrap(), live.watch(app).unwrap());
        let watched = live.watched(app).unwrap();
        let mut got = 0;
        for n in 0..150 {
            watched.tell(&message(), Outcome::Accepted, Millis(n * 10));
            while let Ok(Some(_)) =
                tokio::time::timeout(std::time::Duration::ZERO, quick.next()).await
            {
                got += 1;
            }
        }
        // 100 came in the first second, 50 in the next.
        assert_eq!((got, quick.dropped.take(), quick.dropped.take()), (100, 50, 0));
        slow.next().await.unwrap();
        let missed = 100 - WAITING_MAX as u64;
        assert_eq!(slow.dropped.take(), 50 + missed);
    }

    #[tokio::test]
    async fn seats_are_few_and_end_with_the_server() {
        let live = Arc::new(Live::default());
        let of = |n: usize| Uuid::from_u128(n as u128);
        let mut viewers: Vec<_> =
            (0..VIEWERS_PER_APP).map(|_| live.watch(of(0)).unwrap()).collect();
        assert!(live.watch(of(0)).is_none());
        for n in VIEWERS_PER_APP..VIEWERS_MAX {
            viewers.push(live.watch(of(n)).unwrap());
        }
        assert!(live.watch(of(1_000)).is_none());
        viewers.pop();
        viewers.push(live.watch(of(1_000)).unwrap());
        live.stop();
        assert!(viewers[0].next().await.is_none());
        viewers.clear();
        assert!(live.watch(of(0)).is_none());
    }
}
