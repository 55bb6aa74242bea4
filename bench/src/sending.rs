//! Requests to the collector as from many applications: realistic web events, each with its own id. The
//! differences between requests are written into a template in place, so that the sender costs little
//! compared with what it measures.

use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

static NEXT: AtomicU64 = AtomicU64::new(1);

const ID_MARK: &str = "00000000-0000-4000-8000-000000000000";
const PAGES: [&str; 5] = ["/", "/pricing", "/docs/start", "/blog/2026/launch", "/account"];
const EVENTS: [&str; 4] = ["page_view", "button_click", "signup", "search"];
const SYSTEMS: [(&str, &str); 4] =
    [("Windows", "Chrome"), ("macOS", "Safari"), ("iOS", "Safari"), ("Android", "Chrome")];

/// One message with the fields that the SDK sends and five properties.
pub fn message(number: usize, now_ms: i64) -> Value {
    let (os, browser) = SYSTEMS[number % SYSTEMS.len()];
    json!({ "type": "Event", "data": {
        "log_id": ID_MARK,
        "event": EVENTS[number % EVENTS.len()],
        "timestamp": now_ms - i64::try_from(number % 1000).unwrap_or(0),
        "device_id": format!("9f1c7b1e-52b5-4e3b-9a55-{:012x}", number % 20_000),
        "user_id": if number.is_multiple_of(3) { format!("user-{}", number % 5_000) } else { String::new() },
        "sdk_type": "js", "sdk_version": "0.2.4", "timezone_offset": 8,
        "os": os, "language": "zh-CN", "url_path": PAGES[number % PAGES.len()],
        "device_type": if os == "iOS" || os == "Android" { "Mobile" } else { "PC" },
        "browser": browser, "browser_version": "130.0.6723.92",
        "user_agent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
        "client_version": "4.12.0", "source": "web",
        "properties": {
            "referrer": "https://www.example.com/search", "plan": "pro", "seats": number % 50,
            "price": 19.9, "trial": number.is_multiple_of(2),
        },
    }})
}

pub fn now_ms() -> i64 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(0)
}

/// A request that can be sent repeatedly, with new ids each time.
#[derive(Clone)]
pub struct Template {
    head: String,
    body: Vec<u8>,
    ids: Vec<usize>,
    signer: Option<(String, String)>,
}

impl Template {
    pub fn new(app_key: &str, messages: usize, signer: Option<&(String, String)>) -> Self {
        static SEED: AtomicU64 = AtomicU64::new(0);
        let seed = usize::try_from(SEED.fetch_add(1, Ordering::Relaxed)).unwrap_or(0) * 7_919;
        let now = now_ms();
        let list: Vec<_> = (0..messages).map(|number| message(seed + number, now)).collect();
        let body = match signer {
            Some(_) => json!({ "messages": list }),
            None => json!({ "app_key": app_key, "messages": list }),
        };
        let body = body.to_string().into_bytes();
        let mark = ID_MARK.as_bytes();
        let ids = (0..body.len().saturating_sub(mark.len()))
            .filter(|at| body[*at..].starts_with(mark))
            .collect();
        let head = format!(
            "POST /v1/collect HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n",
            body.len()
        );
        Self { head, body, ids, signer: signer.cloned() }
    }

    /// A fixed request: its head, with the last line end, and no body.
    pub fn plain(head: &str) -> Self {
        Self { head: head.to_owned(), body: Vec::new(), ids: Vec::new(), signer: None }
    }

    /// The bytes of the next request.
    pub fn next(&mut self, into: &mut Vec<u8>) {
        for at in &self.ids {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            // Spread out like random ids.
            let spread = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let text = format!("{:08x}-{:04x}-4", spread >> 32, (spread >> 16) & 0xffff);
            self.body[*at..at + 15].copy_from_slice(&text.as_bytes()[..15]);
            let tail = format!("{number:012x}");
            self.body[at + 24..at + 36].copy_from_slice(tail.as_bytes());
        }
        into.clear();
        into.extend_from_slice(self.head.as_bytes());
        if let Some((id, secret)) = &self.signer {
            let (now, nonce) = (now_ms(), NEXT.fetch_add(1, Ordering::Relaxed) % 1_000_000);
            let signed = format!("POST\n/v1/collect\n{id}\n{nonce:06}\n{now}\n");
            let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return };
            mac.update(signed.as_bytes());
            mac.update(&self.body);
            let signature = STANDARD.encode(mac.finalize().into_bytes());
            let headers = format!(
                "x-access-key-id: {id}\r\nx-timestamp: {now}\r\nx-nonce: {nonce:06}\r\nx-signature: {signature}\r\n"
            );
            into.extend_from_slice(headers.as_bytes());
        }
        into.extend_from_slice(b"\r\n");
        into.extend_from_slice(&self.body);
    }
}
