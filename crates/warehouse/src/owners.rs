//! Who is one person: what a device sent without a user belongs to the first user who was ever signed in
//! on it (docs/decisions/0039). Events and counts carry the numbers they came with; whose a number is by
//! now is looked up when a set of them is counted.

use uuid::Uuid;

use crate::binary::Rows;
use crate::client::Warehouse;
use crate::counting::DEVICE_OWNERS;
use crate::error::Error;
use crate::rollup_cache::{AsOf, Owners};
use crate::runtime::off_the_runtime;
use crate::versions::Versions;

/// How a statement knows whose events are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Those of the device's owner, where they carry no user.
    Owners,
    /// Of whom they say. So while it is being found out whose devices are.
    AsSent,
}

impl Whose {
    /// Events of an app, as something to select from: these columns of them, and the number of the
    /// `person` each belongs to. `app` is the placeholder of the app's id.
    pub fn events(self, app: &str, columns: &str, condition: &str) -> String {
        match self {
            Self::AsSent => {
                format!("(SELECT {columns}, person_no AS person FROM events WHERE {condition})")
            }
            Self::Owners => {
                let events = format!("(SELECT {columns}, person_no FROM events WHERE {condition})");
                self.of(app, "* EXCEPT (person_no, owner)", &events)
            }
        }
    }

    /// The same of anything that has a `person_no`.
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

    /// The condition that an event without a user is the user's whose id is the placeholder `id`.
    pub fn is_of(self, app: &str, id: &str) -> String {
        match self {
            Self::AsSent => "0".to_owned(),
            Self::Owners => format!(
                "(user_id = '' AND device_no IN (SELECT device_no FROM device_owners \
                     WHERE app_id = {app} GROUP BY device_no HAVING min(first).2 = \
                     (SELECT max((fence, no)).2 FROM identities \
                      WHERE app_id = {app} AND hash = xxHash64(concat('u', {id})))))"
            ),
        }
    }
}

/// The owner of each device of an app that has one, by the device's number.
fn owned(app: &str) -> String {
    format!(
        "(SELECT device_no AS person_no, min(first).2 AS owner FROM device_owners \
         WHERE app_id = {app} GROUP BY device_no)"
    )
}

impl Warehouse {
    /// Whether it is known whose all devices are. Until then everyone is who they said they were.
    pub fn knows_owners(&self) -> bool {
        self.schema_state().is_counted(DEVICE_OWNERS.table)
    }

    pub(crate) fn whose(&self) -> Whose {
        if self.knows_owners() { Whose::Owners } else { Whose::AsSent }
    }

    /// The owners of an app's devices, as of these versions.
    pub(crate) async fn owners(
        &self,
        app: Uuid,
        versions: &Versions,
    ) -> Result<tokio::sync::OwnedMutexGuard<Owners>, Error> {
        let mut held = self.rollup_caches().owners.of(app).lock_owned().await;
        let Some(from) = held.stale_from(app, versions) else { return Ok(held) };
        // Of those about whom something was said since, all that was ever said counts.
        let sql = format!(
            "SELECT groupArray(device_no), groupArray(owner) FROM (\
                 SELECT device_no, min(first).2 AS owner FROM device_owners \
                 WHERE app_id = '{app}' AND device_no IN (SELECT device_no FROM device_owners \
                     WHERE app_id = '{app}' AND first.1 >= toDateTime({from}, 'UTC')) \
                 GROUP BY device_no)"
        );
        let answer = self.binary(&sql).await?;
        let as_of = AsOf::new(app, versions);
        let held = off_the_runtime(move || {
            if from == 0 {
                *held = Owners::default();
            }
            let mut rows = Rows::new(&answer);
            while !rows.is_at_end() {
                let (devices, owners) = (rows.u32s()?, rows.u32s()?);
                for (device, owner) in devices.zip(owners) {
                    held.note(device, owner);
                }
            }
            held.as_of = Some(as_of);
            Ok(held)
        })
        .await?;
        self.rollup_caches().owners.make_room();
        Ok(held)
    }
}
