//! Turns a request body into a checked request: moments, buckets, and the apps the caller may see.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::tz::TimeZone;
use uuid::Uuid;

use super::{Compare, OverallBody, Part};
use crate::insight::dates::Dates;
use crate::insight::elapsed::{compared, counted_until};
use crate::insight::range::{Granularity, Range};
use crate::insight::state::Insight;
use atrium_core::error::Result;
use atrium_core::fair_queue::Caller;
use atrium_core::permissions::Permission;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::{DataOrg, ReadableApp};

/// A range with the starts of its buckets, followed by the end of the last one.
pub struct Span {
    pub range: Range,
    pub cuts: Vec<Millis>,
    /// Nothing after this is counted.
    counted_until: Millis,
    /// None without a comparison, or while nothing can be compared yet.
    pub compared_until: Option<Millis>,
}

impl Span {
    fn new(range: Range, cuts: Vec<Millis>, now: Millis) -> Self {
        let counted_until = counted_until(&range, now);
        Self { range, cuts, counted_until, compared_until: None }
    }

    /// The cuts of the counted part.
    pub fn counted(&self) -> Arc<[i64]> {
        let cuts = self.cuts.iter().filter(|cut| **cut < self.counted_until);
        cuts.chain([&self.counted_until]).map(|cut| cut.0).collect()
    }

    /// The end of the compared part, if that is not the whole range.
    pub fn part(&self) -> Option<Millis> {
        self.compared_until.filter(|until| *until < self.range.to)
    }
}

pub struct CountedApp {
    pub id: Id,
    pub uuid: Uuid,
    pub name: String,
}

pub struct OverallRequest {
    /// The time of the request.
    pub at: Millis,
    pub now: Span,
    pub before: Option<Span>,
    pub timezone: String,
    pub zone: TimeZone,
    pub granularity: Granularity,
    pub apps: Vec<CountedApp>,
    pub can_export: bool,
    pub caller: Caller,
    /// Whether the caller may see personal data of all these apps.
    pub pii: bool,
    parts: Option<Vec<Part>>,
}

impl OverallRequest {
    pub fn wants(&self, part: Part) -> bool {
        self.parts.as_ref().is_none_or(|parts| parts.contains(&part))
    }

    pub fn uuids(&self) -> Vec<Uuid> {
        self.apps.iter().map(|app| app.uuid).collect()
    }

    pub fn app_ids(&self) -> Vec<Id> {
        self.apps.iter().map(|app| app.id.clone()).collect()
    }
}

pub async fn read(atrium: &Insight, org: &DataOrg, body: &OverallBody) -> Result<OverallRequest> {
    let timezone = body.timezone.clone().unwrap_or_else(|| org.org.timezone.clone());
    let dates = Dates::read(&body.start, &body.end, &timezone)?;
    let at = atrium.now();
    let cut = |range: Range| -> Result<Span> {
        Ok(Span::new(range, dates.cuts_of(&range, body.granularity)?, at))
    };
    let (range, zone) = (dates.range, &dates.zone);
    let mut now = cut(range)?;
    let before = match body.compare {
        Compare::None => None,
        Compare::PreviousPeriod => range.before(zone),
        Compare::PreviousYear => range.year_before(zone),
    };
    let mut before = before.map(cut).transpose()?;
    if let Some(before) = &mut before
        && let Some(compared) = compared(&range, &before.range, at, zone)
    {
        now.compared_until = Some(compared.until);
        before.compared_until = Some(compared.before_until);
    }
    let apps = visible_apps(atrium, org, body.app_ids.as_deref()).await?;
    let can_export = !apps.is_empty() && apps.iter().all(|app| app.holds(Permission::EventExport));
    let pii = apps.iter().all(|app| app.holds(Permission::ProfilePii));
    let counted = apps.into_iter().map(|app| {
        let uuid = app.id.uuid()?;
        Ok(CountedApp { id: app.id, uuid, name: app.name })
    });
    Ok(OverallRequest {
        at,
        now,
        before,
        timezone,
        zone: dates.zone,
        granularity: body.granularity,
        apps: counted.collect::<Result<_>>()?,
        can_export,
        caller: org.reader(),
        pii,
        parts: body.parts.clone(),
    })
}

/// The requested apps whose figures the caller may see; all active ones if none are named. An app they
/// may not see is left out like one that does not exist.
async fn visible_apps(
    atrium: &Insight,
    org: &DataOrg,
    wanted: Option<&[Id]>,
) -> Result<Vec<ReadableApp>> {
    let wanted: Option<HashSet<_>> = wanted.map(|ids| ids.iter().collect());
    let is_wanted = |app: &ReadableApp| match &wanted {
        Some(wanted) => wanted.contains(&app.id),
        None => app.is_active,
    };
    let seen = org.apps(atrium).await?.into_iter();
    Ok(seen.filter(|app| app.holds(Permission::DashboardView) && is_wanted(app)).collect())
}
