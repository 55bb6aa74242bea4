//! Pages of lists whose order has a default of its own.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::page::{Page, PageQuery};

const SEARCH_MAX: usize = 200;

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PagingQuery {
    #[param(minimum = 1, default = 1)]
    page: Option<i64>,
    #[param(minimum = 1, maximum = 100, default = 20)]
    page_size: Option<i64>,
    search: Option<String>,
    sort: Option<String>,
    /// asc or desc.
    order: Option<String>,
}

/// What of a list is wanted.
pub struct Paging<S> {
    pub page: Page,
    pub search: String,
    pub sort: S,
    pub descending: bool,
}

impl PagingQuery {
    /// `sorts` names what can be sorted by and the direction that is natural for it; the first one
    /// is the default.
    pub fn check<S: Copy>(&self, sorts: &[(&str, S, bool)]) -> Result<Paging<S>> {
        let page = PageQuery::new(self.page, self.page_size).check()?;
        let mut faults = Vec::new();
        let search = self.search.as_deref().unwrap_or_default().trim().to_owned();
        if search.chars().count() > SEARCH_MAX {
            faults.push(Fault::new(Code::TooLong).on("search").with("max", SEARCH_MAX));
        }
        let wanted = self.sort.as_deref().unwrap_or(sorts[0].0);
        let sort = sorts.iter().find(|(name, _, _)| *name == wanted);
        if sort.is_none() {
            faults.push(Fault::new(Code::BadSort).on("sort"));
        }
        let descending = match (self.order.as_deref(), sort) {
            (Some("asc"), _) => false,
            (Some("desc"), _) => true,
            (None, sort) => sort.is_some_and(|(_, _, natural)| *natural),
            (Some(_), _) => {
                faults.push(Fault::new(Code::BadSort).on("order"));
                false
            }
        };
        match sort {
            Some((_, sort, _)) if faults.is_empty() => {
                Ok(Paging { page, search, sort: *sort, descending })
            }
            _ => Err(Error::invalid(faults)),
        }
    }
}

/// A page of a list, with the length of the whole.
#[derive(Debug, Serialize, ToSchema)]
pub struct Paged<T> {
    pub items: Vec<T>,
    pub total: i64,
    pub page: i64,
    pub page_size: i64,
}

impl<T> Paged<T> {
    pub fn new(items: Vec<T>, total: usize, page: Page) -> Self {
        let total = i64::try_from(total).unwrap_or(i64::MAX);
        Self { items, total, page: page.offset / page.limit + 1, page_size: page.limit }
    }
}
