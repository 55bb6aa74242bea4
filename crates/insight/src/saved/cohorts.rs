//! Cohorts: list, create, read, update, delete.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::changes::{self, Label};
use super::content;
use super::store::{self, SavedRow, Table};
use super::{Changing, Reader, SORTS, Saved, SavedKind, hidden};
use crate::insight::state::Insight;
use atrium_core::error::{Code, Error, Result};
use atrium_core::http::json::{Data, Done, Json, Query};
use atrium_core::http::list::ListQuery;
use atrium_core::http::page::Items;
use atrium_core::http::path::SecondId;
use atrium_core::permissions::{Permission, QueryRun};
use atrium_core::text::Checks;
use atrium_core::types::Id;
use atrium_tenancy::access::{DataApp, InApp};

/// Ten thousand ids, and room for long ones.
const BODY_MAX: usize = 4 << 20;

pub struct Cohorts;

impl SavedKind for Cohorts {
    const TABLE: Table = store::COHORTS;
    const MANAGE: Permission = Permission::CohortManage;
    const MOST: i64 = 200;
    const FULL: Code = Code::TooManyCohorts;
    const NOUN: &'static str = "cohort";
    const CREATE: &'static str = "cohort.create";
    const UPDATE: &'static str = "cohort.update";
    const DELETE: &'static str = "cohort.delete";
}

#[derive(Serialize, ToSchema)]
pub struct Cohort {
    #[serde(flatten)]
    saved: Saved,
    /// Who belongs to it: `of` is ids, figure or rule. For ids there is the `count`; the ids themselves
    /// are only in the answer about one cohort, and only for callers who may see personal data.
    #[schema(value_type = Object)]
    definition: Value,
}

impl Cohort {
    fn new(row: SavedRow, reader: Reader<'_>) -> Result<Self> {
        let mut definition: Value = serde_json::from_str(&row.text).map_err(Error::internal)?;
        let redacted = if row.kind == "ids" {
            definition["count"] = json!(row.listed);
            if !reader.pii {
                definition["ids"] = json!([]);
            }
            !reader.pii
        } else {
            !reader.pii && hidden::hide(&mut definition)
        };
        Ok(Self { definition, saved: Saved::new(row, reader, redacted) })
    }
}

/// The cohorts made for the app, and the caller's own.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/cohorts",
    operation_id = "cohort_list",
    tag = "analysis",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), ListQuery),
    responses((status = 200, body = Data<Items<Cohort>>))
)]
pub async fn cohort_list(
    State(atrium): State<Insight>,
    app: DataApp<QueryRun>,
    Query(query): Query<ListQuery>,
) -> Result<Data<Items<Cohort>>> {
    let listing = query.check(SORTS, "saved.id")?;
    let reader = Reader::of_data::<Cohorts>(&app);
    let mut db = atrium.db.read().await?;
    let (rows, total) =
        store::page(&mut db, Cohorts::TABLE, app.id(), reader.user_id, &listing).await?;
    let items: Result<_> = rows.into_iter().map(|row| Cohort::new(row, reader)).collect();
    Ok(Data(Items { items: items?, total }))
}

/// One cohort.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/cohorts/{cohort_id}",
    operation_id = "cohort_view",
    tag = "analysis",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), ("cohort_id" = Id, Path)),
    responses((status = 200, body = Data<Cohort>))
)]
pub async fn cohort_view(
    State(atrium): State<Insight>,
    app: DataApp<QueryRun>,
    SecondId(id): SecondId,
) -> Result<Data<Cohort>> {
    let reader = Reader::of_data::<Cohorts>(&app);
    let row = store::one(&mut *atrium.db.read().await?, Cohorts::TABLE, app.id(), &id).await?;
    let row = row.filter(|row| row.is_visible_to(reader.user_id)).ok_or(Code::NotFound)?;
    Cohort::new(row, reader).map(Data)
}

#[derive(Deserialize, ToSchema)]
pub struct CohortBody {
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    #[schema(max_length = 500)]
    description: Option<String>,
    /// Whether it is for the whole app (needs cohort:manage) or only for oneself.
    shared: bool,
    /// `{of: "ids", ids}` (at most 10,000, needs profile:pii; in an update without `ids` the existing
    /// ones stay), `{of: "figure", question, pick}`, or `{of: "rule", all}` or `any` with at most 10
    /// rules.
    #[schema(value_type = Object)]
    definition: Map<String, Value>,
    /// In an update: the version that was edited. If there is another one by now, the answer is 409.
    version: Option<i64>,
}

/// Creates a cohort, for oneself or for the app.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/cohorts",
    operation_id = "cohort_create",
    tag = "analysis",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = CohortBody,
    responses((status = 200, body = Data<Cohort>))
)]
pub async fn cohort_create(
    State(atrium): State<Insight>,
    app: InApp<QueryRun>,
    Json(input): Json<CohortBody, BODY_MAX>,
) -> Result<Data<Cohort>> {
    let reader = Reader::of_session::<Cohorts>(&app, &app.access);
    let mut checks = Checks::default();
    let label = Label::check(&mut checks, &input.name, input.description.as_deref(), input.shared);
    let content = content::definition(&mut checks, input.definition, None, reader.pii)?;
    checks.finish()?;
    let row = changes::create::<Cohorts>(&atrium, &app, &label, &content).await?;
    Cohort::new(row, reader).map(Data)
}

/// Changes a cohort: one's own, or with cohort:manage one of the app's.
#[utoipa::path(
    put,
    path = "/api/v1/apps/{id}/cohorts/{cohort_id}",
    operation_id = "cohort_update",
    tag = "analysis",
    security(("session" = [])),
    params(("id" = Id, Path), ("cohort_id" = Id, Path)),
    request_body = CohortBody,
    responses((status = 200, body = Data<Cohort>), (status = 409))
)]
pub async fn cohort_update(
    State(atrium): State<Insight>,
    changing: Changing<Cohorts>,
    Json(input): Json<CohortBody, BODY_MAX>,
) -> Result<Data<Cohort>> {
    let reader = Reader::of_session::<Cohorts>(&changing.app, &changing.app.access);
    let mut checks = Checks::default();
    let label = Label::check(&mut checks, &input.name, input.description.as_deref(), input.shared);
    let before = Some(&changing.row);
    let content = content::definition(&mut checks, input.definition, before, reader.pii)?;
    checks.finish()?;
    let row = changes::update(&atrium, &changing, input.version, &label, &content).await?;
    Cohort::new(row, reader).map(Data)
}

/// Removes a cohort.
#[utoipa::path(
    delete,
    path = "/api/v1/apps/{id}/cohorts/{cohort_id}",
    operation_id = "cohort_delete",
    tag = "analysis",
    security(("session" = [])),
    params(("id" = Id, Path), ("cohort_id" = Id, Path)),
    responses((status = 200, body = Data<Done>))
)]
pub async fn cohort_delete(
    State(atrium): State<Insight>,
    changing: Changing<Cohorts>,
) -> Result<Data<Done>> {
    changes::delete(&atrium, &changing).await?;
    Ok(Data(Done {}))
}
