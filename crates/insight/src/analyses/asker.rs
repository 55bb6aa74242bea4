//! The context of a question: the caller, the app and the time.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;
use uuid::Uuid;
use warehouse::analysis::Scope;
use warehouse::{Condition, Property, Versions, Warehouse};

use super::answer::Answer;
use super::ask;
use super::body::{Bucket, Common, Question};
use super::check::{Check, Lookup};
use super::ready::{Asked, Ready};
use crate::insight::dates::{Dates, date_of};
use crate::insight::errors::{ready as warehouse_ready, warehouse_error};
use crate::insight::kept::{self, Kept, Key};
use crate::insight::state::Insight;
use atrium_core::error::{Error, Result};
use atrium_core::fair_queue::{Caller, Class, Reader};
use atrium_core::permissions::{Grant, Permission};
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::{DataApp, InApp};
use atrium_tenancy::apps::versions;

pub struct Asker<'a> {
    pub atrium: &'a Insight,
    pub store: Warehouse,
    pub app_id: &'a Id,
    pub app: Uuid,
    pub pii: bool,
    /// Whether profiles may be seen.
    pub profiles: bool,
    /// None for a program.
    pub user_id: Option<&'a Id>,
    pub now: Millis,
    zone: &'a str,
    reader: Arc<Reader>,
    rows_read: Arc<AtomicU64>,
    reads_profiles: AtomicBool,
}

/// A question that can be asked.
pub struct Prepared {
    pub ready: Ready,
    /// The store to query, which reads properties from columns where it can.
    pub store: Warehouse,
    /// The properties it reads.
    properties: Vec<Property>,
}

/// A cohort may be defined by a question about another cohort, up to this depth.
const DEPTH_MAX: usize = 3;

impl<'a> Asker<'a> {
    pub async fn of_data<G: Grant>(atrium: &'a Insight, app: &'a DataApp<G>) -> Result<Self> {
        let holds = |permission| app.holds(permission);
        let reader = app.reader(Class::AdHoc);
        Self::new(atrium, (app.id(), &app.app.timezone), reader, holds, app.user_id()).await
    }

    pub async fn of_session<G: Grant>(atrium: &'a Insight, app: &'a InApp<G>) -> Result<Self> {
        let holds = |permission| app.access.holds(permission);
        let (reader, user) = (app.reader(Class::AdHoc), Some(app.user_id()));
        Self::new(atrium, (app.id(), &app.app.timezone), reader, holds, user).await
    }

    pub(super) async fn new(
        atrium: &'a Insight,
        (app_id, zone): (&'a Id, &'a str),
        caller: Caller,
        holds: impl Fn(Permission) -> bool,
        user_id: Option<&'a Id>,
    ) -> Result<Self> {
        warehouse_ready(atrium).await?;
        let (reader, rows_read) = (atrium.reads.reader(caller), Arc::new(AtomicU64::new(0)));
        let store = atrium.warehouse.behind(reader.clone()).counting_rows(rows_read.clone());
        Ok(Self {
            atrium,
            store,
            app_id,
            app: app_id.uuid()?,
            pii: holds(Permission::ProfilePii),
            profiles: holds(Permission::ProfileView),
            user_id,
            now: atrium.now(),
            zone,
            reader,
            rows_read,
            reads_profiles: AtomicBool::new(false),
        })
    }

    pub fn scope(&self) -> Scope {
        Scope { app: self.app, condition: Condition::default(), hide_personal: !self.pii }
    }

    /// Whether any question so far read profiles.
    pub fn reads_profiles(&self) -> bool {
        self.reads_profiles.load(Ordering::Relaxed)
    }

    pub fn note_profiles(&self) {
        self.reads_profiles.store(true, Ordering::Relaxed);
    }

    /// The time zone of a question.
    pub fn zone_of(&self, common: &Common) -> TimeZone {
        let name = common.timezone.as_deref().unwrap_or(self.zone);
        TimeZone::get(name).unwrap_or(TimeZone::UTC)
    }

    /// The current date in the app's time zone.
    pub fn today(&self) -> Result<Date> {
        let zone = TimeZone::get(self.zone).map_err(Error::internal)?;
        Ok(date_of(self.now, &zone))
    }

    /// The answer as it is sent, cached if possible.
    pub async fn kept_answer(&self, question: &Question) -> Result<Kept> {
        let found = HashMap::new();
        let mut check = Check::new(self.pii, self.profiles, &found);
        self.ready(question, &mut check)?;
        let asking = async { self.asked(&self.prepare(question, 0).await?).await };
        let Some(depends_on) = self.versions_of(&check).await? else {
            return kept::written(&asking.await?);
        };
        let text = (question, self.zone, depends_on);
        let text = serde_json::to_string(&text).map_err(Error::internal)?;
        let by_minute =
            matches!(question, Question::Trend(trend) if trend.granularity == Bucket::Minute);
        let key = Key::of(self.atrium, self.app_id, text, self.pii, by_minute, self.now).await?;
        kept::once(&self.atrium.kept, key, &self.reader, asking).await
    }

    /// The versions of what an answer depends on besides events. None where that is unknown.
    async fn versions_of(&self, check: &Check<'_>) -> Result<Option<impl Serialize>> {
        let Some(cohorts) = self.cohort_versions(&check.wanted).await? else { return Ok(None) };
        if !check.reads_profiles && !cohorts.reads_profiles {
            return Ok(Some((cohorts.versions, None)));
        }
        let version = versions::of_profiles(&self.atrium.db, self.app_id).await?;
        // The permission is part of it, because a cohort by profiles is empty for callers who may not
        // see them.
        Ok(version.map(|version| (cohorts.versions, Some((version, self.profiles)))))
    }

    pub async fn answer(&self, question: &Question) -> Result<Answer> {
        self.asked(&self.prepare(question, 0).await?).await
    }

    async fn asked(&self, prepared: &Prepared) -> Result<Answer> {
        let figures = ask::figures(&prepared.store, &prepared.ready, self.pii).await;
        let rows_read = self.rows_read.load(Ordering::Relaxed);
        self.atrium.property_uses.note(self.app_id, &prepared.properties, rows_read);
        let figures = figures.map_err(warehouse_error)?;
        Ok(Answer { figures, computed_at: self.now, rows_read })
    }

    async fn versions(&self) -> Result<Arc<Versions>> {
        let mut db = self.atrium.db.read().await?;
        versions::by_day(&mut db, &[self.app]).await.map(Arc::new)
    }

    /// Checks a question, and looks up the profiles and cohorts that it refers to.
    pub async fn prepare(&self, question: &Question, depth: usize) -> Result<Prepared> {
        let found = HashMap::new();
        let mut check = Check::new(self.pii, self.profiles, &found);
        let ready = self.ready(question, &mut check)?;
        let Check { wanted, wanted_profiles, properties, reads_profiles, cohorts_in, .. } = check;
        if reads_profiles {
            self.note_profiles();
        }
        let store = self.store.as_of(self.versions().await?);
        let store = store.reading_columns(self.app, &properties).await.map_err(warehouse_error)?;
        if wanted.is_empty() {
            return Ok(Prepared { ready, store, properties });
        }
        let mut found = HashMap::new();
        for lookup in wanted {
            let condition = match (&lookup, wanted_profiles.get(&lookup)) {
                (Lookup::Cohort(id), _) => {
                    let field = cohorts_in.get(id).map_or("filters", String::as_str);
                    if depth >= DEPTH_MAX {
                        return Err(super::cohorts::unknown(field));
                    }
                    Condition::Among(Box::pin(self.cohort(id, depth + 1, field)).await?)
                }
                (Lookup::Profile(_), Some((kind, filter))) => {
                    let scope = self.scope();
                    let having = self.store.has_profile(&scope, *kind, filter).await;
                    having.map_err(warehouse_error)?
                }
                (Lookup::Profile(_), None) => Condition::default(),
            };
            found.insert(lookup, condition);
        }
        let mut check = Check::new(self.pii, self.profiles, &found);
        let ready = self.ready(question, &mut check)?;
        Ok(Prepared { ready, store, properties })
    }

    fn ready(&self, question: &Question, check: &mut Check<'_>) -> Result<Ready> {
        let common = question.common();
        let zone = common.timezone.as_deref().unwrap_or(self.zone);
        let dates = Dates::read(&common.start, &common.end, zone)?;
        Asked { check, scope: self.scope(), dates, now: self.now }.ready(question)
    }
}
