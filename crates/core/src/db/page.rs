//! One page of a list, and the length of the whole list.

use sqlx::FromRow;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::{AnyConnection, Arguments};

use crate::error::{Error, Result};
use crate::types::{Id, Millis};

/// A page in the form that a query takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    pub limit: i64,
    pub offset: i64,
}

#[derive(Clone, Copy)]
pub enum Parameter<'a> {
    Text(&'a str),
    Number(i64),
}

impl<'a> From<&'a str> for Parameter<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for Parameter<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a Id> for Parameter<'a> {
    fn from(id: &'a Id) -> Self {
        Self::Text(id.as_str())
    }
}

impl From<Millis> for Parameter<'_> {
    fn from(at: Millis) -> Self {
        Self::Number(at.0)
    }
}

impl From<bool> for Parameter<'_> {
    fn from(yes: bool) -> Self {
        Self::Number(i64::from(yes))
    }
}

/// A page of the rows found by statements with these parameters.
pub struct PageOf<'a> {
    parameters: Vec<Parameter<'a>>,
    page: Page,
}

impl<'a> PageOf<'a> {
    pub fn new<const N: usize>(parameters: [Parameter<'a>; N], page: Page) -> Self {
        Self { parameters: parameters.into(), page }
    }

    /// The LIMIT clause: at the end of a statement, or inside one that joins more to the page.
    pub fn cut(&self) -> String {
        let own = self.parameters.len();
        format!("LIMIT ${} OFFSET ${}", own + 1, own + 2)
    }

    /// Runs `rows`, which must end with ORDER BY, for the page, and `count` for the total.
    pub async fn fetch<T>(
        &self,
        db: &mut AnyConnection,
        rows: &str,
        count: &str,
    ) -> Result<(Vec<T>, i64)>
    where
        T: for<'r> FromRow<'r, AnyRow>,
    {
        let rows = self.rows(db, format!("{rows} {}", self.cut())).await?;
        Ok((rows, self.count(db, count.to_owned()).await?))
    }

    /// The rows of a statement that already contains `cut()`.
    pub async fn rows<T>(&self, db: &mut AnyConnection, sql: String) -> Result<Vec<T>>
    where
        T: for<'r> FromRow<'r, AnyRow>,
    {
        let rows = self.raw_rows(db, sql).await?;
        rows.iter().map(|row| Ok(T::from_row(row)?)).collect()
    }

    pub async fn raw_rows(&self, db: &mut AnyConnection, sql: String) -> Result<Vec<AnyRow>> {
        let page = [Parameter::Number(self.page.limit), Parameter::Number(self.page.offset)];
        let arguments = arguments(self.parameters.iter().chain(&page))?;
        Ok(sqlx::query_with(sqlx::AssertSqlSafe(sql), arguments).fetch_all(db).await?)
    }

    pub async fn count(&self, db: &mut AnyConnection, sql: String) -> Result<i64> {
        let arguments = arguments(self.parameters.iter())?;
        Ok(sqlx::query_scalar_with(sqlx::AssertSqlSafe(sql), arguments).fetch_one(db).await?)
    }
}

fn arguments<'a>(parameters: impl Iterator<Item = &'a Parameter<'a>>) -> Result<AnyArguments> {
    let mut arguments = AnyArguments::default();
    for parameter in parameters {
        match parameter {
            Parameter::Text(text) => arguments.add((*text).to_owned()),
            Parameter::Number(number) => arguments.add(*number),
        }
        .map_err(|error| Error::internal(anyhow::anyhow!(error)))?;
    }
    Ok(arguments)
}
