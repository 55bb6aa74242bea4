//! Lists that can be searched and sorted.

use serde::Deserialize;
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterIn};

use super::page::PageQuery;
use crate::db::page::Page;
use crate::error::{Code, Error, Fault, Result};

const SEARCH_MAX: usize = 200;

/// `page`, `page_size`, `search`, `sort` and `order`, as every list takes them.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    #[param(minimum = 1, default = 1)]
    page: Option<i64>,
    #[param(minimum = 1, maximum = 100, default = 20)]
    page_size: Option<i64>,
    /// Words to find in the name or address.
    search: Option<String>,
    sort: Option<String>,
    /// asc or desc.
    order: Option<String>,
}

/// The same parameters, for lists that search something other than names and addresses.
pub struct ListQueryAnywhere;

impl IntoParams for ListQueryAnywhere {
    fn into_params(place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut parameters = ListQuery::into_params(place);
        for parameter in parameters.iter_mut().filter(|it| it.name == "search") {
            parameter.description = None;
        }
        parameters
    }
}

/// A sort column: its name in the query string, and in SQL.
pub type Sort = (&'static str, &'static str);

/// A sort key: its name in the query string, its value, and whether it is descending by default.
pub type SortBy<S> = (&'static str, S, bool);

/// The requested part and order of a list.
#[derive(Debug)]
pub struct Wanted<S> {
    pub page: Page,
    pub search: String,
    pub sort: S,
    pub descending: bool,
}

/// The same in the form of SQL. `order_by` consists of our own words only.
#[derive(Debug)]
pub struct Listing {
    pub page: Page,
    /// A pattern for LIKE … ESCAPE '\', or empty.
    pub pattern: String,
    pub order_by: String,
}

impl ListQuery {
    /// `sorts` names the columns, the first being the default; `tie` breaks ties.
    pub fn check(&self, sorts: &[Sort], tie: &'static str) -> Result<Listing> {
        let sorts: Vec<_> = sorts.iter().map(|(name, column)| (*name, *column, false)).collect();
        let Wanted { page, search, sort, descending } = self.check_by(&sorts)?;
        let direction = if descending { "DESC" } else { "ASC" };
        let order_by = format!("{sort} {direction}, {tie} {direction}");
        Ok(Listing { page, pattern: pattern(&search), order_by })
    }

    /// `sorts` names the sort keys, the first being the default.
    pub fn check_by<S: Copy>(&self, sorts: &[SortBy<S>]) -> Result<Wanted<S>> {
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
        let descending = match self.order.as_deref() {
            None => sort.is_some_and(|(_, _, falls)| *falls),
            Some("asc") => false,
            Some("desc") => true,
            Some(_) => {
                faults.push(Fault::new(Code::BadSort).on("order"));
                false
            }
        };
        match sort {
            Some((_, sort, _)) if faults.is_empty() => {
                Ok(Wanted { page, search, sort: *sort, descending })
            }
            _ => Err(Error::invalid(faults)),
        }
    }
}

/// A LIKE pattern that finds the text anywhere, with LIKE's own wildcards escaped.
pub fn pattern(search: &str) -> String {
    if search.is_empty() {
        return String::new();
    }
    let plain = search.to_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{plain}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SORTS: &[Sort] = &[("name", "name_key"), ("created_at", "created_at")];

    fn listing(sort: &str, order: &str) -> Result<Listing> {
        let (sort, order) = (Some(sort.to_owned()), Some(order.to_owned()));
        ListQuery { sort, order, ..Default::default() }.check(SORTS, "id")
    }

    #[test]
    fn only_known_columns_reach_the_statement() {
        assert_eq!(listing("name", "desc").unwrap().order_by, "name_key DESC, id DESC");
        assert!(listing("name; DROP TABLE users", "asc").is_err());
        assert!(listing("name", "sideways").is_err());
        let default = ListQuery::default().check(SORTS, "id").unwrap();
        assert_eq!(default.order_by, "name_key ASC, id ASC");
    }

    #[test]
    fn a_sort_has_a_default_direction() {
        let sorts = [("last_seen", 1, true), ("id", 2, false)];
        let wanted = |sort: &str, order: Option<&str>| {
            let (sort, order) = (Some(sort.to_owned()), order.map(str::to_owned));
            let query = ListQuery { sort, order, ..Default::default() };
            query.check_by(&sorts).map(|it| (it.sort, it.descending)).unwrap()
        };
        assert_eq!(wanted("last_seen", None), (1, true));
        assert_eq!(wanted("last_seen", Some("asc")), (1, false));
        assert_eq!(wanted("id", None), (2, false));
        assert_eq!(wanted("id", Some("desc")), (2, true));
    }

    #[test]
    fn search_is_plain_text() {
        assert_eq!(pattern("50%_\\A"), "%50\\%\\_\\\\a%");
        assert_eq!(pattern(""), "");
    }
}
