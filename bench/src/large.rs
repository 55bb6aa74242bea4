//! A store of a hundred million events (`BENCH_EVENTS` overrides that): how much space they take, how
//! fast more are stored on top of them, and how long it takes to query them, to remove some of them, to
//! back them up and to restore the backup.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::json;
use tokio::process::Command;
use uuid::Uuid;
use warehouse::Warehouse;

use crate::history::{DAY, DAYS, History};
use crate::load;
use crate::overall;
use crate::program::{self, Program};
use crate::sending::Template;

const EVENTS: u64 = 100_000_000;
const SENT: usize = 2_000_000;
const BATCH: usize = 50;
const CONNECTIONS: usize = 16;
/// The time limit of every step.
const LIMIT: Duration = Duration::from_secs(1_800);

pub async fn measure(program: &str) -> anyhow::Result<()> {
    let events = std::env::var("BENCH_EVENTS").map_or(Ok(EVENTS), |text| text.parse())?;
    let History { folder, store, apps, last } = History::make(program, events).await?;
    at_rest(&store).await?;
    sizes(&store, events).await?;
    store.stop().await;

    let server = Program::start_in(program, folder).await?;
    overall::answers(&server.account, last).await?;
    // Once at rest and once beside the merges of what was stored last; then a very active user.
    erasure(&server, "user-20000").await?;
    more(&server).await?;
    for user in ["user-21000", "user-3"] {
        erasure(&server, user).await?;
    }
    backup(program, &server).await?;
    let (own, engine) = server.peaks_mb()?;
    println!("at most {own:.0} MB of the server and {engine:.0} of its engine");

    let folder = server.end()?;
    retention(&program::open_store(program, folder.path())?, &apps, last).await
}

/// Waits longer, because there is more to merge.
async fn at_rest(store: &Warehouse) -> anyhow::Result<()> {
    let started = Instant::now();
    for _ in 0..5 {
        program::at_rest(store).await?;
    }
    println!("  looked at after             {:>8.0} s of merging", started.elapsed().as_secs_f64());
    Ok(())
}

async fn sizes(store: &Warehouse, events: u64) -> anyhow::Result<()> {
    let sql = "SELECT sum(bytes_on_disk), sumIf(bytes_on_disk, table = 'events') FROM system.parts \
               WHERE active AND database = currentDatabase() FORMAT TSV";
    let answer = String::from_utf8(store.bytes(sql, &[]).await?.to_vec())?;
    let (all, own) = answer.trim().split_once('\t').context("two sizes")?;
    let of_one = |bytes: &str| Ok::<_, anyhow::Error>(bytes.parse::<f64>()? / events as f64);
    println!("  on disk                     {:>8.1} bytes an event", of_one(own)?);
    println!("  with counts and numbers     {:>8.1}", of_one(all)?);
    Ok(())
}

/// Sends more events through the collector, on top of the existing ones.
async fn more(server: &Program) -> anyhow::Result<()> {
    let template = Template::new(&server.collect_key, BATCH, None);
    load::send_count(server.address, &template, CONNECTIONS, SENT / BATCH / 10).await?;
    server.drained().await?;
    let started = Instant::now();
    load::send_count(server.address, &template, CONNECTIONS, SENT / BATCH).await?;
    let durable = started.elapsed().as_secs_f64();
    server.drained().await?;
    let stored = started.elapsed().as_secs_f64();
    println!("{SENT} more, {BATCH} a request, the sender on the same cores");
    println!("  durable                     {:>8.0} events/s", SENT as f64 / durable);
    println!("  stored                      {:>8.0} events/s", SENT as f64 / stored);
    Ok(())
}

/// Erases a user and everything counted from their events.
async fn erasure(server: &Program, user: &str) -> anyhow::Result<()> {
    let path = format!("/apps/{}/erasures", server.account.app);
    let started = Instant::now();
    let asked = json!({ "kind": "user", "subject": user });
    let id = server.account.post(&path, &asked).await?["data"]["id"].clone();
    loop {
        let answer = server.account.get(&path).await?;
        let all = answer["data"]["items"].as_array().context("erasures")?;
        let own = all.iter().find(|erasure| erasure["id"] == id).context("the erasure")?;
        ensure!(own["state"] != "failed", "the erasure failed");
        ensure!(started.elapsed() < LIMIT, "the erasure is not done");
        if own["state"] == "done" {
            println!(
                "erasing {user:<18} {:>8.1} s, {} events",
                started.elapsed().as_secs_f64(),
                own["events"]
            );
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Makes a backup while the server runs, and restores it elsewhere, comparing every count.
async fn backup(program: &str, server: &Program) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let archive = folder.path().join("all.tar");
    let started = Instant::now();
    let mut command = Command::new(program);
    command.arg("backup").arg("--data-dir").arg(server.folder.path());
    command.arg("--output").arg(&archive).arg("--include-master-key");
    ensure!(command.output().await?.status.success(), "the backup failed");
    let made = started.elapsed().as_secs_f64();
    let gigabytes = std::fs::metadata(&archive)?.len() as f64 / 1e9;
    let started = Instant::now();
    let mut command = Command::new(program);
    command.arg("restore").arg("--data-dir").arg(folder.path().join("restored")).arg(&archive);
    let answer = command.output().await?;
    ensure!(answer.status.success(), "the restore: {}", String::from_utf8_lossy(&answer.stderr));
    println!(
        "backup of {gigabytes:.2} GB           {made:>8.1} s, restore {:.1} s",
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Removes the oldest day of every app, like the server's own job.
async fn retention(store: &Warehouse, apps: &[Uuid], last: u32) -> anyhow::Result<()> {
    store.ready(Duration::from_secs(60)).await?;
    let patient = store.patient(LIMIT);
    let before = i64::from(last + 2 - DAYS) * i64::from(DAY) * 1_000;
    let (started, mut removed) = (Instant::now(), 0);
    for app in apps {
        removed += patient.retain(*app, before).await?;
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("retention of one day, all apps {seconds:>6.1} s, {removed} events");
    store.stop().await;
    Ok(())
}
