//! The viewed pages, the entry and exit pages of visits, and the referring sites.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;
use warehouse::BreakdownValue;

use super::Part;
use super::request::OverallRequest;
use crate::insight::cache::{self, CachedQuery};
use crate::insight::errors::{ready, warehouse_error};
use crate::insight::state::Insight;
use atrium_collect::personal::{self, HIDDEN, Ids, OWN, Others};
use atrium_core::error::Result;

#[derive(Debug, Serialize, ToSchema)]
pub struct PageFigures {
    /// The path; empty if the sender gave none.
    pub page: String,
    pub page_views: u64,
    pub users: u64,
    /// Whether this is the sum of all pages that are not among the first ten or are over the limits of
    /// their apps.
    pub other: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SiteFigures {
    /// Without `www.`; empty if there was no referring site or none was given.
    pub site: String,
    pub page_views: u64,
    pub users: u64,
    /// Whether this is the sum of all others, as in `PageFigures`.
    pub other: bool,
}

/// A visit is a run of one device's page views without a gap of more than half an hour.
#[derive(Debug, Serialize, ToSchema)]
pub struct VisitFigures {
    pub page: String,
    pub visits: u64,
    /// Whether this is the sum of all others, as in `PageFigures`.
    pub other: bool,
}

#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Pages {
    /// False while events from before an upgrade are still being counted: then all lists are empty.
    pub ready: bool,
    pub top: Vec<PageFigures>,
    /// By the page that a visit began with, of visits that began in the range.
    pub entries: Vec<VisitFigures>,
    /// By the page that it ended with, so far, of visits that ended in the range.
    pub exits: Vec<VisitFigures>,
    /// The sites of the referrers of page views.
    pub sites: Vec<SiteFigures>,
}

impl Pages {
    fn new(values: &[BreakdownValue]) -> Self {
        let mut pages = Self { ready: true, ..Self::default() };
        for BreakdownValue { dimension, value, is_rest, events, persons } in values {
            let (value, other) = match is_rest {
                true => ("other".to_owned(), true),
                false => (value.clone(), false),
            };
            let (count, users) = (*events, *persons);
            let visits = |page| VisitFigures { page, visits: count, other };
            match dimension.as_str() {
                "page" => {
                    let page = PageFigures { page: value, page_views: count, users, other };
                    pages.top.push(page);
                }
                "site" => {
                    let site = SiteFigures { site: value, page_views: count, users, other };
                    pages.sites.push(site);
                }
                "entry" => pages.entries.push(visits(value)),
                "exit" => pages.exits.push(visits(value)),
                _ => {}
            }
        }
        pages
    }
}

pub async fn of(
    atrium: &Insight,
    request: &OverallRequest,
    query: &CachedQuery,
) -> Result<Option<Pages>> {
    if !request.wants(Part::Pages) {
        return Ok(None);
    }
    if !atrium.warehouse.knows_pages() {
        // This process may not have checked yet.
        ready(atrium).await?;
        if !atrium.warehouse.knows_pages() {
            return Ok(Some(Pages::default()));
        }
    }
    let hiding = match request.pii {
        true => None,
        false => Some(Arc::new(ids_among(atrium, query).await?)),
    };
    let shown = |dimension: &str, value: &str| shown(dimension, value, hiding.as_deref());
    Ok(Some(Pages::new(&cache::pages(atrium, query, hiding.clone(), shown).await?)))
}

/// The ids of people that occur in paths and sites. A person may appear later whose id was in them
/// before, so this is looked up each time.
async fn ids_among(atrium: &Insight, query: &CachedQuery) -> Result<Others> {
    let mut texts = BTreeSet::new();
    for (_, value) in cache::page_names(atrium, query).await?.iter() {
        personal::path_candidates(value, &mut texts);
    }
    Others::among(&atrium.warehouse, &query.apps, texts).await.map_err(warehouse_error)
}

/// The text displayed for a page or site.
fn shown(dimension: &str, value: &str, hiding: Option<&Others>) -> String {
    let Some(others) = hiding else { return value.replace(OWN, "") };
    let ids = Ids { others: Some(others), ..Ids::default() };
    match dimension {
        "site" if value.starts_with(OWN) => HIDDEN.to_owned(),
        "site" => ids.shown(value.to_owned()),
        _ => personal::path(value, ids),
    }
}
