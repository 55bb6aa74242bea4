//! Old events that the collector would refuse, stored the way the loader stores them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use uuid::Uuid;
use warehouse::{EventRow, Identity, Insert, Kind, event_insert, write_event, write_person_ids};

use super::TestServer;

impl TestServer {
    /// Numbers the people of the events, stores them as one load, and counts their sessions.
    pub async fn store_events(&self, batch: u64, rows: &[EventRow<'_>]) {
        let store = &self.atrium.warehouse;
        store.ready(Duration::from_secs(60)).await.unwrap();
        let people: Vec<(Identity, Identity)> = rows.iter().map(people).collect();
        let all: BTreeSet<Identity> = people.iter().flat_map(|(a, b)| [*a, *b]).collect();
        let mut numbers = store.person_ids(&Vec::from_iter(all.iter().copied())).await.unwrap();
        let apps: BTreeSet<Uuid> = rows.iter().map(|row| row.app_id).collect();
        let mut last = BTreeMap::new();
        for app in apps {
            last.insert(app, store.last_number(app).await.unwrap());
        }
        let mut new = Vec::new();
        for identity in all.into_iter().filter(|identity| !numbers.contains_key(identity)) {
            let last = last.get_mut(&identity.app).unwrap();
            *last += 1;
            new.push((identity, *last));
        }
        store.add_person_ids(&new, |_| 0).await.unwrap();
        numbers.extend(new);
        let mut body = Vec::new();
        let mut touched: BTreeMap<Uuid, BTreeSet<u32>> = BTreeMap::new();
        for (row, (person, device)) in rows.iter().zip(people) {
            write_event(row, &mut body);
            write_person_ids(numbers[&person], numbers[&device], &mut body);
            let quarter = u32::try_from(row.time_ms / 900_000 * 900).unwrap();
            touched.entry(row.app_id).or_default().insert(quarter);
        }
        store.insert(&event_insert(batch), body.into(), Insert::default()).await.unwrap();
        store.count_sessions(&touched).await.unwrap();
    }
}

/// The person and the device of an event.
fn people(row: &EventRow<'_>) -> (Identity, Identity) {
    let device = Identity::of(row.app_id, Kind::Device, row.device_id.as_bytes());
    match row.user_id {
        "" => (device, device),
        user => (Identity::of(row.app_id, Kind::User, user.as_bytes()), device),
    }
}
