//! The memory cost of an app's dashboard by the number of its devices. Both apps are large, so the store
//! joins their sets of people (docs/decisions/0038).

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use uuid::Uuid;
use warehouse::{Location, Warehouse};

use crate::history::DAY;
use crate::overall::question;
use crate::program::{self, Program};
use crate::sending;

/// Devices of the larger app; the other has a tenth. `BENCH_DEVICES` overrides it.
const DEVICES: u64 = 10_000_000;
const DAYS: u32 = 30;
/// A device comes every this many days.
const EVERY: u32 = 10;
const ZONES: [&str; 4] = ["UTC", "Asia/Shanghai", "America/New_York", "Asia/Kolkata"];
const LIMIT: Duration = Duration::from_secs(900);

pub async fn measure(program: &str) -> anyhow::Result<()> {
    let mut first = None;
    let most = std::env::var("BENCH_DEVICES").ok().map_or(Ok(DEVICES), |text| text.parse())?;
    println!("memory of the server after the dashboard over {DAYS} days in {} zones", ZONES.len());
    for devices in [most / 10, most] {
        let (folder, last) = filled(program, devices).await?;
        let server = Program::start_in(program, folder).await?;
        let before = server.peak_memory_mb()?;
        let path = format!("/orgs/{}/data-overall", server.account.org);
        let started = Instant::now();
        for zone in ZONES {
            let answer = server.account.post(&path, &question(last, DAYS, zone)).await?;
            let totals = &answer["data"]["totals"];
            let found = &totals["active_devices"]["value"];
            anyhow::ensure!(*found == devices, "{found} devices in {zone}");
            // West of Greenwich some were first seen before the range.
            let new = totals["new_devices"]["value"].as_u64().unwrap_or(0);
            anyhow::ensure!(new <= devices && new > devices / 10 * 9, "{new} new in {zone}");
        }
        let peak = server.peak_memory_mb()?;
        let ratio = peak / *first.get_or_insert(peak);
        println!(
            "  {devices:>9} devices   {before:>6.0} MB, then {peak:>6.0} MB at most  ratio {ratio:.2}  \
             (goal ≤ 1.30; {:.1?})",
            started.elapsed()
        );
    }
    Ok(())
}

/// An instance with one app whose devices come three times in thirty days. Returns its folder and its
/// last day.
async fn filled(program: &str, devices: u64) -> anyhow::Result<(tempfile::TempDir, u32)> {
    let server = Program::start(program).await?;
    let app = Uuid::try_parse(&server.account.app)?;
    let folder = server.end()?;
    let last = u32::try_from(sending::now_ms() / 1_000)? / DAY - 1;
    let store = Warehouse::open(Location::Embedded {
        folder: folder.path().join("events"),
        library: program::library(program)?,
        program: Some(program.into()),
        memory_mb: 4_096,
    });
    store.ready(Duration::from_secs(60)).await?;
    let patient = store.patient(LIMIT);
    for day in last + 1 - DAYS..=last {
        patient.execute(&events_of_day(app, day, devices), &[]).await?;
        let buckets: BTreeSet<u32> = (0..96).map(|quarter| day * DAY + quarter * 900).collect();
        patient.count_sessions(&BTreeMap::from([(app, buckets)])).await?;
    }
    // As the loader would have done when it first saw them.
    let numbers = "INSERT INTO identities (app_id, hash, no) \
                   SELECT app_id, xxHash64(concat('d', device_id)), no FROM devices";
    patient.execute(numbers, &[]).await?;
    program::at_rest(&store).await?;
    store.stop().await;
    Ok((folder, last))
}

fn events_of_day(app: Uuid, day: u32, devices: u64) -> String {
    format!(
        "INSERT INTO events (app_id, time, event, log_id, device_id, user_id, os, language, url_path, \
             device_type, browser, properties, received_at, batch, person_no, device_no) \
         SELECT toUUID('{app}'), toDateTime64({day} * {DAY} + cityHash64(number) % {DAY}, 3, 'UTC') AS at, \
             'page_view', generateUUIDv4(), concat('device-', toString(no)), '', 'Windows', 'zh-CN', '/', \
             'PC', 'Chrome', '{{}}', at, {day}, no, no \
         FROM (SELECT number, toUInt32(number * {EVERY} + {day} % {EVERY} + 1) AS no \
             FROM numbers({}))",
        devices / u64::from(EVERY)
    )
}
