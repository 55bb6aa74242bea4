//! Arbitrary input for everything that strangers can reach: the body's parser, the signature check, and the
//! tunnel for error reports. A second each here, a minute each with `LONG_TESTS=1`.

use std::time::Duration;

use atrium::collect::body::{self, Encoding};
use atrium::collect::message::{self, Context};
use atrium::collect::record;
use atrium::collect::signature::{Claim, KEY_ID, NONCE, SIGNATURE, TIMESTAMP};
use atrium::reports::event::{self, Event};
use atrium::reports::{envelope, replay};
use atrium::types::Millis;
use http::{HeaderMap, HeaderValue};
use uuid::Uuid;

const NOW: Millis = Millis(1_763_200_000_000);

fn time() -> Duration {
    let long = std::env::var_os("LONG_TESTS").is_some();
    Duration::from_secs(if long { 60 } else { 1 })
}

/// A complete message with noise spliced into it: random bytes alone rarely get far.
fn spliced(noise: &[u8], at: u16, length: u8) -> Vec<u8> {
    let mut text = br#"{"app_key":"ck_x","messages":[{"type":"Event","data":{"log_id":
        "3f0c2c1e-52b5-4e3b-9a55-0123456789ab","event":"a","timestamp":1763200000000,"device_id":
        "d","user_id":"u","timezone_offset":5.75,"properties":{"a":[1,{"b":"\u00e9\\"}]}}},{"type":
        "UserMutation","data":{"operation":"increment","log_id":"3f0c2c1e52b54e3b9a550123456789ac",
        "timestamp":1763200000000,"id":"u","properties":{"n":1}}}]}"#
        .to_vec();
    let start = usize::from(at) % text.len();
    let end = (start + usize::from(length)).min(text.len());
    text.splice(start..end, noise.iter().copied());
    text
}

fn read(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Ok(body) = body::parse(text) else { return };
    assert!(body.messages.0.len() <= body::MESSAGES_MAX);
    for signed in [false, true] {
        let context = Context { app: Uuid::from_u128(1), now: NOW, day: 1, signed };
        let mut rows = Vec::new();
        for raw in &body.messages.0 {
            let before = rows.len();
            let (label, outcome) = message::read(raw, &context, &mut rows);
            assert!(label.sdk_version.len() <= 20);
            let Ok(record) = outcome else {
                assert_eq!(rows.len(), before, "what is refused leaves nothing behind");
                continue;
            };
            // An accepted message can be read back from the spool.
            let mut spooled = Vec::new();
            record.encode(&rows, &mut spooled);
            let mut found = Vec::new();
            record::decode(&spooled, &mut found).unwrap();
            assert_eq!(found[0].log_id, record.log_id);
        }
    }
}

#[test]
fn the_body_parser_stands_anything() {
    bolero::check!().with_type::<(Vec<u8>, u16, u8)>().with_test_time(time()).for_each(
        |(noise, at, length)| {
            read(noise);
            read(&spliced(noise, *at, *length));
            for encoding in [Encoding::Gzip, Encoding::Deflate, Encoding::Zstd] {
                let _ = body::unpack(noise, encoding);
            }
            let mut found = Vec::new();
            let _ = record::decode(noise, &mut found);
        },
    );
}

#[test]
fn the_signature_check_stands_anything_and_lets_nothing_pass() {
    type Given = ([Option<Vec<u8>>; 4], u8, Vec<u8>);
    bolero::check!().with_type::<Given>().with_test_time(time()).for_each(
        |(values, twice, payload)| {
            let mut headers = HeaderMap::new();
            // Some of the values are correct, so that later checks are reached too.
            let right = [
                "AKAAAAAAAAAAAAAAAAAAAA",
                "1763200000000",
                "012345",
                "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            ];
            for (name, (value, right)) in
                [KEY_ID, TIMESTAMP, NONCE, SIGNATURE].into_iter().zip(values.iter().zip(right))
            {
                let value = value.as_deref().unwrap_or(right.as_bytes());
                if let Ok(value) = HeaderValue::from_bytes(value) {
                    headers.append(name, value.clone());
                    if *twice == 7 {
                        headers.append(name, value);
                    }
                }
            }
            if let Some(claim) = Claim::read(&headers, NOW) {
                assert!(!claim.is_right(
                    Some(b"a secret nobody knows"),
                    "POST",
                    "/v1/collect",
                    payload
                ));
                assert!(!claim.is_right(None, "POST", "/v1/collect", payload));
            }
        },
    );
}

/// A complete envelope with noise spliced into it.
fn spliced_envelope(noise: &[u8], at: u16, length: u8) -> Vec<u8> {
    let mut text = br#"{"event_id":"0123456789abcdef0123456789abcdef","dsn":"https://k@h/1"}
{"type":"event","length":233}
{"event_id":"0123456789abcdef0123456789abcdef","transaction":"/a","tags":{"replayId":"x"},"breadcrumbs":[{"data":{"to":"b"}}],"exception":{"values":[{"type":"E","value":"it's 'x' 1","stacktrace":{"frames":[{"filename":"a-12345678.js"}]}}]}}
{"type":"replay_event"}
{"replay_id":"0123456789abcdef0123456789abcdef","segment_id":0}
{"type":"replay_recording"}
{"segment_id":0}
"#
    .to_vec();
    let start = usize::from(at) % text.len();
    let end = (start + usize::from(length)).min(text.len());
    text.splice(start..end, noise.iter().copied());
    text
}

fn read_report(bytes: &[u8]) {
    let Ok(envelope) = envelope::parse(bytes) else { return };
    assert!(!envelope.items.is_empty());
    let _ = envelope.key();
    for item in &envelope.items {
        if let Ok(event) = Event::read(&item.payload) {
            assert_eq!(event.event_id.len(), 32);
            assert!(!event.message.contains('\0') && !event.route.contains('\0'));
            let text = event.to_text().unwrap_or_default();
            let value = serde_json::from_str(&text).unwrap_or_default();
            let _ = (event::exceptions(&value), event::breadcrumbs(&value));
        }
        let _ = replay::ReplayEvent::read(&item.payload);
        let _ = replay::recording(&item.payload);
    }
    // What is forwarded parses to the same envelope.
    let out = envelope.to_bytes();
    let again = envelope::parse(&out).unwrap();
    assert_eq!(again.items.len(), envelope.items.len());
}

#[test]
fn the_tunnel_stands_anything() {
    bolero::check!().with_type::<(Vec<u8>, u16, u8)>().with_test_time(time()).for_each(
        |(noise, at, length)| {
            read_report(noise);
            read_report(&spliced_envelope(noise, *at, *length));
            let _ = replay::recording(noise);
        },
    );
}
