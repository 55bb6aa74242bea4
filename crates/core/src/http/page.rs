//! Lists: which page of them, and the shape they come in.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::db::page::Page;
use crate::error::{Code, Error, Fault, Result};

/// `page` from 1, `page_size` from 1 to 100, by default 20.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    #[param(minimum = 1, default = 1)]
    page: Option<i64>,
    #[param(minimum = 1, maximum = 100, default = 20)]
    page_size: Option<i64>,
}

impl PageQuery {
    pub fn new(page: Option<i64>, page_size: Option<i64>) -> Self {
        Self { page, page_size }
    }

    pub fn check(&self) -> Result<Page> {
        let (page, limit) = (self.page.unwrap_or(1), self.page_size.unwrap_or(20));
        let mut faults = Vec::new();
        if !(1..=1_000_000).contains(&page) {
            faults.push(
                Fault::new(Code::OutOfRange).on("page").with("min", 1).with("max", 1_000_000),
            );
        }
        if !(1..=100).contains(&limit) {
            faults
                .push(Fault::new(Code::OutOfRange).on("page_size").with("min", 1).with("max", 100));
        }
        if faults.is_empty() {
            Ok(Page { limit, offset: (page - 1) * limit })
        } else {
            Err(Error::invalid(faults))
        }
    }
}

/// One page of a list, with the length of the whole.
#[derive(Debug, Serialize, ToSchema)]
pub struct Items<T> {
    pub items: Vec<T>,
    pub total: i64,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_count_from_one() {
        let page = |page, page_size| PageQuery { page, page_size }.check();
        assert_eq!(page(None, None).unwrap(), Page { limit: 20, offset: 0 });
        assert_eq!(page(Some(3), Some(50)).unwrap(), Page { limit: 50, offset: 100 });
        for (number, size) in
            [(Some(0), None), (None, Some(0)), (None, Some(101)), (Some(-1), None)]
        {
            assert_eq!(page(number, size).unwrap_err().status(), 422);
        }
    }
}
