//! Decides which apps' sets of people are joined in this process and which in the store: by how many
//! people an app has, and by how long an earlier answer was.

use std::collections::HashMap;

use serde::Deserialize;
use uuid::Uuid;

use crate::client::Warehouse;
use crate::error::Error;
use crate::params::literals;
use crate::rollup_cache::AppSizes;

/// An app and how many people it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AppSize {
    pub id: Uuid,
    /// The highest person number in the app. A set of people takes at most an eighth as many bytes.
    pub people: u32,
}

/// The apps of a question.
pub(crate) struct BySize {
    /// Apps whose sets are joined in this process.
    pub small: Vec<Uuid>,
    pub large: Vec<AppSize>,
}

impl BySize {
    fn new(apps: &[AppSize], is_large: impl Fn(&AppSize) -> bool) -> Self {
        let (large, small): (Vec<AppSize>, Vec<_>) = apps.iter().partition(|app| is_large(app));
        Self { small: small.into_iter().map(|app| app.id).collect(), large }
    }

    /// The small ones, then the large ones.
    pub fn all(&self) -> Vec<Uuid> {
        self.small.iter().copied().chain(self.large.iter().map(|app| app.id)).collect()
    }
}

/// A question that is asked again if the sets of its small apps make the answer too long: then the store
/// joins those too.
pub(crate) struct Attempt<'a> {
    sizes: &'a AppSizes,
    apps: Vec<AppSize>,
    /// The length of the time range it covers.
    seconds: u32,
    pub by_size: BySize,
}

impl Attempt<'_> {
    /// Fails unless asking again helps. That the answer was too long is remembered, so that the next
    /// question starts with what worked.
    pub fn failed(&mut self, error: Error) -> Result<(), Error> {
        if !error.is_too_large() || self.by_size.small.is_empty() {
            return Err(error);
        }
        let apps: Vec<Uuid> = self.apps.iter().map(|app| app.id).collect();
        self.sizes.note_crowd(&apps, self.seconds);
        self.by_size = BySize::new(&self.apps, |_| true);
        Ok(())
    }
}

impl Warehouse {
    pub(crate) async fn attempt(&self, apps: &[Uuid], seconds: u32) -> Result<Attempt<'_>, Error> {
        let (sizes, limits) = (&self.rollup_caches().sizes, self.set_limits());
        let is_crowd = sizes.is_crowd(apps, seconds);
        let apps = self.with_people(apps).await?;
        let by_size = BySize::new(&apps, |app| is_crowd || app.people > limits.people);
        Ok(Attempt { sizes, apps, seconds, by_size })
    }

    /// Whether an app's sets of people are joined in this process, whatever range they are of.
    pub(crate) async fn joins_here(&self, app: Uuid) -> Result<bool, Error> {
        let limit = self.set_limits().people;
        Ok(self.with_people(&[app]).await?.iter().all(|app| app.people <= limit))
    }

    /// The apps and how many people each has, as far as is known.
    async fn with_people(&self, apps: &[Uuid]) -> Result<Vec<AppSize>, Error> {
        let sizes = &self.rollup_caches().sizes;
        let is_unknown = |app: &&Uuid| sizes.people_of(**app).is_none();
        if apps.iter().any(|app| is_unknown(&app)) {
            // A dashboard asks several things at once, and all want to know this.
            let _asking = sizes.asking.lock().await;
            let unknown: Vec<Uuid> = apps.iter().filter(is_unknown).copied().collect();
            if !unknown.is_empty() {
                Box::pin(self.without_gate().ask_for_people(&unknown)).await?;
            }
        }
        let known = |app: &Uuid| AppSize { id: *app, people: sizes.people_of(*app).unwrap_or(0) };
        Ok(apps.iter().map(known).collect())
    }

    /// Outside the caller's turn: others wait for this answer too, and it is needed only once an hour.
    async fn ask_for_people(&self, apps: &[Uuid]) -> Result<(), Error> {
        #[derive(Deserialize)]
        struct Row {
            app_id: Uuid,
            last: u32,
        }
        let sizes = &self.rollup_caches().sizes;
        let sql = format!(
            "SELECT app_id, max(no) AS last FROM identities WHERE app_id IN ({}) GROUP BY app_id",
            literals(apps.iter().copied())
        );
        let rows: Vec<Row> = self.query(&sql, &[]).await?;
        let known: HashMap<Uuid, u32> =
            rows.into_iter().map(|row| (row.app_id, row.last)).collect();
        for app in apps {
            sizes.note_people(*app, known.get(app).copied().unwrap_or(0));
        }
        Ok(())
    }
}
