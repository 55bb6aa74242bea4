//! The dashboard over ninety days: its counts against the same questions to the raw events, its whole
//! answer with cold and with warm caches, and how much twenty people looking at it slow down ingestion.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uuid::Uuid;
use warehouse::{Versions, Warehouse};

use crate::history::{self, DAY, DAYS, History};
use crate::load;
use crate::program::{self, Account, Program};
use crate::sending::Template;

const EVENTS: u64 = 20_000_000;
/// Zones whose days begin at different moments, so that answers in one are not cached for the next.
const ZONES: [&str; 20] = [
    "Asia/Shanghai",
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Asia/Tokyo",
    "America/Los_Angeles",
    "Europe/Moscow",
    "Asia/Dubai",
    "Australia/Sydney",
    "America/Sao_Paulo",
    "America/Chicago",
    "Asia/Karachi",
    "Asia/Bangkok",
    "Pacific/Auckland",
    "America/Denver",
    "Asia/Dhaka",
    "Atlantic/Azores",
    "Pacific/Honolulu",
    "America/Halifax",
];
const UNCHANGED: usize = 200;
const VIEWERS: usize = 20;
const LOOK: Duration = Duration::from_secs(5);
const SENT: usize = 400_000;
const BATCH: usize = 50;
const CONNECTIONS: usize = 16;
const ROUNDS: usize = 3;

pub async fn measure(program: &str) -> anyhow::Result<()> {
    let events = std::env::var("BENCH_EVENTS").map_or(Ok(EVENTS), |text| text.parse())?;
    let History { folder, store, apps, last } = History::make(program, events).await?;
    program::at_rest(&store).await?;
    against_events(&store, &apps, last).await?;
    store.stop().await;
    let server = Program::start_in(program, folder).await?;
    answers(&server.account, last).await?;
    viewers(&server, last).await
}

/// Asks the counts and the raw events the same questions in turn.
async fn against_events(store: &Warehouse, apps: &[Uuid], last: u32) -> anyhow::Result<()> {
    let store = store.patient(Duration::from_secs(300));
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..3 {
        let to = (i64::from(last) + 1) * i64::from(DAY) - (8 + round) * 3_600;
        let cuts: Vec<i64> =
            (0..=i64::from(DAYS)).rev().map(|day| (to - day * i64::from(DAY)) * 1_000).collect();
        let (from, to) = (cuts[0], cuts[cuts.len() - 1]);
        let (unknown, started) = (Versions::unknown(), Instant::now());
        tokio::try_join!(
            store.overall(apps, &cuts, None, &unknown),
            store.top_events(apps, from, to, 20, &unknown),
            store.breakdowns(apps, from, to, 10, &unknown),
        )?;
        ours.push(started.elapsed());
        let started = Instant::now();
        for sql in history::raw_questions(apps, from, to, (8 + round) * 3_600) {
            store.bytes(&format!("{sql} FORMAT Null"), &[]).await?;
        }
        theirs.push(started.elapsed());
    }
    let (ours, theirs) = (middle(ours), middle(theirs));
    println!("  asked of the events {:>8.0} ms", theirs * 1e3);
    println!("  asked of the counts {:>8.0} ms", ours * 1e3);
    println!("  ratio               {:>8.3}  (goal ≤ 0.05)", ours / theirs);
    Ok(())
}

pub fn middle(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64()
}

pub fn p95_ms(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    let index = (times.len() * 95).div_ceil(100).saturating_sub(1);
    times.get(index).copied().unwrap_or_default().as_secs_f64() * 1e3
}

/// The whole dashboard over this many days up to the last, compared with as many before.
pub fn question(last: u32, days: u32, zone: &str) -> Value {
    let date = |day: u32| {
        let epoch = jiff::civil::date(1970, 1, 1);
        epoch.checked_add(jiff::Span::new().days(i64::from(day))).unwrap_or(epoch).to_string()
    };
    json!({ "start": date(last + 1 - days), "end": date(last), "timezone": zone,
        "compare": "previous_period" })
}

pub async fn answers(account: &Account, last: u32) -> anyhow::Result<()> {
    let path = format!("/orgs/{}/data-overall", account.org);
    let ask = async |body: &Value| -> anyhow::Result<Duration> {
        let started = Instant::now();
        account.post(&path, body).await?;
        Ok(started.elapsed())
    };
    // The first request starts the engine.
    ask(&question(last - 1, 7, "Asia/Kathmandu")).await?;
    for days in [30, 90] {
        let mut cold = Vec::new();
        for zone in ZONES {
            cold.push(ask(&question(last, days, zone)).await?);
        }
        println!("the whole answer over {days} days");
        println!("  the first           {:>8.0} ms", cold[0].as_secs_f64() * 1e3);
        println!("  median cold         {:>8.0} ms", middle(cold.clone()) * 1e3);
        println!("  p95 cold            {:>8.0} ms  (goal < 150)", p95_ms(cold.clone()));
        let mut slowest: Vec<_> = cold.into_iter().zip(ZONES).collect();
        slowest.sort_unstable_by(|one, other| other.cmp(one));
        let slowest = slowest.iter().take(3);
        let slowest: Vec<String> = slowest
            .map(|(time, zone)| format!("{zone} {:.0} ms", time.as_secs_f64() * 1e3))
            .collect();
        println!("  slowest             {}", slowest.join(", "));
        let mut same = Vec::new();
        for _ in 0..UNCHANGED {
            same.push(ask(&question(last, days, ZONES[0])).await?);
        }
        println!("  p95 unchanged       {:>8.1} ms  (goal < 20)", p95_ms(same));
    }
    Ok(())
}

/// How fast events are stored while people look at the dashboard, refreshing much more often than the
/// console, which does so once a minute.
async fn viewers(server: &Program, last: u32) -> anyhow::Result<()> {
    let template = Template::new(&server.collect_key, BATCH, None);
    load::send_count(server.address, &template, CONNECTIONS, SENT / BATCH / 4).await?;
    server.drained().await?;
    let (mut alone, mut watched, mut looks) = (Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        alone.push(stored(server, &template).await?);
        let stop = Arc::new(AtomicBool::new(false));
        let people: Vec<_> = (0..VIEWERS)
            .map(|_| tokio::spawn(watch(server.account.clone(), last + 1, stop.clone())))
            .collect();
        watched.push(stored(server, &template).await?);
        stop.store(true, Ordering::Relaxed);
        for person in people {
            looks += person.await??;
        }
    }
    let rate = |times: Vec<Duration>| SENT as f64 / middle(times);
    let (alone, watched) = (rate(alone), rate(watched));
    println!("storing events, {VIEWERS} viewers who ask every {LOOK:?} ({looks} times)");
    println!("  alone               {alone:>8.0} events/s");
    println!("  watched             {watched:>8.0} events/s");
    println!("  ratio               {:>8.2}  (goal ≥ 0.85)", watched / alone);
    Ok(())
}

async fn stored(server: &Program, template: &Template) -> anyhow::Result<Duration> {
    let started = Instant::now();
    load::send_count(server.address, template, CONNECTIONS, SENT / BATCH).await?;
    server.drained().await?;
    Ok(started.elapsed())
}

async fn watch(account: Account, last: u32, stop: Arc<AtomicBool>) -> anyhow::Result<usize> {
    let path = format!("/orgs/{}/data-overall", account.org);
    let mut looking = tokio::time::interval(LOOK);
    let mut looks = 0;
    while !stop.load(Ordering::Relaxed) {
        looking.tick().await;
        account.post(&path, &question(last, 30, "Asia/Shanghai")).await?;
        looks += 1;
    }
    Ok(looks)
}
