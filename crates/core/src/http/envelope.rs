//! Turns every failure under the API into the one JSON envelope, in the caller's language: our own
//! errors, and those the framework makes by itself (404, 405, 413 …).

use axum::response::{IntoResponse, Response};
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{Code, Fault, Problem};
use crate::locale::Locale;

/// What every failed call answers.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    /// One sentence for a person, in the language of Accept-Language.
    pub message: String,
    pub errors: Vec<ErrorItem>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorItem {
    /// For a person, in the language of Accept-Language.
    pub error: String,
    /// For a program; never changes.
    #[schema(value_type = Code)]
    pub code: &'static str,
    /// The field of the request that this is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

pub fn apply(mut response: Response, locale: Locale, is_api: bool) -> Response {
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        return render(problem, locale, response);
    }
    let status = response.status();
    if !is_api || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    if response.headers().get(CONTENT_TYPE).is_none_or(|mime| mime != "application/json") {
        let faults = vec![Fault::new(Code::for_status(status))];
        return render(Problem { status, faults, retry_after_seconds: None }, locale, response);
    }
    response
}

fn render(problem: Problem, locale: Locale, bare: Response) -> Response {
    let errors: Vec<_> = problem
        .faults
        .iter()
        .map(|fault| ErrorItem {
            error: fault.text(locale),
            code: fault.code.as_str(),
            field: fault.field.as_ref().map(|field| field.clone().into_owned()),
        })
        .collect();
    // A field's text ("This is required.") makes no sense without the field beside it.
    let message = match errors.as_slice() {
        [only] if only.field.is_none() => only.error.clone(),
        _ => Code::for_status(problem.status).text(locale).to_owned(),
    };
    let mut response = (problem.status, axum::Json(ErrorBody { message, errors })).into_response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(allow) = bare.headers().get(ALLOW) {
        headers.insert(ALLOW, allow.clone());
    }
    if let Some(seconds) = problem.retry_after_seconds {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
