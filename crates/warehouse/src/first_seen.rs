//! When each device of an app was first seen, even if it was erased since. Kept in memory: devices are
//! numbered from 1 on, so a list of times is enough, and when later loads touch a day only that day is
//! read again. For large apps the store counts them (`joined`).

use std::collections::HashMap;

use futures_util::future::try_join_all;
use tokio::sync::OwnedMutexGuard;
use uuid::Uuid;

use crate::app_size::BySize;
use crate::binary::Rows;
use crate::buckets::QUARTER;
use crate::client::Warehouse;
use crate::error::Error;
use crate::params::literals;
use crate::rollup_cache::{AsOf, FirstSeen};
use crate::runtime::off_the_runtime;
use crate::versions::Versions;

/// The locked lists of several apps.
type Held = HashMap<Uuid, OwnedMutexGuard<FirstSeen>>;

impl Warehouse {
    /// How many devices were new, for each app, in each of the buckets that start at the cuts.
    pub(crate) async fn first_seen(
        &self,
        by_size: &BySize,
        cuts: &[u32],
        versions: &Versions,
    ) -> Result<Vec<Vec<u64>>, Error> {
        let large = by_size.large.iter().map(|app| self.joined_first_seen(*app, cuts, versions));
        let (small, large) =
            tokio::try_join!(self.listed(&by_size.small, cuts, versions), try_join_all(large))?;
        Ok([small, large].concat())
    }

    async fn listed(
        &self,
        apps: &[Uuid],
        cuts: &[u32],
        versions: &Versions,
    ) -> Result<Vec<Vec<u64>>, Error> {
        let held = self.held(apps, versions).await?;
        let of_app = |app| {
            let first_seen = held.get(app);
            let counts =
                cuts.windows(2).map(|pair| first_seen.map_or(0, |it| it.between(pair[0], pair[1])));
            counts.collect()
        };
        Ok(apps.iter().map(of_app).collect())
    }

    async fn held(&self, apps: &[Uuid], versions: &Versions) -> Result<Held, Error> {
        // All in the same order, so that there is no deadlock.
        let mut apps = apps.to_vec();
        apps.sort_unstable();
        apps.dedup();
        let mut held = Held::new();
        for app in apps {
            held.insert(app, self.rollup_caches().first_seen.of(app).lock_owned().await);
        }
        let stale: Vec<(Uuid, u32)> = held
            .iter()
            .filter_map(|(app, first_seen)| Some((*app, first_seen.stale_from(*app, versions)?)))
            .collect();
        let Some(from) = stale.iter().map(|(_, from)| *from).min() else { return Ok(held) };
        let sql = format!(
            "SELECT app_id, groupArray(no), groupArray(toUInt32(toUnixTimestamp(first_seen))) \
             FROM devices WHERE app_id IN ({}) AND no > 0 \
                 AND first_seen >= toDateTime({from}, 'UTC') GROUP BY app_id",
            literals(stale.iter().map(|(app, _)| *app))
        );
        let answer = self.binary(&sql).await?;
        let versions = versions.clone();
        let held = off_the_runtime(move || {
            for (app, from) in &stale {
                if *from == 0
                    && let Some(first_seen) = held.get_mut(app)
                {
                    **first_seen = FirstSeen::default();
                }
            }
            read(&answer, &mut held)?;
            for (app, _) in stale {
                if let Some(first_seen) = held.get_mut(&app) {
                    first_seen.as_of = Some(AsOf::new(app, &versions));
                }
            }
            Ok(held)
        })
        .await?;
        self.rollup_caches().first_seen.make_room();
        Ok(held)
    }
}

fn read(answer: &[u8], held: &mut Held) -> Result<(), Error> {
    let mut rows = Rows::new(answer);
    while !rows.is_at_end() {
        let app = rows.uuid()?;
        let (numbers, moments) = (rows.u32s()?, rows.u32s()?);
        if let Some(first_seen) = held.get_mut(&app) {
            for (number, moment) in numbers.zip(moments) {
                first_seen.note(number, moment / QUARTER);
            }
        }
    }
    Ok(())
}
