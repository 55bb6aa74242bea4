//! Saved analyses: list, create, read, update, delete.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::changes::{self, Label};
use super::content::{self, KINDS};
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

pub struct Analyses;

impl SavedKind for Analyses {
    const TABLE: Table = store::ANALYSES;
    const MANAGE: Permission = Permission::AnalysisManage;
    const MOST: i64 = 500;
    const FULL: Code = Code::TooManyAnalyses;
    const NOUN: &'static str = "analysis";
    const CREATE: &'static str = "analysis.create";
    const UPDATE: &'static str = "analysis.update";
    const DELETE: &'static str = "analysis.delete";
}

/// The kind of question.
pub struct AnalysisKind;

atrium_core::code_schema!(AnalysisKind, "AnalysisKind", KINDS);

#[derive(Serialize, ToSchema)]
pub struct Analysis {
    #[serde(flatten)]
    saved: Saved,
    #[schema(value_type = AnalysisKind)]
    kind: String,
    /// As it was saved, except for what is hidden from the caller.
    question: Value,
}

impl Analysis {
    fn new(row: SavedRow, reader: Reader<'_>) -> Result<Self> {
        let mut question = serde_json::from_str(&row.text).map_err(Error::internal)?;
        let redacted = !reader.pii && hidden::hide(&mut question);
        Ok(Self { kind: row.kind.clone(), question, saved: Saved::new(row, reader, redacted) })
    }
}

/// The analyses saved for the app, and the caller's own.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/analyses",
    operation_id = "analysis_list",
    tag = "analysis",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), ListQuery),
    responses((status = 200, body = Data<Items<Analysis>>))
)]
pub async fn analysis_list(
    State(atrium): State<Insight>,
    app: DataApp<QueryRun>,
    Query(query): Query<ListQuery>,
) -> Result<Data<Items<Analysis>>> {
    let listing = query.check(SORTS, "saved.id")?;
    let reader = Reader::of_data::<Analyses>(&app);
    let mut db = atrium.db.read().await?;
    let (rows, total) =
        store::page(&mut db, Analyses::TABLE, app.id(), reader.user_id, &listing).await?;
    let items: Result<_> = rows.into_iter().map(|row| Analysis::new(row, reader)).collect();
    Ok(Data(Items { items: items?, total }))
}

/// One saved analysis.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/analyses/{analysis_id}",
    operation_id = "analysis_view",
    tag = "analysis",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), ("analysis_id" = Id, Path)),
    responses((status = 200, body = Data<Analysis>))
)]
pub async fn analysis_view(
    State(atrium): State<Insight>,
    app: DataApp<QueryRun>,
    SecondId(id): SecondId,
) -> Result<Data<Analysis>> {
    let reader = Reader::of_data::<Analyses>(&app);
    let row = store::one(&mut *atrium.db.read().await?, Analyses::TABLE, app.id(), &id).await?;
    let row = row.filter(|row| row.is_visible_to(reader.user_id)).ok_or(Code::NotFound)?;
    Analysis::new(row, reader).map(Data)
}

#[derive(Deserialize, ToSchema)]
pub struct AnalysisBody {
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    #[schema(max_length = 500)]
    description: Option<String>,
    /// Whether it is for the whole app (needs analysis:manage) or only for oneself.
    shared: bool,
    /// An object with a known `kind`, of at most 64 KiB; everything else in it is checked when it is
    /// run.
    #[schema(value_type = Object)]
    question: Map<String, Value>,
    /// In an update: the version that was edited. If there is another one by now, the answer is 409.
    version: Option<i64>,
}

/// Saves an analysis, for oneself or for the app.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/analyses",
    operation_id = "analysis_create",
    tag = "analysis",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = AnalysisBody,
    responses((status = 200, body = Data<Analysis>))
)]
pub async fn analysis_create(
    State(atrium): State<Insight>,
    app: InApp<QueryRun>,
    Json(input): Json<AnalysisBody>,
) -> Result<Data<Analysis>> {
    let reader = Reader::of_session::<Analyses>(&app, &app.access);
    let mut checks = Checks::default();
    let label = Label::check(&mut checks, &input.name, input.description.as_deref(), input.shared);
    let content = content::question(&mut checks, input.question, None, reader.pii)?;
    checks.finish()?;
    let row = changes::create::<Analyses>(&atrium, &app, &label, &content).await?;
    Analysis::new(row, reader).map(Data)
}

/// Changes a saved analysis: one's own, or with analysis:manage one of the app's.
#[utoipa::path(
    put,
    path = "/api/v1/apps/{id}/analyses/{analysis_id}",
    operation_id = "analysis_update",
    tag = "analysis",
    security(("session" = [])),
    params(("id" = Id, Path), ("analysis_id" = Id, Path)),
    request_body = AnalysisBody,
    responses((status = 200, body = Data<Analysis>), (status = 409))
)]
pub async fn analysis_update(
    State(atrium): State<Insight>,
    changing: Changing<Analyses>,
    Json(input): Json<AnalysisBody>,
) -> Result<Data<Analysis>> {
    let reader = Reader::of_session::<Analyses>(&changing.app, &changing.app.access);
    let mut checks = Checks::default();
    let label = Label::check(&mut checks, &input.name, input.description.as_deref(), input.shared);
    let before = Some(&changing.row);
    let content = content::question(&mut checks, input.question, before, reader.pii)?;
    checks.finish()?;
    let row = changes::update(&atrium, &changing, input.version, &label, &content).await?;
    Analysis::new(row, reader).map(Data)
}

/// Removes a saved analysis.
#[utoipa::path(
    delete,
    path = "/api/v1/apps/{id}/analyses/{analysis_id}",
    operation_id = "analysis_delete",
    tag = "analysis",
    security(("session" = [])),
    params(("id" = Id, Path), ("analysis_id" = Id, Path)),
    responses((status = 200, body = Data<Done>))
)]
pub async fn analysis_delete(
    State(atrium): State<Insight>,
    changing: Changing<Analyses>,
) -> Result<Data<Done>> {
    changes::delete(&atrium, &changing).await?;
    Ok(Data(Done {}))
}
