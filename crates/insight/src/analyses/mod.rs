//! Analyses: questions about what people do (section 11 of the product's rules). `body` has the
//! questions of the API; `check` and `ready` turn them into queries for the event store; `ask` runs
//! these and builds the answer; `people` and `cohorts` find the people behind it (docs/analyses.md,
//! docs/decisions/0040 and 0042).

mod answer;
mod ask;
mod asker;
mod bins;
mod body;
mod check;
pub mod cohort_sizes;
mod cohorts;
pub mod export;
mod export_tables;
mod formula;
pub mod people;
mod ready;
mod times;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

pub use answer::Answer;
pub use body::Question;

use crate::insight::state::Insight;
use asker::Asker;
use atrium_core::error::Result;
use atrium_core::fair_queue::Class;
use atrium_core::http::json::{Data, Json};
use atrium_core::permissions::QueryRun;
use atrium_core::types::Id;
use atrium_tenancy::access::DataApp;

#[derive(Debug, Serialize, ToSchema)]
pub struct QueuePlace {
    /// About how many calls are ahead of the caller's on this instance; null if none of theirs waits.
    ahead: Option<usize>,
}

/// The position of the caller's questions in the queue.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/analyses/queue",
    operation_id = "analysis_queue_view",
    tag = "analysis",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<QueuePlace>))
)]
pub async fn analysis_queue_view(
    State(atrium): State<Insight>,
    app: DataApp<QueryRun>,
) -> Result<Data<QueuePlace>> {
    let ahead = atrium.reads.ahead(&app.reader(Class::AdHoc));
    Ok(Data(QueuePlace { ahead }))
}

/// Answers a question about what people do.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/analyses/run",
    operation_id = "analysis_run",
    tag = "analysis",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path)),
    request_body = Question,
    responses((status = 200, body = Data<Answer>))
)]
pub async fn analysis_run(
    State(atrium): State<Insight>,
    app: DataApp<QueryRun>,
    Json(question): Json<Question>,
) -> Result<Response> {
    let asker = Asker::of_data(&atrium, &app).await?;
    let kept = asker.kept_answer(&question).await?;
    Ok(Data(&*kept).into_response())
}
