//! Lists that can be searched and sorted: which part of them, in which order.

use serde::Deserialize;
use utoipa::IntoParams;

use super::page::{Page, PageQuery};
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
    /// Words of the name or address.
    search: Option<String>,
    sort: Option<String>,
    /// asc or desc.
    order: Option<String>,
}

/// A column to sort by: its name in the query, and what it is in SQL.
pub type Sort = (&'static str, &'static str);

/// What of a list is wanted. `order_by` is made of our own words only.
#[derive(Debug)]
pub struct Listing {
    pub page: Page,
    /// A pattern for LIKE … ESCAPE '\', or empty.
    pub pattern: String,
    pub order_by: String,
}

impl ListQuery {
    /// `sorts` names the columns, the first being the default; `tie` makes the order total.
    pub fn check(&self, sorts: &[Sort], tie: &'static str) -> Result<Listing> {
        let page = PageQuery::new(self.page, self.page_size).check()?;
        let mut faults = Vec::new();
        let search = self.search.as_deref().unwrap_or_default().trim();
        if search.chars().count() > SEARCH_MAX {
            faults.push(Fault::new(Code::TooLong).on("search").with("max", SEARCH_MAX));
        }
        let wanted = self.sort.as_deref().unwrap_or(sorts[0].0);
        let sort = sorts.iter().find(|(name, _)| *name == wanted);
        if sort.is_none() {
            faults.push(Fault::new(Code::BadSort).on("sort"));
        }
        let direction = match self.order.as_deref() {
            None | Some("asc") => "ASC",
            Some("desc") => "DESC",
            Some(_) => {
                faults.push(Fault::new(Code::BadSort).on("order"));
                "ASC"
            }
        };
        match sort {
            Some((_, column)) if faults.is_empty() => Ok(Listing {
                page,
                pattern: pattern(search),
                order_by: format!("{column} {direction}, {tie} {direction}"),
            }),
            _ => Err(Error::invalid(faults)),
        }
    }
}

/// A pattern that finds the words anywhere, with LIKE's own characters made plain.
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
    fn search_is_plain_text() {
        assert_eq!(pattern("50%_\\A"), "%50\\%\\_\\\\a%");
        assert_eq!(pattern(""), "");
    }
}
