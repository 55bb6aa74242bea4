//! One id per request: in the answer's `x-request-id`, in every log line of the request, and in what
//! people can copy from an error message.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use http::{HeaderName, HeaderValue};

use crate::types::Entropy;

pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

#[derive(Clone, Debug)]
pub struct RequestId(HeaderValue);

impl Default for RequestId {
    fn default() -> Self {
        Self::new()
    }
}

impl RequestId {
    /// Always our own: an id from outside could collide, or carry something that must not be logged.
    /// Unique but not secret: a counter from a random start, mixed so that consecutive ids look
    /// different.
    pub fn new() -> Self {
        static NEXT: LazyLock<AtomicU64> =
            LazyLock::new(|| AtomicU64::new(u64::from_be_bytes(Entropy.bytes())));
        let mut id = NEXT.fetch_add(1, Ordering::Relaxed);
        id = (id ^ (id >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        id = (id ^ (id >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let text = format!("{:016x}", id ^ (id >> 31));
        Self(HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("0")))
    }

    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub fn into_header(self) -> HeaderValue {
        self.0
    }
}
