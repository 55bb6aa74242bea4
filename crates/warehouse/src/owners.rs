//! Decides which events belong to one person: events that a device sent without a user belong to the
//! first user who was ever signed in on it (docs/decisions/0039). Events and counts keep the numbers
//! they were stored with; a device's current owner is looked up when a set of numbers is counted.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;
use uuid::Uuid;

use crate::binary::Rows;
use crate::client::Warehouse;
use crate::counting::DEVICE_OWNERS;
use crate::error::Error;
use crate::params::literals;
use crate::rollup_cache::{AsOf, Owners};
use crate::runtime::off_the_runtime;
use crate::versions::Versions;

/// How a statement finds the person of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// An event without a user belongs to the device's owner.
    Owners,
    /// An event belongs to the number stored with it. Used until the owners of devices have been
    /// counted.
    AsSent,
}

impl Whose {
    /// A subquery for events of an app with these columns and the number of the event's `person`. `app`
    /// is the placeholder of the app's id.
    pub fn events(self, app: &str, columns: &str, condition: &str) -> String {
        self.events_from("events", app, columns, condition)
    }

    /// The same for events that are joined with something.
    pub fn events_from(self, from: &str, app: &str, columns: &str, condition: &str) -> String {
        match self {
            Self::AsSent => {
                format!("(SELECT {columns}, person_no AS person FROM {from} WHERE {condition})")
            }
            Self::Owners => {
                let events = format!("(SELECT {columns}, person_no FROM {from} WHERE {condition})");
                self.of(app, "* EXCEPT (person_no, owner)", &events)
            }
        }
    }

    /// The same for any rows with a `person_no`.
    pub fn of(self, app: &str, columns: &str, rows: &str) -> String {
        match self {
            Self::AsSent => format!("(SELECT {columns}, person_no AS person FROM {rows})"),
            Self::Owners => format!(
                "(SELECT {columns}, if(owner > 0, owner, person_no) AS person \
                 FROM {rows} AS numbered ANY LEFT JOIN {} AS owned USING (person_no))",
                owned(app)
            ),
        }
    }

    /// A condition for events without a user that belong to the user whose id is in the placeholder
    /// `id`.
    pub fn is_of(self, app: &str, id: &str) -> String {
        match self {
            Self::AsSent => "0".to_owned(),
            Self::Owners => {
                format!("(user_id = '' AND device_no IN {})", self.devices_of(app, id))
            }
        }
    }

    /// The numbers of the devices that a user owns.
    pub fn devices_of(self, app: &str, id: &str) -> String {
        format!(
            "(SELECT device_no FROM device_owners WHERE app_id = {app} GROUP BY device_no \
             HAVING min(first).2 = (SELECT max((fence, no)).2 FROM identities \
                 WHERE app_id = {app} AND hash = xxHash64(concat('u', {id}))))"
        )
    }
}

/// The owner of each device of an app that has one, by the device's number.
pub(crate) fn owned(app: &str) -> String {
    format!(
        "(SELECT device_no AS person_no, min(first).2 AS owner FROM device_owners \
         WHERE app_id = {app} GROUP BY device_no)"
    )
}

impl Warehouse {
    /// Whether the owners of all devices have been counted. Until then `AsSent` applies.
    pub fn knows_owners(&self) -> bool {
        self.schema_state().is_counted(DEVICE_OWNERS.table)
    }

    pub(crate) fn whose(&self) -> Whose {
        if self.knows_owners() { Whose::Owners } else { Whose::AsSent }
    }

    /// Like `whose`, for one app: `Owners` only if the app has any, because looking them up costs
    /// something.
    pub(crate) async fn whose_of(&self, app: Uuid) -> Result<Whose, Error> {
        if !self.knows_owners() {
            return Ok(Whose::AsSent);
        }
        let sql = "SELECT 1 AS one FROM device_owners WHERE app_id = {app:UUID} LIMIT 1";
        let found = self.query::<serde_json::Value>(sql, &[("app", app.into())]).await?;
        Ok(if found.is_empty() { Whose::AsSent } else { Whose::Owners })
    }

    /// The owners of an app's devices: as of the versions that the question is about, else read anew.
    pub(crate) async fn current_owners(&self, app: Uuid) -> Result<Arc<Owners>, Error> {
        if let Some(versions) = self.versions() {
            // Outside the caller's turn: the app's dashboard may be waiting for the same owners.
            let mut cached = Box::pin(self.without_gate().owners(&[app], versions)).await?;
            return Ok(cached.pop().unwrap_or_default());
        }
        let mut owners = Owners::default();
        if self.knows_owners() {
            let sql = format!(
                "SELECT groupArray(person_no), groupArray(owner) FROM {}",
                owned(&format!("toUUID('{app}')"))
            );
            let answer = self.binary(&sql).await?;
            let mut rows = Rows::new(&answer);
            while !rows.is_at_end() {
                let (devices, of_devices) = (rows.u32s()?, rows.u32s()?);
                devices.zip(of_devices).for_each(|(device, owner)| owners.note(device, owner));
            }
        }
        Ok(Arc::new(owners))
    }

    /// The owners of each app's devices, as of these versions.
    pub(crate) async fn owners(
        &self,
        apps: &[Uuid],
        versions: &Versions,
    ) -> Result<Vec<Arc<Owners>>, Error> {
        if !self.knows_owners() {
            return Ok(vec![Arc::default(); apps.len()]);
        }
        // All in the same order, so that there is no deadlock.
        let mut ordered = apps.to_vec();
        ordered.sort_unstable();
        ordered.dedup();
        let mut held = Held::new();
        for app in ordered {
            held.insert(app, self.rollup_caches().owners.of(app).lock_owned().await);
        }
        let stale: Vec<(Uuid, u32)> = held
            .iter()
            .filter_map(|(app, owners)| Some((*app, owners.stale_from(*app, versions)?)))
            .collect();
        if !stale.is_empty() {
            let answer = self.binary(&news(&stale)).await?;
            let versions = versions.clone();
            held = off_the_runtime(move || read(&answer, held, &stale, &versions)).await?;
        }
        let owners =
            apps.iter().map(|app| held.get(app).map_or_else(Arc::default, |it| (**it).clone()));
        let owners = owners.collect();
        drop(held);
        self.rollup_caches().owners.make_room();
        Ok(owners)
    }
}

/// The locked owners of several apps.
type Held = HashMap<Uuid, OwnedMutexGuard<Arc<Owners>>>;

/// Reads the owners of devices with new rows since they were last read. For these devices all rows
/// count, old ones too.
fn news(stale: &[(Uuid, u32)]) -> String {
    let since: Vec<String> = stale
        .iter()
        .map(|(app, from)| format!("(app_id = '{app}' AND first.1 >= toDateTime({from}, 'UTC'))"))
        .collect();
    let (apps, since) = (literals(stale.iter().map(|(app, _)| *app)), since.join(" OR "));
    format!(
        "SELECT app_id, groupArray(device_no), groupArray(owner) FROM (\
             SELECT app_id, device_no, min(first).2 AS owner FROM device_owners \
             WHERE app_id IN ({apps}) AND (app_id, device_no) IN (\
                 SELECT app_id, device_no FROM device_owners WHERE app_id IN ({apps}) AND ({since})) \
             GROUP BY app_id, device_no) GROUP BY app_id"
    )
}

fn read(
    answer: &[u8],
    mut held: Held,
    stale: &[(Uuid, u32)],
    versions: &Versions,
) -> Result<Held, Error> {
    for (app, from) in stale {
        if *from == 0
            && let Some(owners) = held.get_mut(app)
        {
            **owners = Arc::default();
        }
    }
    let mut rows = Rows::new(answer);
    while !rows.is_at_end() {
        let app = rows.uuid()?;
        let (devices, of_devices) = (rows.u32s()?, rows.u32s()?);
        if let Some(owners) = held.get_mut(&app) {
            let owners = Arc::make_mut(owners);
            devices.zip(of_devices).for_each(|(device, owner)| owners.note(device, owner));
        }
    }
    for (app, _) in stale {
        if let Some(owners) = held.get_mut(app) {
            Arc::make_mut(owners).as_of = Some(AsOf::new(*app, versions));
        }
    }
    Ok(held)
}
