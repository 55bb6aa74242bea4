//! Ninety days of generated events in six apps of different size, created inside the engine: people come
//! in sessions of some minutes, most of them rarely and some of them every day.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use uuid::Uuid;
use warehouse::Warehouse;

use crate::program::{self, Program};
use crate::sending;

const APPS: usize = 6;
pub const DAYS: u32 = 90;
pub const DAY: u32 = 86_400;
/// Events of one session.
const SESSION: u64 = 10;
/// The pool of devices of an app; a small app sees fewer of them.
const DEVICES: u32 = 150_000;
const LIMIT: Duration = Duration::from_secs(600);

/// A data folder with the events in it and no server running on it.
pub struct History {
    pub folder: TempDir,
    pub store: Warehouse,
    pub apps: Vec<Uuid>,
    /// The last whole day, in days since 1970: yesterday.
    pub last: u32,
}

impl History {
    pub async fn make(program: &str, events: u64) -> anyhow::Result<Self> {
        let server = Program::start(program).await?;
        let mut apps = vec![Uuid::try_parse(&server.account.app)?];
        for number in 1..APPS {
            apps.push(Uuid::try_parse(&server.account.new_app(&format!("App {number}")).await?)?);
        }
        let folder = server.end()?;
        let last = u32::try_from(sending::now_ms() / 1_000)? / DAY - 1;
        let store = program::open_store(program, folder.path())?;
        store.ready(Duration::from_secs(60)).await?;
        let started = Instant::now();
        fill(&store, &apps, last, events).await?;
        println!(
            "{events} events over {DAYS} days in {APPS} apps, stored at {:.0} events/s",
            events as f64 / started.elapsed().as_secs_f64()
        );
        Ok(Self { folder, store, apps, last })
    }
}

/// Fills the store with days that end with `last`.
async fn fill(store: &Warehouse, apps: &[Uuid], last: u32, events: u64) -> anyhow::Result<()> {
    let store = store.patient(LIMIT);
    for day in last + 1 - DAYS..=last {
        store.execute(&events_of_day(apps, day, events / u64::from(DAYS)), &[]).await?;
        let buckets: BTreeSet<u32> = (0..100).map(|quarter| day * DAY + quarter * 900).collect();
        let touched: BTreeMap<Uuid, BTreeSet<u32>> =
            apps.iter().map(|app| (*app, buckets.clone())).collect();
        store.count_sessions(&touched).await?;
    }
    // As the loader would have done when it first saw them.
    for sql in [
        "INSERT INTO identities (app_id, hash, no) \
         SELECT app_id, xxHash64(concat('d', device_id)), max(no) \
         FROM devices GROUP BY app_id, device_id",
        "INSERT INTO identities (app_id, hash, no) \
         SELECT app_id, xxHash64(concat('u', user_id)), max(person_no) \
         FROM events WHERE user_id != '' GROUP BY app_id, user_id",
    ] {
        store.execute(sql, &[]).await?;
    }
    Ok(())
}

/// A statement that stores the events of one day. Everything about an event is derived from its number.
fn events_of_day(apps: &[Uuid], day: u32, events: u64) -> String {
    let ids: Vec<String> = apps.iter().map(|app| format!("toUUID('{app}')")).collect();
    let ids = ids.join(", ");
    format!(
        "INSERT INTO events (app_id, time, event, log_id, device_id, user_id, sdk_type, sdk_version, \
             timezone_offset, os, language, url_path, device_type, browser, browser_version, \
             user_agent, client_version, source, properties, received_at, batch, person_no, device_no) \
         SELECT [{ids}][app], time, event, generateUUIDv4(), device_id, user_id, 'js', '0.2.4', 8, \
             ['Windows', 'macOS', 'iOS', 'Android', 'Linux', 'HarmonyOS'][machine % 6 + 1], \
             ['zh-CN', 'en-US', 'zh-TW', 'ja-JP', 'de-DE', 'fr-FR', 'es-ES', 'pt-BR', 'ko-KR', 'ru-RU', \
              'it-IT', 'tr-TR', 'vi-VN', 'th-TH'][1 + toUInt8(pow(cityHash64(machine, 9) % 1000 / 1000, 3) * 14)], \
             ['/', '/pricing', '/docs/start', '/blog/2026/launch', '/account'][number % 5 + 1], \
             ['PC', 'PC', 'Mobile', 'Mobile', 'PC', 'Tablet'][machine % 6 + 1], \
             ['Chrome', 'Safari', 'Edge', 'Firefox', 'WeChat'][cityHash64(machine, 3) % 5 + 1], \
             '130.0.6723.92', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', '4.12.0', 'web', \
             concat('{{\"plan\":\"pro\",\"seats\":', toString(number % 50), ',\"price\":19.9}}'), \
             time, {day}, if(user_id = '', device + 1, {DEVICES} + 1 + intDiv(device, 4)), device + 1 \
         FROM (SELECT *, concat('9f1c7b1e-52b5-4e3b-9a55-', lower(leftPad(hex(device), 12, '0'))) AS device_id, \
                 if(device % 3 = 0, concat('user-', toString(intDiv(device, 4))), '') AS user_id, \
                 cityHash64(device, app) AS machine, \
                 toDateTime64({day} * {DAY} + cityHash64(session, 2) % 84000 \
                     + step * (cityHash64(session, 3) % 120000) / 1000 \
                     + if(cityHash64(session, 7) % 20 = 0 AND step >= 5, 1500 + cityHash64(session, 8) % 900, 0), \
                     3, 'UTC') AS time, \
                 if(cityHash64(session, step) % 3 = 0, 'page_view', concat('event ', \
                     toString(toUInt8(pow(cityHash64(session, step, 1) % 10000 / 10000, 3) * 30)))) AS event \
             FROM (SELECT number, number % {SESSION} AS step, cityHash64({day}, intDiv(number, {SESSION})) AS session, \
                     multiIf(session % 100 < 40, 1, session % 100 < 65, 2, session % 100 < 80, 3, \
                         session % 100 < 90, 4, session % 100 < 96, 5, 6) AS app, \
                     toUInt32(pow(cityHash64(session, 1) % 1000000 / 1000000, 2) * {DEVICES}) AS device \
                 FROM numbers({events})))"
    )
}

/// The dashboard's questions to the events themselves, one statement each.
pub fn raw_questions(apps: &[Uuid], from: i64, to: i64, offset: i64) -> Vec<String> {
    let ids: Vec<String> = apps.iter().map(|app| format!("'{app}'")).collect();
    let (from, to) = (from / 1_000, to / 1_000);
    let events = format!(
        "events WHERE app_id IN ({}) AND time >= toDateTime({from}, 'UTC') \
         AND time < toDateTime({to}, 'UTC')",
        ids.join(", ")
    );
    let counts = "count(), countIf(event = 'page_view'), uniqExact(person), uniqExact(device)";
    let day = format!("intDiv(toUnixTimestamp(toDateTime(time)) + {offset}, {DAY})");
    vec![
        format!("SELECT app_id, {counts} FROM {events} GROUP BY app_id"),
        format!("SELECT app_id, {day} AS day, {counts} FROM {events} GROUP BY app_id, day"),
        format!(
            "SELECT app_id, sum(arrayCount(gap -> gap > 1800000, arrayDifference(times)) + 1) FROM \
             (SELECT app_id, arraySort(groupArray(toUnixTimestamp64Milli(time))) AS times \
             FROM {events} GROUP BY app_id, device) GROUP BY app_id"
        ),
        format!(
            "SELECT app_id, countIf(first >= toDateTime({from}, 'UTC')) FROM (SELECT app_id, \
             min(time) AS first FROM events WHERE time < toDateTime({to}, 'UTC') \
             GROUP BY app_id, device) GROUP BY app_id"
        ),
        format!(
            "SELECT app_id, event, count(), uniqExact(person) FROM {events} GROUP BY app_id, event"
        ),
        format!(
            "SELECT app_id, dimension, value, count(), uniqExact(person) FROM \
             (SELECT app_id, person, os, browser, device_type, language FROM {events}) ARRAY JOIN ['os', 'browser', 'device_type', 'language'] AS \
             dimension, [os, browser, device_type, language] AS value GROUP BY app_id, dimension, value"
        ),
    ]
}
