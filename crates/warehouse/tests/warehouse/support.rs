//! Shared by the tests: a store in a temporary folder, events generated from a seed, and their counts in
//! plain Rust.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{plain_pages, template};
use bytes::Bytes;
use serde::Deserialize;
use tempfile::TempDir;
use uuid::Uuid;
use warehouse::{
    Error, EventRow, Identity, Insert, Kind, Location, Param, SetLimits, Warehouse, event_insert,
    write_event, write_person_ids,
};

pub const ENGINE: &str = env!("CARGO_BIN_EXE_warehouse-engine");
/// A Monday, at the start of a quarter of an hour.
pub const START_MS: i64 = 1_762_732_800_000;
pub const BUCKET_MS: i64 = 900_000;

/// The engine's library: named by the environment, or where npm installed it.
pub fn library() -> PathBuf {
    if let Some(path) = std::env::var_os("ATRIUM_ENGINE_LIBRARY") {
        return path.into();
    }
    let modules = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("node_modules/@chdb"));
    for folder in modules.filter_map(|folder| std::fs::read_dir(folder).ok()) {
        for package in folder.filter_map(Result::ok) {
            let library = package.path().join("libchdb.so");
            if library.exists() {
                return library;
            }
        }
    }
    panic!("there is no libchdb.so: run npm install, or set ATRIUM_ENGINE_LIBRARY");
}

pub struct Store {
    pub warehouse: Warehouse,
    pub folder: TempDir,
}

impl Store {
    pub async fn open() -> Self {
        Self::with_memory(1024).await
    }

    pub async fn with_memory(memory_mb: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        template::copy_to(folder.path(), |folder| at(folder, memory_mb)).await;
        let warehouse = Warehouse::open(at(folder.path(), memory_mb));
        warehouse.ready(Duration::from_secs(60)).await.unwrap();
        Self { warehouse, folder }
    }

    pub async fn insert(&self, batch: u64, events: &[Event]) {
        load(&self.warehouse, batch, events).await.unwrap();
    }

    /// The id of the current engine process.
    pub fn engine_pid(&self) -> u32 {
        engine_of(self.folder.path()).expect("an engine runs")
    }
}

/// What the loader does with a batch: number its people, store it, and count its sessions.
pub async fn load(warehouse: &Warehouse, batch: u64, events: &[Event]) -> Result<(), Error> {
    know(warehouse, events).await?;
    warehouse.insert(&event_insert(batch), rows(events), Insert::default()).await?;
    let mut touched: BTreeMap<Uuid, BTreeSet<u32>> = BTreeMap::new();
    for event in events {
        touched.entry(event.app).or_default().insert(event.bucket());
    }
    warehouse.count_sessions(&touched).await
}

/// Numbers the people of these events.
pub async fn know(warehouse: &Warehouse, events: &[Event]) -> Result<(), Error> {
    let numbered: BTreeMap<Identity, u32> = events.iter().flat_map(Event::numbers).collect();
    let all: Vec<Identity> = numbered.keys().copied().collect();
    let known = warehouse.person_ids(&all).await?;
    for (identity, no) in &known {
        assert_eq!(numbered[identity], *no);
    }
    let new: Vec<_> = numbered.into_iter().filter(|(it, _)| !known.contains_key(it)).collect();
    warehouse.add_person_ids(&new, |_| 0).await
}

pub fn at(folder: &Path, memory_mb: u64) -> Location {
    Location::Embedded {
        folder: folder.to_owned(),
        library: library(),
        program: Some(ENGINE.into()),
        memory_mb,
    }
}

/// The same store twice: unchanged, and with all apps treated as large, where a set that reached this process
/// would be an error.
pub fn small_and_large(store: &Warehouse) -> [Warehouse; 2] {
    let large = store.with_set_limits(SetLimits { people: 0, answer_bytes: 0 });
    [store.clone(), large]
}

/// The engine whose working directory is this folder, which is the only trace of its folder.
pub fn engine_of(folder: &Path) -> Option<u32> {
    let folder = folder.canonicalize().ok()?;
    std::fs::read_dir("/proc").ok()?.filter_map(Result::ok).find_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let here = std::fs::read_link(entry.path().join("cwd")).ok()? == folder;
        here.then_some(pid)
    })
}

/// An event with the fields that affect the counts.
#[derive(Clone, Debug)]
pub struct Event {
    pub app: Uuid,
    pub log_id: Uuid,
    pub time_ms: i64,
    pub event: String,
    pub device_id: String,
    pub user_id: String,
    /// The owner of an event without a user, filled in by `own`.
    pub owner: String,
    pub os: &'static str,
    pub browser: &'static str,
    pub properties: String,
    pub path: String,
    pub referrer: &'static str,
}

impl Event {
    pub fn bucket(&self) -> u32 {
        u32::try_from(self.time_ms.div_euclid(BUCKET_MS) * 900).unwrap()
    }

    /// Its device and its user, if it has one, with the numbers that these tests give them.
    pub fn numbers(&self) -> Vec<(Identity, u32)> {
        let number = |name: &str| name.rsplit(' ').next().unwrap().parse::<u32>().unwrap();
        let device = Identity::of(self.app, Kind::Device, self.device_id.as_bytes());
        let mut numbers = vec![(device, number(&self.device_id) + 1)];
        if !self.user_id.is_empty() {
            let user = Identity::of(self.app, Kind::User, self.user_id.as_bytes());
            numbers.push((user, number(&self.user_id) + 1_001));
        }
        numbers
    }

    /// Who sent it, as the event itself says; the tables of counts are built from that.
    fn sent_by(&self) -> String {
        if self.user_id.is_empty() {
            format!("d {}", self.device_id)
        } else {
            format!("u {}", self.user_id)
        }
    }

    /// Who it belongs to now.
    pub fn person(&self) -> String {
        match self.owner.as_str() {
            owner if self.user_id.is_empty() && !owner.is_empty() => format!("u {owner}"),
            _ => self.sent_by(),
        }
    }
}

/// Fills in the owners of the devices: the first user of each.
pub fn own(events: &mut Vec<Event>) {
    *events = owned(events, events);
}

/// These events, with the owners that their devices have according to `ever`.
pub fn owned(events: &[Event], ever: &[Event]) -> Vec<Event> {
    let mut first: BTreeMap<(Uuid, &str), (i64, u32, &str)> = BTreeMap::new();
    for event in ever.iter().filter(|event| !event.user_id.is_empty()) {
        let user = (event.time_ms, event.numbers()[1].1, event.user_id.as_str());
        let known = first.entry((event.app, &event.device_id)).or_insert(user);
        *known = user.min(*known);
    }
    let with_owner = |event: &Event| {
        let owner = first.get(&(event.app, event.device_id.as_str()));
        let owner = owner.map_or(String::new(), |(_, _, user)| (*user).to_owned());
        Event { owner, ..event.clone() }
    };
    events.iter().map(with_owner).collect()
}

pub fn rows(events: &[Event]) -> Bytes {
    let mut body = Vec::new();
    for event in events {
        // In addition to its other properties.
        let properties = match event.referrer {
            "" => event.properties.clone(),
            referrer => {
                event.properties.replacen('{', &format!(r#"{{"referrer":"{referrer}","#), 1)
            }
        };
        let row = EventRow {
            app_id: event.app,
            time_ms: event.time_ms,
            event: &event.event,
            log_id: event.log_id,
            device_id: &event.device_id,
            user_id: &event.user_id,
            sdk_type: "js",
            sdk_version: "0.2.4",
            timezone_offset: 5.75,
            os: event.os,
            language: "en-US",
            url_path: &event.path,
            device_type: "PC",
            browser: event.browser,
            browser_version: "120.0",
            user_agent: "Mozilla/5.0",
            client_version: "1.0",
            source: "web",
            properties: &properties,
            received_ms: event.time_ms + 1000,
        };
        write_event(&row, &mut body);
        let numbers = event.numbers();
        write_person_ids(numbers[numbers.len() - 1].1, numbers[0].1, &mut body);
    }
    body.into()
}

/// A small generator of repeatable random numbers.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }
}

/// Events of some apps over some hours, some of them across the end of a month.
pub fn make_up(seed: u64, count: usize, apps: &[Uuid]) -> Vec<Event> {
    let mut dice = Dice(seed * 7919 + 1);
    (0..count)
        .map(|_| {
            let device = dice.below(200);
            let month = if dice.below(10) == 0 { 30 * 86_400_000 } else { 0 };
            let event = Event {
                app: apps[dice.below(apps.len() as u64) as usize],
                log_id: Uuid::new_v4(),
                time_ms: START_MS + month + dice.below(6 * 3_600_000) as i64,
                event: ["page_view", "button_click", "sign_up", "订阅"][dice.below(4) as usize]
                    .to_owned(),
                device_id: format!("device {device}"),
                // A third of the devices belong to users who are not always signed in, and some of those
                // devices are shared.
                user_id: match (device % 3, dice.below(6)) {
                    (1 | 2, _) | (_, 0 | 1) => String::new(),
                    (_, 2) if device.is_multiple_of(9) => format!("user {}", device / 9),
                    _ => format!("user {}", device / 2),
                },
                owner: String::new(),
                os: ["Windows", "iOS", ""][dice.below(3) as usize],
                browser: ["Chrome", "Safari"][dice.below(2) as usize],
                properties: format!(r#"{{"n":{}}}"#, dice.below(100)),
                path: String::new(),
                referrer: plain_pages::referrer(&mut dice),
            };
            let path = plain_pages::path(&mut dice, &event.device_id, &event.user_id);
            Event { path, ..event }
        })
        .collect()
}

/// Everything in the rollups, in lines that can be compared.
pub type Counts = BTreeMap<String, (u64, u64)>;

/// The expected counts, by plain counting.
pub fn counted(events: &[Event]) -> Counts {
    let mut sets: BTreeMap<String, (u64, BTreeSet<String>)> = BTreeMap::new();
    let mut add = |key: String, event: u64, who: String| {
        let entry = sets.entry(key).or_default();
        entry.0 += event;
        entry.1.insert(who);
    };
    for event in events {
        let (app, bucket) = (event.app, event.bucket());
        add(format!("total {app} {bucket}"), 1, event.sent_by());
        for (table, length) in [("15m", 900), ("30m", 1_800), ("1h", 3_600), ("4h", 14_400)] {
            let start = bucket / length * length;
            add(format!("people {table} {app} {start}"), 0, event.sent_by());
            add(format!("machines {table} {app} {start}"), 0, event.device_id.clone());
        }
        add(format!("views {app} {bucket}"), u64::from(event.event == "page_view"), String::new());
        add(format!("devices {app} {bucket}"), 1, event.device_id.clone());
        add(format!("event {app} {bucket} {}", event.event), 1, event.sent_by());
        let pieces = [("1h", 3_600), ("1d", 86_400), ("1w", 604_800)];
        let pieces = pieces.map(|(table, length)| (table, bucket / length * length));
        for (table, start) in pieces {
            add(format!("event {table} {app} {start} {}", event.event), 1, event.sent_by());
        }
        for (dimension, value) in [
            ("os", event.os),
            ("browser", event.browser),
            ("device_type", "PC"),
            ("language", "en-US"),
        ] {
            add(format!("{dimension} {app} {bucket} {value}"), 1, event.sent_by());
            for (table, start) in pieces {
                let key = format!("{dimension} {table} {app} {start} {value}");
                add(key, 1, event.sent_by());
            }
        }
    }
    let mut counts: Counts =
        sets.into_iter().map(|(key, (events, who))| (key, (events, who.len() as u64))).collect();
    for event in events {
        let time = event.time_ms as u64;
        let mut seen = |key: String| {
            let entry = counts.entry(key).or_insert((time, time));
            *entry = (entry.0.min(time), entry.1.max(time));
        };
        seen(format!("session {} {} {}", event.app, event.bucket(), event.device_id));
        seen(format!("device {} {}", event.app, event.device_id));
        if !event.user_id.is_empty() {
            seen(format!("user {} {}", event.app, event.user_id));
        }
    }
    for event in events.iter().filter(|event| !event.user_id.is_empty()) {
        let numbers = event.numbers();
        let first = (event.time_ms as u64, u64::from(numbers[1].1));
        let key = format!("owner {} {}", event.app, numbers[0].1);
        let known = counts.entry(key).or_insert(first);
        *known = first.min(*known);
    }
    plain_pages::count(events, Event::sent_by, &mut counts);
    for (app, bucket) in session_starts(events) {
        counts.entry(format!("starts {app} {bucket}")).or_default().0 += 1;
    }
    counts
}

/// The start times of sessions.
fn session_starts(events: &[Event]) -> Vec<(Uuid, u32)> {
    let mut of_device: BTreeMap<(Uuid, &str), Vec<&Event>> = BTreeMap::new();
    for event in events {
        of_device.entry((event.app, &event.device_id)).or_default().push(event);
    }
    let mut starts = Vec::new();
    for events in of_device.values_mut() {
        events.sort_by_key(|event| event.time_ms);
        let mut before = None;
        for event in events {
            if before.is_none_or(|before| event.time_ms - before > 1_800_000) {
                starts.push((event.app, event.bucket()));
            }
            before = Some(event.time_ms);
        }
    }
    starts
}

/// The counts in the rollups.
pub async fn stored(warehouse: &Warehouse) -> Counts {
    #[derive(Deserialize)]
    struct Row {
        key: String,
        a: u64,
        b: u64,
    }
    let times = "toUInt64(toUnixTimestamp64Milli(min(first))) AS a, toUInt64(toUnixTimestamp64Milli(max(last))) AS b";
    let seen = "toUInt64(toUnixTimestamp64Milli(min(first_seen))) AS a, toUInt64(toUnixTimestamp64Milli(max(last_seen))) AS b";
    let key = |name: &str| {
        format!("concat('{name} ', toString(app_id), ' ', toString(toUnixTimestamp(bucket)))")
    };
    let mut parts = vec![
        "SELECT concat('total ', toString(app_id), ' ', toString(toUnixTimestamp(bucket))) AS key, \
         sum(events) AS a, groupBitmapMerge(people) AS b FROM totals_15m GROUP BY app_id, bucket".to_owned(),
        "SELECT concat('views ', toString(app_id), ' ', toString(toUnixTimestamp(bucket))) AS key, \
         sum(page_views) AS a, 1 AS b FROM totals_15m GROUP BY app_id, bucket".to_owned(),
        "SELECT concat('devices ', toString(app_id), ' ', toString(toUnixTimestamp(bucket))) AS key, \
         sum(events) AS a, groupBitmapMerge(machines) AS b FROM totals_15m GROUP BY app_id, bucket".to_owned(),
        "SELECT concat('event ', toString(app_id), ' ', toString(toUnixTimestamp(bucket)), ' ', event) AS key, \
         sum(events) AS a, groupBitmapMerge(people) AS b FROM events_15m GROUP BY app_id, bucket, event".to_owned(),
        "SELECT concat(dimension, ' ', toString(app_id), ' ', toString(toUnixTimestamp(bucket)), ' ', value) AS key, \
         sum(events) AS a, groupBitmapMerge(people) AS b FROM breakdowns_15m GROUP BY app_id, dimension, bucket, value".to_owned(),
        format!(
            "SELECT concat('session ', toString(app_id), ' ', toString(toUnixTimestamp(bucket)), ' ', any(device_id)) AS key, \
             {times} FROM sessions_15m INNER JOIN (SELECT DISTINCT device_id, cityHash64(device_id) AS device FROM devices) AS d \
             USING (device) GROUP BY app_id, bucket, device"
        ),
        format!("SELECT concat('device ', toString(app_id), ' ', device_id) AS key, {seen} FROM devices GROUP BY app_id, device_id"),
        format!("SELECT concat('user ', toString(app_id), ' ', user_id) AS key, {seen} FROM users GROUP BY app_id, user_id"),
    ];
    parts.push(
        "SELECT concat('owner ', toString(app_id), ' ', toString(device_no)) AS key, \
         toUInt64(toUnixTimestamp64Milli(min(first).1)) AS a, toUInt64(min(first).2) AS b \
         FROM device_owners GROUP BY app_id, device_no"
            .to_owned(),
    );
    for table in ["15m", "30m", "1h", "4h"] {
        for column in ["people", "machines"] {
            parts.push(format!(
                "SELECT {} AS key, 0 AS a, groupBitmapMerge({column}) AS b FROM totals_{table} \
                 GROUP BY app_id, bucket",
                key(&format!("{column} {table}"))
            ));
        }
    }
    for table in ["1h", "1d", "1w"] {
        parts.push(format!(
            "SELECT concat({}, ' ', event) AS key, sum(events) AS a, groupBitmapMerge(people) AS b \
             FROM events_{table} GROUP BY app_id, bucket, event",
            key(&format!("event {table}"))
        ));
        parts.push(format!(
            "SELECT concat(dimension, {}, ' ', value) AS key, sum(events) AS a, \
             groupBitmapMerge(people) AS b FROM breakdowns_{table} \
             GROUP BY app_id, dimension, bucket, value",
            key(&format!(" {table}"))
        ));
    }
    parts.push(format!(
        "SELECT {} AS key, toUInt64(sum(starts)) AS a, 0 AS b FROM session_starts FINAL \
         WHERE starts > 0 GROUP BY app_id, bucket",
        key("starts")
    ));
    parts.extend(plain_pages::statements());
    let mut counts = Counts::new();
    for sql in parts {
        for row in warehouse.query::<Row>(&sql, &[]).await.unwrap() {
            counts.insert(row.key, (row.a, row.b));
        }
    }
    counts
}

/// Compares both, and shows the differences.
pub fn same(stored: &Counts, expected: &Counts) {
    let differ: Vec<String> = stored
        .keys()
        .chain(expected.keys())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .filter(|key| stored.get(*key) != expected.get(*key))
        .map(|key| format!("{key}: stored {:?}, expected {:?}", stored.get(key), expected.get(key)))
        .take(10)
        .collect();
    assert!(differ.is_empty(), "{} of {} differ: {differ:#?}", differ.len(), expected.len());
}

/// The first number of the first row.
pub async fn number(warehouse: &Warehouse, sql: &str, params: &[(&str, Param)]) -> u64 {
    #[derive(Deserialize)]
    struct Row {
        n: u64,
    }
    let rows: Vec<Row> = warehouse.query(sql, params).await.unwrap();
    rows[0].n
}
