//! Who is signed in.

use super::CurrentUser;
use super::session::SignedIn;
use crate::http::json::Data;

/// The signed-in person.
#[utoipa::path(
    get,
    path = "/current",
    operation_id = "current_view",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<CurrentUser>))
)]
pub async fn current_view(signed_in: SignedIn) -> Data<CurrentUser> {
    Data(signed_in.user().clone())
}
