//! The collector with everything behind it, against the best the machine could do: the engine's own bulk
//! insert, a bare fdatasync, a bare handler.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use warehouse::{EventRow, Insert, Location, Warehouse};

use crate::both::Both;
use crate::load::{self, Outcome};
use crate::program::{self, Program};
use crate::sending::{self, Template};

/// Beacons come from many browsers at once, and each waits for the disk: few connections measure the
/// disk, many the processor. Each with its goal.
const CONNECTIONS: [(usize, Option<f64>); 2] = [(64, None), (512, Some(0.40))];
const BATCH: usize = 50;
const BULK_ROWS: usize = 60_000;
const BULK_ROUNDS: usize = 8;
const SLICE: Duration = Duration::from_secs(3);
const ROUNDS: usize = 4;

pub async fn measure(program: &str) -> anyhow::Result<()> {
    let events: u64 = std::env::var("BENCH_EVENTS").map_or(Ok(2_000_000), |text| text.parse())?;
    beacons(program).await?;
    signatures(program).await?;
    waits(program).await?;
    bulk(program, events).await
}

/// One message per request, against a handler that reads the body and answers.
async fn beacons(program: &str) -> anyhow::Result<()> {
    let server = Program::start(program).await?;
    // In a separate process, like the program.
    let both = Both::start(1).await?;
    let template = Template::new(&server.collect_key, 1, None);
    for (connections, goal) in CONNECTIONS {
        load::send(server.address, &template, connections, SLICE / 2).await?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(load::send(server.address, &template, connections, SLICE).await?);
            theirs.push(load::send(both.bare, &template, connections, SLICE).await?);
        }
        let (ours, theirs) = (Outcome::merge(ours), Outcome::merge(theirs));
        let ratio = ours.per_second() / theirs.per_second();
        let goal = goal.map_or(String::new(), |goal| format!("  (goal ≥ {goal:.2})"));
        println!(
            "one-message beacons, {connections} connections, loading into the engine meanwhile"
        );
        for (name, outcome) in [("bare axum POST", theirs), ("/v1/collect", ours)] {
            let (rate, p99) = (outcome.per_second(), outcome.percentile_ms(99.0));
            println!("  {name:<20}{rate:>8.0} requests/s, p99 {p99:.1} ms");
        }
        println!("  ratio               {ratio:>8.2}{goal}");
    }
    Ok(())
}

/// The cost of a signature: CPU per request with and without it.
async fn signatures(program: &str) -> anyhow::Result<()> {
    let server = Program::start(program).await?;
    let plain = Template::new(&server.collect_key, BATCH, None);
    let signed = Template::new(&server.collect_key, BATCH, Some(&server.access_key));
    let mut cost = [0.0, 0.0];
    let mut requests = [0, 0];
    load::send_paced(server.address, &plain, 4, SLICE).await?;
    server.drained().await?;
    for _ in 0..ROUNDS {
        for (which, template) in [&plain, &signed].into_iter().enumerate() {
            let before = server.cpu_seconds()?;
            // At the same pace, because the faster one would spread its commits and loads over more
            // requests.
            let outcome = load::send_paced(server.address, template, 4, SLICE).await?;
            server.drained().await?;
            cost[which] += server.cpu_seconds()? - before;
            requests[which] += outcome.requests;
        }
    }
    let per = |which: usize| cost[which] / requests[which] as f64 * 1e6;
    println!("CPU of a request of {BATCH} messages, loading included");
    println!("  unsigned            {:>8.0} µs", per(0));
    println!("  signed              {:>8.0} µs", per(1));
    println!("  ratio               {:>8.2}  (goal ≤ 1.10)", per(1) / per(0));
    Ok(())
}

/// How long an answer takes, against how long the disk takes at the same time.
async fn waits(program: &str) -> anyhow::Result<()> {
    let server = Program::start(program).await?;
    let template = Template::new(&server.collect_key, 1, None);
    load::send(server.address, &template, 8, SLICE).await?;
    let stop = Arc::new(AtomicBool::new(false));
    let (stopping, path) = (stop.clone(), server.folder.path().join("bare"));
    let bare = std::thread::spawn(move || bare_syncs(&path, &stopping));
    let outcome = load::send_paced(server.address, &template, 8, SLICE * 4).await?;
    stop.store(true, Ordering::Relaxed);
    let mut syncs = bare.join().map_err(|_| anyhow::anyhow!("the thread panicked"))??;
    syncs.sort_unstable();
    let p99 = syncs.get(syncs.len() * 99 / 100).copied().unwrap_or_default().as_secs_f64() * 1e3;
    println!("an acknowledged request, {:.0} requests/s", outcome.per_second());
    println!("  bare fdatasync p99  {p99:>8.2} ms  ({} of them)", syncs.len());
    println!("  /v1/collect p99     {:>8.2} ms", outcome.percentile_ms(99.0));
    println!("  ratio               {:>8.2}  (goal ≤ 2.50)", outcome.percentile_ms(99.0) / p99);
    Ok(())
}

/// Appends and syncs like a log, at a slow pace.
fn bare_syncs(path: &std::path::Path, stop: &AtomicBool) -> anyhow::Result<Vec<Duration>> {
    let mut file = File::create(path)?;
    let mut times = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        file.write_all(&[7; 4096])?;
        let started = Instant::now();
        file.sync_data()?;
        times.push(started.elapsed());
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(times)
}

/// Fifty messages per request, against the engine's own bulk insert of the same rows; and the cost of
/// the whole path.
async fn bulk(program: &str, events: u64) -> anyhow::Result<()> {
    let at_best = bulk_insert(program).await?;
    let server = Program::start(program).await?;
    let template = Template::new(&server.collect_key, BATCH, None);
    load::send(server.address, &template, 16, SLICE).await?;
    server.drained().await?;
    let (cpu, memory) = (server.cpu_seconds()?, server.memory_mb()?);
    let started = Instant::now();
    let requests = usize::try_from(events)? / BATCH;
    let outcome = load::send_count(server.address, &template, 16, requests).await?;
    let taken = started.elapsed().as_secs_f64();
    server.drained().await?;
    let stored = started.elapsed().as_secs_f64();
    let sent = (outcome.requests * BATCH) as f64;
    let after = server.memory_mb()?;
    let million = (server.cpu_seconds()? - cpu) / sent * 1e6;
    println!("{sent:.0} events, {BATCH} a request, the sender on the same cores");
    println!("  engine's bulk insert{at_best:>8.0} rows/s");
    println!("  durable             {:>8.0} events/s", sent / taken);
    println!("  stored              {:>8.0} events/s", sent / stored);
    println!("  durable / bulk      {:>8.2}  (goal ≥ 0.50)", sent / taken / at_best);
    println!("  CPU a million       {million:>8.1} s  (goal ≤ 16.6, the engine included)");
    println!(
        "  memory              {:>8.0} → {:.0} MB server, {:.0} → {:.0} MB engine",
        memory.0, after.0, memory.1, after.1
    );
    Ok(())
}

async fn bulk_insert(program: &str) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir()?;
    let store = Warehouse::open(Location::Embedded {
        folder: folder.path().join("events"),
        library: program::library(program)?,
        program: Some(program.into()),
        memory_mb: 4_096,
    });
    store.ready(Duration::from_secs(60)).await?;
    let mut seconds = 0.0;
    for round in 0..=BULK_ROUNDS {
        let body = rows(round);
        let started = Instant::now();
        let sql = warehouse::event_insert(round as u64);
        store.insert(&sql, body, Insert::default()).await?;
        // The first round opens files and fills caches.
        if round > 0 {
            seconds += started.elapsed().as_secs_f64();
        }
    }
    store.stop().await;
    Ok((BULK_ROWS * BULK_ROUNDS) as f64 / seconds)
}

fn rows(round: usize) -> Bytes {
    let mut body = Vec::new();
    let now = sending::now_ms();
    for number in 0..BULK_ROWS {
        let message = sending::message(number, now);
        let data = &message["data"];
        let text = |field: &str| data[field].as_str().unwrap_or_default();
        let properties = data["properties"].to_string();
        let id = (round as u128) << 64 | number as u128;
        let row = EventRow {
            app_id: uuid::Uuid::from_u128(1),
            time_ms: data["timestamp"].as_i64().unwrap_or(now),
            event: text("event"),
            log_id: uuid::Uuid::from_u128(id),
            device_id: text("device_id"),
            user_id: text("user_id"),
            sdk_type: text("sdk_type"),
            sdk_version: text("sdk_version"),
            timezone_offset: 8.0,
            os: text("os"),
            language: text("language"),
            url_path: text("url_path"),
            device_type: text("device_type"),
            browser: text("browser"),
            browser_version: text("browser_version"),
            user_agent: text("user_agent"),
            client_version: text("client_version"),
            source: text("source"),
            properties: &properties,
            received_ms: now,
        };
        warehouse::write_event(&row, &mut body);
        let device = u32::try_from(number % 20_000).unwrap_or(0);
        warehouse::write_person_ids(device + 1, device + 1, &mut body);
    }
    body.into()
}
