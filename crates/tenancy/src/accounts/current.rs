//! Who is signed in.

use axum::response::IntoResponse;
use http::header::CONTENT_TYPE;

use crate::current_user::CurrentUser;
use crate::session::SignedIn;
use atrium_core::http::json::Data;

/// The signed-in person.
#[utoipa::path(
    get,
    path = "/api/v1/current",
    operation_id = "current_view",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<CurrentUser>))
)]
pub async fn current_view(signed_in: SignedIn) -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], signed_in.answer())
}
