//! Queries the warehouse for the requested parts, all at once, and assembles the answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::OnceCell;
use uuid::Uuid;
use warehouse::shown::looks_personal_as;
use warehouse::{BreakdownValue, Overall as Counted};

use super::figures::{self, Both, Breakdowns, Bucket, ByApp, EventFigures, SeriesPoint};
use super::request::{OverallRequest, Span};
use super::{AskedRange, Overall, Part, PreviousRange, SeenApp, pages};
use crate::insight::cache::{self, CachedQuery};
use crate::insight::errors::warehouse_error;
use crate::insight::ingest::{self, Ingest};
use crate::insight::state::Insight;
use atrium_collect::personal::{self, Ids, Others};
use atrium_core::error::Result;
use atrium_core::locale::Locale;
use atrium_core::types::Millis;
use atrium_tenancy::apps::versions;

/// The ranges of a request, with the query for each.
struct Spans<'a> {
    now: (&'a Span, CachedQuery),
    before: Option<(&'a Span, CachedQuery)>,
}

impl<'a> Spans<'a> {
    /// Reads the versions of the data, which must happen before the answers are made.
    async fn of(atrium: &Insight, request: &'a OverallRequest) -> Result<Self> {
        let apps: Arc<[Uuid]> = request.uuids().into();
        let ids = request.app_ids();
        let versions = Arc::new(OnceCell::new());
        let reader = atrium.reads.reader(request.caller.clone());
        let knows_owners = atrium.warehouse.knows_owners();
        let mut db = atrium.db.read().await?;
        let mut ask = async |span: &'a Span| -> Result<(&'a Span, CachedQuery)> {
            let version = versions::of(&mut db, &ids, span.range.from, span.range.to).await?;
            let (cuts, part) = (span.counted(), span.part().map(|part| part.0));
            let (apps, versions, reader) = (apps.clone(), versions.clone(), reader.clone());
            Ok((span, CachedQuery { apps, cuts, part, version, knows_owners, versions, reader }))
        };
        let now = ask(&request.now).await?;
        let before = match &request.before {
            Some(before) => Some(ask(before).await?),
            None => None,
        };
        Ok(Self { now, before })
    }
}

pub async fn give(atrium: &Insight, request: &OverallRequest, locale: Locale) -> Result<Overall> {
    let spans = Spans::of(atrium, request).await?;
    let (totals, series, top_events, breakdowns, pages, ingest) = tokio::try_join!(
        totals(atrium, request, &spans),
        series(atrium, request, &spans),
        top_events(atrium, request, &spans),
        breakdowns(atrium, request, &spans),
        pages::of(atrium, request, &spans.now.1),
        ingest_of(atrium, request, locale),
    )?;
    let compared = totals.as_ref().and_then(|(now, before)| {
        let (span, before) = (request.before.as_ref()?, before.as_ref()?);
        let now = part_of(&request.now, now)?;
        Some(Both { now, before: part_of(span, before)? })
    });
    let sums = totals.as_ref().filter(|_| request.wants(Part::Totals));
    let sums = sums.map(|(now, _)| figures::totals(&now.apps, compared));
    let apps = totals.as_ref().filter(|_| request.wants(Part::Apps));
    let apps = apps.map(|(now, _)| figures::of_apps(&request.apps, &now.apps, compared));
    let seen = request.apps.iter();
    Ok(Overall {
        range: asked_range(request),
        apps_seen: seen.map(|app| SeenApp { id: app.id.clone(), name: app.name.clone() }).collect(),
        can_export: request.can_export,
        totals: sums,
        series,
        apps,
        top_events,
        breakdowns,
        pages,
        ingest,
    })
}

fn asked_range(request: &OverallRequest) -> AskedRange {
    let Span { range, compared_until, .. } = &request.now;
    let until = |moment: &Option<Millis>| moment.map(|moment| moment.0);
    AskedRange {
        start: range.start.to_string(),
        end: range.end.to_string(),
        timezone: request.timezone.clone(),
        granularity: request.granularity,
        partial: request.at < range.to,
        compared_until: until(compared_until),
        previous: request.before.as_ref().map(|before| PreviousRange {
            start: before.range.start.to_string(),
            end: before.range.end.to_string(),
            compared_until: until(&before.compared_until),
        }),
    }
}

/// The counts of each app in the compared part of a range.
fn part_of<'a>(span: &Span, counted: &'a Counted) -> Option<&'a ByApp> {
    span.compared_until?;
    Some(if span.part().is_some() { &counted.part } else { &counted.apps })
}

/// The counts of each app, now and before.
async fn totals(
    atrium: &Insight,
    request: &OverallRequest,
    spans: &Spans<'_>,
) -> Result<Option<(Arc<Counted>, Option<Arc<Counted>>)>> {
    if !request.wants(Part::Totals) && !request.wants(Part::Apps) {
        return Ok(None);
    }
    overall(atrium, spans).await.map(Some)
}

async fn overall(
    atrium: &Insight,
    spans: &Spans<'_>,
) -> Result<(Arc<Counted>, Option<Arc<Counted>>)> {
    let (_, now) = &spans.now;
    match &spans.before {
        Some((_, before)) => {
            let (now, before) = cache::overall_of_both(atrium, now, before).await?;
            Ok((now, Some(before)))
        }
        None => Ok((cache::overall(atrium, now).await?, None)),
    }
}

async fn series(
    atrium: &Insight,
    request: &OverallRequest,
    spans: &Spans<'_>,
) -> Result<Option<Vec<SeriesPoint>>> {
    if !request.wants(Part::Series) {
        return Ok(None);
    }
    let (now, before) = overall(atrium, spans).await?;
    let buckets = |span: &Span, counted: &Counted| -> Vec<Bucket> {
        // All buckets in order, including those without events.
        let pairs = span.cuts.windows(2).map(|pair| (pair[0], pair[1]));
        let counts = |start: Millis| counted.buckets.get(&start.0).copied().unwrap_or_default();
        pairs.map(|(start, end)| Bucket::new(start, end, counts(start), request.at)).collect()
    };
    let before = spans.before.as_ref().zip(before);
    let before = before.map(|((span, _), counted)| buckets(span, &counted)).unwrap_or_default();
    let mut before = before.into_iter();
    let now = buckets(spans.now.0, &now).into_iter();
    let point = |bucket| SeriesPoint { bucket, previous: before.next().filter(|it| !it.ahead) };
    Ok(Some(now.map(point).collect()))
}

async fn top_events(
    atrium: &Insight,
    request: &OverallRequest,
    spans: &Spans<'_>,
) -> Result<Option<Vec<EventFigures>>> {
    if !request.wants(Part::TopEvents) {
        return Ok(None);
    }
    let found = cache::top_events(atrium, &spans.now.1).await?;
    let mut found: Vec<EventFigures> = found.iter().map(EventFigures::from).collect();
    if !request.pii {
        hide_names(atrium, request, &mut found).await?;
    }
    Ok(Some(found))
}

/// Leaves out events whose name must not be shown. They still count in the totals.
async fn hide_names(
    atrium: &Insight,
    request: &OverallRequest,
    found: &mut Vec<EventFigures>,
) -> Result<()> {
    let mut texts = BTreeSet::new();
    found.iter().for_each(|one| personal::path_candidates(&one.event, &mut texts));
    let others = Others::among(&atrium.warehouse, &request.uuids(), texts).await;
    let others = others.map_err(warehouse_error)?;
    let ids = Ids { others: Some(&others), ..Ids::default() };
    found.retain(|one| !ids.hide(&one.event));
    Ok(())
}

async fn breakdowns(
    atrium: &Insight,
    request: &OverallRequest,
    spans: &Spans<'_>,
) -> Result<Option<Breakdowns>> {
    if !request.wants(Part::Breakdowns) {
        return Ok(None);
    }
    let shares = cache::breakdowns(atrium, &spans.now.1).await?;
    let is_shown = |share: &&BreakdownValue| request.pii || !looks_personal_as(&share.value, true);
    Ok(Some(Breakdowns::new(shares.iter().filter(is_shown))))
}

async fn ingest_of(
    atrium: &Insight,
    request: &OverallRequest,
    locale: Locale,
) -> Result<Option<Ingest>> {
    if !request.wants(Part::Ingest) {
        return Ok(None);
    }
    let range = &request.now.range;
    let (from, to) = (range.start.to_string(), range.end.to_string());
    ingest::look(atrium, &request.app_ids(), &from, &to, locale).await.map(Some)
}
