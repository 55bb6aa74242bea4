//! The body of a request to the collector: unpacked, and cut into messages without judging them.

use std::fmt;
use std::io::Read;

use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::text::Text;
use atrium_core::error::{Code, Result};

/// The maximum size of a request's body as sent and once unpacked.
pub const SENT_MAX: usize = 1 << 20;
const DECODED_MAX: usize = 8 << 20;
pub const MESSAGES_MAX: usize = 1_000;

#[derive(serde::Deserialize)]
pub struct Body<'a> {
    #[serde(borrow, default)]
    pub app_key: Text<'a>,
    #[serde(borrow)]
    pub messages: Messages<'a>,
}

/// Holds at most one message more than allowed: the rest need not be read to refuse the request.
pub struct Messages<'a>(pub Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Messages<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = Messages<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of messages")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Messages<'de>, A::Error> {
                let mut messages = Vec::new();
                while let Some(message) = list.next_element::<&'de RawValue>()? {
                    if messages.len() > MESSAGES_MAX {
                        continue;
                    }
                    messages.push(message);
                }
                Ok(Messages(messages))
            }
        }

        deserializer.deserialize_seq(Read)
    }
}

/// Reads the list from `[` to `]`, whatever is inside.
pub fn parse(text: &str) -> Result<Body<'_>> {
    let body: Body<'_> = serde_json::from_str(text).map_err(|_| Code::MalformedJson)?;
    check_count(&body.messages)?;
    Ok(body)
}

pub fn check_count(messages: &Messages<'_>) -> Result<()> {
    if messages.0.len() > MESSAGES_MAX {
        return Err(Code::TooManyMessages.into());
    }
    Ok(())
}

/// JSON, or the type that beacons give their text.
pub fn has_fitting_type(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE) else { return true };
    let Ok(value) = value.to_str() else { return false };
    let mime = value.split(';').next().unwrap_or_default().trim();
    mime.eq_ignore_ascii_case("application/json") || mime.eq_ignore_ascii_case("text/plain")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Plain,
    Gzip,
    Deflate,
    Zstd,
}

pub fn encoding(headers: &HeaderMap) -> Result<Encoding> {
    let mut values = headers.get_all(CONTENT_ENCODING).iter();
    let Some(value) = values.next() else { return Ok(Encoding::Plain) };
    let name = value.to_str().unwrap_or_default().trim().to_ascii_lowercase();
    match name.as_str() {
        _ if values.next().is_some() => Err(Code::UnsupportedEncoding.into()),
        "" | "identity" => Ok(Encoding::Plain),
        "gzip" | "x-gzip" => Ok(Encoding::Gzip),
        "deflate" => Ok(Encoding::Deflate),
        "zstd" => Ok(Encoding::Zstd),
        _ => Err(Code::UnsupportedEncoding.into()),
    }
}

/// Unpacks a body, never further than the limit.
pub fn unpack(sent: &[u8], encoding: Encoding) -> Result<Vec<u8>> {
    let unpacked = match encoding {
        Encoding::Plain => return Ok(sent.to_vec()),
        Encoding::Gzip => read_limited(flate2::read::MultiGzDecoder::new(sent)),
        // The name means zlib, but some clients send the bare stream.
        Encoding::Deflate => match read_limited(flate2::read::ZlibDecoder::new(sent)) {
            Ok(unpacked) => Ok(unpacked),
            Err(_) => read_limited(flate2::read::DeflateDecoder::new(sent)),
        },
        Encoding::Zstd => zstd::stream::read::Decoder::new(sent).and_then(|mut decoder| {
            // A frame could ask for a window of gigabytes.
            decoder.window_log_max(23)?;
            read_limited(decoder)
        }),
    };
    let unpacked = unpacked.map_err(|_| Code::BadEncoding)?;
    if unpacked.len() > DECODED_MAX {
        return Err(Code::TooLarge.into());
    }
    Ok(unpacked)
}

fn read_limited(reader: impl Read) -> std::io::Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    reader.take(DECODED_MAX as u64 + 1).read_to_end(&mut unpacked)?;
    Ok(unpacked)
}
