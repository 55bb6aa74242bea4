//! Erases one device or user. The erasure has taken effect when the call returns, and can be repeated
//! after a crash at any point. The caller keeps the app's loader from running during the call.

use serde::Deserialize;
use uuid::Uuid;

use crate::call::Call;
use crate::client::Warehouse;
use crate::counting::DEVICE_OWNERS;
use crate::error::Error;
use crate::identities::Identity;
use crate::params::Param;
use crate::rows::Kind;
use crate::upkeep::{LIMIT, PAGES};

/// How many devices one statement covers.
const DEVICES_AT_ONCE: usize = 2_000;

#[derive(Deserialize)]
struct Device {
    no: u32,
    hash: u64,
}

/// The device or user to erase.
struct Subject<'a> {
    app: Uuid,
    kind: Kind,
    id: &'a str,
    /// Their number in events and owners; 0, which is never assigned, if they have none.
    number: u32,
}

/// The tables with somebody's id, besides `PAGES`.
const WITH_IDS: &[&str] = &[
    "events",
    "devices",
    "users",
    "device_owners",
    "identities",
    "mutations",
    "profiles",
    "erasures",
];

const WHOLE: &str = "app_id = {app:UUID} AND kind = {kind:String} AND id = {id:String}";

impl Subject<'_> {
    fn params(&self) -> Vec<(&'static str, Param)> {
        vec![
            ("app", self.app.into()),
            ("kind", self.kind.as_str().into()),
            ("id", self.id.into()),
            ("number", u64::from(self.number).into()),
        ]
    }

    fn hash(&self) -> u64 {
        Identity::of(self.app, self.kind, self.id.as_bytes()).hash()
    }

    /// A condition for their own events.
    fn events(&self) -> &'static str {
        match self.kind {
            Kind::Device => "app_id = {app:UUID} AND device_id = {id:String}",
            Kind::User => "app_id = {app:UUID} AND user_id = {id:String}",
        }
    }

    /// Conditions for their own events and for what devices they own sent without a user, split so that
    /// each statement stays small enough. The numbers are written out because a DELETE cannot read other
    /// tables.
    fn all_events(&self, owned: &[u32]) -> Vec<String> {
        let of_devices = owned.chunks(DEVICES_AT_ONCE).map(|some| {
            format!("app_id = {{app:UUID}} AND user_id = '' AND device_no IN ({})", list(some))
        });
        std::iter::once(self.events().to_owned()).chain(of_devices).collect()
    }
}

fn list(numbers: &[impl ToString]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl Warehouse {
    /// Removes everything that is stored about one device or user, and returns how many events that was.
    /// A user's events are removed on every device, together with what their devices sent before anyone
    /// was signed in on them. Events of other users on the same devices stay, and a device without any
    /// events left is removed. The message ids are kept for their week, so that no message is accepted
    /// again.
    pub async fn erase(&self, app: Uuid, kind: Kind, id: &str) -> Result<u64, Error> {
        let identity = Identity::of(app, kind, id.as_bytes());
        let numbers = self.person_ids(&[identity]).await?;
        let number = numbers.get(&identity).copied().unwrap_or(0);
        let subject = &Subject { app, kind, id, number };
        let removed = self.on_every_shard(|shard| async move { shard.erase_here(subject).await });
        let removed = removed.await?.into_iter().sum();
        // Only when no shard needs the number anymore: it is stored in one place, and a repeated call
        // after an interruption has to find it.
        self.on_every_shard(|shard| async move { shard.forget_here(subject).await }).await?;
        Ok(removed)
    }

    async fn erase_here(&self, subject: &Subject<'_>) -> Result<u64, Error> {
        let params = subject.params();
        let owned = self.owned_by(subject).await?;
        let all_events = subject.all_events(&owned);
        // The affected counts are recorded first: once the events are gone nothing else tells which they
        // were, and a repeated call has to find them.
        for events in &all_events {
            let note = format!(
                "INSERT INTO erasures (app_id, kind, id, bucket) SELECT DISTINCT {{app:UUID}}, \
                 {{kind:String}}, {{id:String}}, toStartOfFifteenMinutes(toDateTime(time, 'UTC')) \
                 FROM events WHERE {events}"
            );
            self.call(Call::new(&note, &params, LIMIT).never_a_duplicate()).await?;
        }

        #[derive(Deserialize)]
        struct Row {
            bucket: u32,
        }
        let touched = format!(
            "SELECT DISTINCT toUnixTimestamp(bucket) AS bucket FROM erasures WHERE {WHOLE}"
        );
        let touched: Vec<Row> = self.patient(LIMIT).query(&touched, &params).await?;
        let mut removed = 0;
        for events in &all_events {
            removed += self.delete("events", events, &params).await?;
        }
        let buckets: Vec<u32> = touched.iter().map(|row| row.bucket).collect();
        self.rebuild_here(subject.app, &buckets).await?;
        match subject.kind {
            Kind::Device => self.erase_device(subject).await?,
            Kind::User => self.erase_user(subject, &owned).await?,
        }
        Ok(removed)
    }

    async fn erase_device(&self, subject: &Subject<'_>) -> Result<(), Error> {
        self.delete("devices", subject.events(), &subject.params()).await?;
        let params = [("app", subject.app.into()), ("hash", subject.hash().into())];
        let own = "app_id = {app:UUID} AND hash = {hash:UInt64}";
        self.delete("device_owners", own, &params).await.map(drop)
    }

    /// Also handles the devices they owned: those without any events left are removed, and the others go
    /// to the next user who was signed in on them.
    async fn erase_user(&self, subject: &Subject<'_>, owned: &[u32]) -> Result<(), Error> {
        let app = [("app", Param::from(subject.app))];
        for some in owned.chunks(DEVICES_AT_ONCE) {
            let gone = self.without_events(subject.app, some).await?;
            if !gone.is_empty() {
                let (numbers, hashes): (Vec<u32>, Vec<u64>) =
                    gone.into_iter().map(|device| (device.no, device.hash)).unzip();
                let hashes = list(&hashes);
                let theirs = format!(
                    "app_id = {{app:UUID}} AND kind = 'device' \
                     AND xxHash64(concat('d', id)) IN ({hashes})"
                );
                self.delete("mutations", &theirs, &app).await?;
                self.delete("profiles", &theirs, &app).await?;
                let theirs = format!("app_id = {{app:UUID}} AND hash IN ({hashes})");
                self.delete("identities", &theirs, &app).await?;
                let theirs = format!("app_id = {{app:UUID}} AND no IN ({})", list(&numbers));
                self.delete("devices", &theirs, &app).await?;
            }
            // Last, because a repeated call finds the devices by these rows.
            let owners = format!("app_id = {{app:UUID}} AND device_no IN ({})", list(some));
            self.delete("device_owners", &owners, &app).await?;
        }
        // Assigns owners to all devices that have none although a user was signed in on them, including
        // those left by an interrupted call.
        let ownerless = "app_id = {app:UUID} AND user_id != '' AND device_no NOT IN \
            (SELECT device_no FROM device_owners WHERE app_id = {app:UUID})";
        self.fill(&DEVICE_OWNERS.fill_from_rows(ownerless), &app).await?;
        self.delete("users", subject.events(), &subject.params()).await.map(drop)
    }

    /// Those of these devices that have no events.
    async fn without_events(&self, app: Uuid, devices: &[u32]) -> Result<Vec<Device>, Error> {
        let numbers = list(devices);
        let sql = format!(
            "SELECT no, any(xxHash64(concat('d', device_id))) AS hash FROM devices \
             WHERE app_id = {{app:UUID}} AND no IN ({numbers}) AND no NOT IN (SELECT device_no \
             FROM events WHERE app_id = {{app:UUID}} AND device_no IN ({numbers})) GROUP BY no"
        );
        self.patient(LIMIT).query(&sql, &[("app", app.into())]).await
    }

    /// The devices that a user owns; none for a device, or for a user without a number.
    async fn owned_by(&self, subject: &Subject<'_>) -> Result<Vec<u32>, Error> {
        if subject.kind == Kind::Device || subject.number == 0 {
            return Ok(Vec::new());
        }
        #[derive(Deserialize)]
        struct Row {
            device_no: u32,
        }
        let sql = "SELECT device_no FROM device_owners WHERE app_id = {app:UUID} \
                   GROUP BY device_no HAVING min(first).2 = {number:UInt32}";
        let rows: Vec<Row> = self.patient(LIMIT).query(sql, &subject.params()).await?;
        Ok(rows.into_iter().map(|row| row.device_no).collect())
    }

    /// Removes what is stored under their id.
    async fn forget_here(&self, subject: &Subject<'_>) -> Result<(), Error> {
        let number = [("app", subject.app.into()), ("hash", subject.hash().into())];
        self.delete("identities", "app_id = {app:UUID} AND hash = {hash:UInt64}", &number).await?;
        for table in ["mutations", "profiles", "erasures"] {
            self.delete(table, WHOLE, &subject.params()).await?;
        }
        // At the very end: the deletes above would wait for the rewriting of events.
        self.wipe(WITH_IDS).await?;
        self.wipe(PAGES).await
    }
}
