//! The parts of migrations that plain SQL files cannot express: counts of events stored earlier. Every
//! step can be repeated after a crash.

use std::time::Duration;

use serde::Deserialize;
use uuid::Uuid;

use crate::client::Warehouse;
use crate::error::Error;
use crate::identities::{DEVICE_HASH, USER_HASH};

const LIMIT: Duration = Duration::from_secs(600);

/// Numbers all people and devices in existing rows, and rebuilds the counts made from those numbers.
pub(crate) async fn number_people(warehouse: &Warehouse) -> Result<(), Error> {
    #[derive(Deserialize)]
    struct Bucket {
        bucket: u32,
    }
    let patient = warehouse.patient(LIMIT);
    for app_id in apps(&patient).await? {
        tracing::info!(app = %app_id, "numbering the people of an app; this takes a while");
        let params = [("app", app_id.into())];
        patient.fill(&numbering(), &params).await?;
        // Devices are kept longer than their events.
        patient.fill(NUMBERED_DEVICES, &params).await?;
        let buckets = "SELECT DISTINCT toUnixTimestamp(bucket) AS bucket FROM totals_15m \
                       WHERE app_id = {app:UUID}";
        let buckets: Vec<Bucket> = patient.query(buckets, &params).await?;
        let buckets: Vec<u32> = buckets.into_iter().map(|row| row.bucket).collect();
        warehouse.rebuild_here(app_id, &buckets).await?;
    }
    Ok(())
}

async fn apps(warehouse: &Warehouse) -> Result<Vec<Uuid>, Error> {
    #[derive(Deserialize)]
    struct App {
        app_id: Uuid,
    }
    let sql = "SELECT app_id FROM devices GROUP BY app_id ORDER BY app_id";
    let apps: Vec<App> = warehouse.query(sql, &[]).await?;
    Ok(apps.into_iter().map(|app| app.app_id).collect())
}

/// Assigns a number to every device and user without one.
fn numbering() -> String {
    format!(
        "INSERT INTO identities (app_id, hash, no) SELECT {{app:UUID}}, hash, (SELECT max(no) \
         FROM identities WHERE app_id = {{app:UUID}}) + row_number() OVER (ORDER BY hash) FROM \
         (SELECT DISTINCT hash FROM (SELECT {DEVICE_HASH} AS hash FROM devices WHERE app_id = \
         {{app:UUID}} UNION ALL SELECT {USER_HASH} AS hash FROM users WHERE app_id = \
         {{app:UUID}})) WHERE hash NOT IN (SELECT hash FROM identities WHERE app_id = {{app:UUID}})"
    )
}

const NUMBERED_DEVICES: &str = "INSERT INTO devices (app_id, device_id, first_seen, last_seen, no) \
    SELECT app_id, device_id, first_seen, last_seen, i.no \
    FROM (SELECT app_id, device_id, min(first_seen) AS first_seen, max(last_seen) AS last_seen, \
            xxHash64(concat('d', device_id)) AS hash \
        FROM devices WHERE app_id = {app:UUID} GROUP BY app_id, device_id) AS d \
    ANY INNER JOIN (SELECT hash, no FROM identities WHERE app_id = {app:UUID}) AS i USING (hash)";
