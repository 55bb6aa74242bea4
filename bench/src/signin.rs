//! Signing in: its cost beyond the one password hash that is required, and how two hundred sign-ins at
//! once affect everyone else.

use std::time::{Duration, Instant};

use crate::both::{self, Both};

const ROUNDS: usize = 40;
const CROWD: usize = 200;
/// One address may have fifty attempts in flight, so the crowd uses several.
const PER_ADDRESS: usize = 20;
const HASH_MEGABYTES: f64 = 19.0;

pub async fn measure() -> anyhow::Result<()> {
    let both = Both::start(CROWD).await?;
    one_by_one(&both).await?;
    all_at_once(&both).await
}

async fn one_by_one(both: &Both) -> anyhow::Result<()> {
    let (mut sign_ins, mut hashes) = (Vec::new(), Vec::new());
    // Alternating, so that a busy moment of the machine affects both alike.
    for round in 0..ROUNDS {
        let started = Instant::now();
        both::sign_in(both.server, [127, 0, 0, 1], round).await?;
        sign_ins.push(millis(started));
        let started = Instant::now();
        both::get(both.bare, "/hash").await?;
        hashes.push(millis(started));
    }
    let (sign_in, hash) = (percentile(&mut sign_ins, 50), percentile(&mut hashes, 50));
    println!("Sign-in, one after the other");
    println!("  one argon2id hash   {hash:>8.1} ms");
    println!("  POST /login         {sign_in:>8.1} ms");
    println!("  ratio               {:>8.2}  (goal ≤ 1.10)", sign_in / hash);
    Ok(())
}

async fn all_at_once(both: &Both) -> anyhow::Result<()> {
    let (server, before) = (both.server, both.peak_megabytes()?);
    let started = Instant::now();
    let crowd: Vec<_> = (0..CROWD)
        .map(|n| {
            let source = [127, 0, 1, u8::try_from(n / PER_ADDRESS + 1).unwrap_or(1)];
            tokio::spawn(both::sign_in(server, source, n))
        })
        .collect();
    let mut healths = Vec::new();
    while crowd.iter().any(|one| !one.is_finished()) {
        let asked = Instant::now();
        both::get(server, "/healthz").await?;
        healths.push(millis(asked));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for one in crowd {
        one.await??;
    }
    let seconds = started.elapsed().as_secs_f64();
    let grown = both.peak_megabytes()? - before;
    println!("{CROWD} sign-ins at once, all of them in after {seconds:.1} s");
    println!(
        "  /healthz meanwhile  {:>8.1} ms median, {:.1} ms at worst",
        percentile(&mut healths, 50),
        percentile(&mut healths, 100)
    );
    println!(
        "  memory grew by      {grown:>8.0} MB, {:.1} hashes' worth  (goal ≤ 20)",
        grown / HASH_MEGABYTES
    );
    Ok(())
}

fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

fn percentile(times: &mut [f64], percent: usize) -> f64 {
    times.sort_by(f64::total_cmp);
    let index = (times.len().saturating_sub(1)) * percent / 100;
    times.get(index).copied().unwrap_or(0.0)
}
