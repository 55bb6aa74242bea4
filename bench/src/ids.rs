//! The cost of recognizing repeated messages by the number of known ids: one loader batch against eight
//! days of ids.

use std::time::{Duration, Instant};

use uuid::Uuid;
use warehouse::{Location, MessageKey, Warehouse};

use crate::program;
use crate::sending;

const KNOWN: [u64; 3] = [1_000_000, 10_000_000, 100_000_000];
/// How many ids one statement creates.
const STEP: u64 = 5_000_000;
const BATCH: u64 = 15_000;
/// As many as there are per minute with the fewest known ids.
const REPEATED: u64 = 50;
const ROUNDS: u64 = 9;
/// The time span of the messages in one batch.
const SPREAD_MS: u64 = 60_000;
const DAYS: u64 = 8;
const DAY_MS: u64 = 86_400_000;
const LIMIT: Duration = Duration::from_secs(600);

pub async fn measure(program: &str) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let store = Warehouse::open(Location::Embedded {
        folder: folder.path().join("events"),
        library: program::library(program)?,
        program: Some(program.into()),
        memory_mb: 4_096,
    });
    store.ready(Duration::from_secs(60)).await?;
    let now = u64::try_from(sending::now_ms())?;
    println!("recognizing repeated messages, {BATCH} ids a batch, {REPEATED} of them known");
    let (mut known, mut first) = (0, None);
    for wanted in KNOWN {
        while known < wanted {
            let count = STEP.min(wanted - known);
            store.patient(LIMIT).execute(&make(known, count, now), &[]).await?;
            known += count;
        }
        program::at_rest(&store).await?;
        let milliseconds = batch(&store, known, now).await?;
        let first = *first.get_or_insert(milliseconds);
        println!(
            "  {known:>11} known   {milliseconds:>8.0} ms  ratio {:.2}  (goal ≤ 1.20)",
            milliseconds / first
        );
    }
    store.stop().await;
    Ok(())
}

/// An id and its time are derived from its number; all days are filled evenly, as more traffic would do.
fn make(from: u64, count: u64, now: u64) -> String {
    format!(
        "INSERT INTO message_ids (app_id, time_ms, log_id, received, batch) \
         SELECT toUUID('{}'), toInt64({now} - cityHash64(number) % {}) AS at, \
             reinterpretAsUUID(concat(reinterpretAsFixedString(toUInt64(1)), \
                 reinterpretAsFixedString(number))), \
             toDateTime(intDiv(at, 1000), 'UTC'), 1 \
         FROM numbers({from}, {count})",
        Uuid::from_u128(1),
        DAYS * DAY_MS
    )
}

/// The median time for a batch of messages from one minute, each from another minute of the last day: what
/// loaders store is new, but for some that was offline.
async fn batch(store: &Warehouse, known: u64, now: u64) -> anyhow::Result<f64> {
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        let start = now - DAY_MS / 2 - round * SPREAD_MS;
        let sql = format!(
            "SELECT time_ms, toString(log_id) FROM message_ids WHERE app_id = '{}' \
             AND time_ms >= {start} AND time_ms < {} LIMIT {} FORMAT TSV",
            Uuid::from_u128(1),
            start + SPREAD_MS,
            REPEATED
        );
        let found = store.bytes(&sql, &[]).await?;
        let mut messages = Vec::new();
        for line in std::str::from_utf8(&found)?.lines() {
            let (time, id) = line.split_once('\t').unwrap_or_default();
            messages.push(key(time.parse()?, Uuid::try_parse(id)?));
        }
        let repeated = messages.len();
        for number in repeated as u64..BATCH {
            let time = i64::try_from(start + number * SPREAD_MS / BATCH)?;
            messages.push(key(time, Uuid::from_u128(u128::from(number) << 64 | u128::from(known))));
        }
        let started = Instant::now();
        let recognized = store.known_ids(&messages, 2).await?;
        times.push(started.elapsed());
        anyhow::ensure!(
            recognized.len() == repeated,
            "{} of {repeated} were recognized",
            recognized.len()
        );
    }
    times.sort_unstable();
    Ok(times[times.len() / 2].as_secs_f64() * 1e3)
}

fn key(time_ms: i64, log_id: Uuid) -> MessageKey {
    (Uuid::from_u128(1), time_ms, log_id)
}
