//! The erasure of one device or user. It has taken effect when the call returns, and can be run again
//! after a crash at any point. The caller keeps the app's loader away for the time of the call.

use serde::Deserialize;
use uuid::Uuid;

use crate::call::Call;
use crate::client::Warehouse;
use crate::counting::DEVICE_OWNERS;
use crate::error::Error;
use crate::identities::Identity;
use crate::params::Param;
use crate::rows::Kind;
use crate::upkeep::LIMIT;

/// Devices that one statement is about.
const DEVICES_AT_ONCE: usize = 2_000;

#[derive(Deserialize)]
struct Device {
    no: u32,
    hash: u64,
}

/// Whom it is about.
struct Subject<'a> {
    app: Uuid,
    kind: Kind,
    id: &'a str,
    /// What events and owners know them by; 0 where they have no number, which is nobody's.
    number: u32,
}

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

    /// Their own events.
    fn events(&self) -> &'static str {
        match self.kind {
            Kind::Device => "app_id = {app:UUID} AND device_id = {id:String}",
            Kind::User => "app_id = {app:UUID} AND user_id = {id:String}",
        }
    }

    /// And what was sent without a user from devices that are theirs: as many conditions as statements
    /// can hold. The numbers are written out, because a statement that deletes looks at no other table.
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
    /// Removes all that is stored about one device or user, and says how many events that were.
    /// A user's events go wherever they happened, and with them what their devices sent before anyone
    /// was signed in on them; those of other users on the same device stay, and a device that nothing is
    /// left of goes. The ids of the messages stay for their week, so that none of them comes back.
    pub async fn erase(&self, app: Uuid, kind: Kind, id: &str) -> Result<u64, Error> {
        let identity = Identity::of(app, kind, id.as_bytes());
        let numbers = self.person_ids(&[identity]).await?;
        let number = numbers.get(&identity).copied().unwrap_or(0);
        let subject = &Subject { app, kind, id, number };
        let removed = self.on_every_shard(|shard| async move { shard.erase_here(subject).await });
        let removed = removed.await?.into_iter().sum();
        // When no shard needs the number any more: it is known in one place, and a call that was cut
        // off has to find it.
        self.on_every_shard(|shard| async move { shard.forget_here(subject).await }).await?;
        Ok(removed)
    }

    async fn erase_here(&self, subject: &Subject<'_>) -> Result<u64, Error> {
        let params = subject.params();
        let owned = self.owned_by(subject).await?;
        let all_events = subject.all_events(&owned);
        // Which counts are touched is written down first: once the events are gone, nothing else
        // says so, and a call that was cut off must find it again.
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
        self.wipe(&["events", "devices", "users", "device_owners"]).await?;
        Ok(removed)
    }

    async fn erase_device(&self, subject: &Subject<'_>) -> Result<(), Error> {
        self.delete("devices", subject.events(), &subject.params()).await?;
        let params = [("app", subject.app.into()), ("hash", subject.hash().into())];
        let own = "app_id = {app:UUID} AND hash = {hash:UInt64}";
        self.delete("device_owners", own, &params).await.map(drop)
    }

    /// And the devices that were theirs: those that nothing is left of go, the others become whoever
    /// else's was signed in on them first.
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
            // Last: by them a call that was cut off finds the devices again.
            let owners = format!("app_id = {{app:UUID}} AND device_no IN ({})", list(some));
            self.delete("device_owners", &owners, &app).await?;
        }
        // Whatever has no owner although somebody was signed in on it: also after a call was cut off.
        let ownerless = "app_id = {app:UUID} AND user_id != '' AND device_no NOT IN \
            (SELECT device_no FROM device_owners WHERE app_id = {app:UUID})";
        self.fill(&DEVICE_OWNERS.fill_from_rows(ownerless), &app).await?;
        self.delete("users", subject.events(), &subject.params()).await.map(drop)
    }

    /// Those of some devices that have no events.
    async fn without_events(&self, app: Uuid, devices: &[u32]) -> Result<Vec<Device>, Error> {
        let numbers = list(devices);
        let sql = format!(
            "SELECT no, any(xxHash64(concat('d', device_id))) AS hash FROM devices \
             WHERE app_id = {{app:UUID}} AND no IN ({numbers}) AND no NOT IN (SELECT device_no \
             FROM events WHERE app_id = {{app:UUID}} AND device_no IN ({numbers})) GROUP BY no"
        );
        self.patient(LIMIT).query(&sql, &[("app", app.into())]).await
    }

    /// The devices that are theirs; none of a device, or of somebody without a number.
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

    /// Removes what is stored under their name.
    async fn forget_here(&self, subject: &Subject<'_>) -> Result<(), Error> {
        let number = [("app", subject.app.into()), ("hash", subject.hash().into())];
        self.delete("identities", "app_id = {app:UUID} AND hash = {hash:UInt64}", &number).await?;
        for table in ["mutations", "profiles", "erasures"] {
            self.delete(table, WHOLE, &subject.params()).await?;
        }
        self.wipe(&["identities", "mutations", "profiles", "erasures"]).await
    }
}
