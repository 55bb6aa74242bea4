//! Bodies in and out: `Json<T>` reads one with errors that name the field, `Data<T>` answers one.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, HeaderMap};
use http::request::Parts;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use crate::error::{Code, Error, Fault, Result};

/// Hardly any console call sends more than a few kilobytes; one that does sets its own limit.
const BODY_LIMIT: usize = 256 * 1024;

/// The envelope of every success: `{"data": …}`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Data<T> {
    pub data: T,
}

#[allow(non_snake_case)]
pub fn Data<T>(data: T) -> Data<T> {
    Data { data }
}

impl<T: Serialize> IntoResponse for Data<T> {
    fn into_response(self) -> Response {
        axum::Json(self).into_response()
    }
}

/// The data of a call whose only result is that it worked.
#[derive(Debug, Serialize, ToSchema)]
pub struct Done {}

/// A JSON body: 415 for another type, 413 if too large, 400 for broken JSON, 422 naming the field for
/// JSON of the wrong shape.
pub struct Json<T, const LIMIT: usize = BODY_LIMIT>(pub T);

impl<S: Send + Sync, T: DeserializeOwned, const LIMIT: usize> FromRequest<S> for Json<T, LIMIT> {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        if !is_json(request.headers()) {
            return Err(Code::UnsupportedType.into());
        }
        let body = read_body(request, LIMIT).await?;
        parse(&body).map(Self)
    }
}

/// Query-string parameters, with the same errors as a body.
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let query = parts.uri.query().unwrap_or_default();
        // Both the raw and the encoded form: the decoder would pass either on to the database.
        if query.contains("%00") {
            return Err(Error::invalid(vec![Fault::new(Code::NulCharacter)]));
        }
        let deserializer = serde_html_form::Deserializer::from_bytes(query.as_bytes());
        serde_path_to_error::deserialize(deserializer).map(Self).map_err(|error| {
            let path = error.path().to_string();
            shape_fault(&path, &error.into_inner().to_string()).into()
        })
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .map(|value| value.split(';').next().unwrap_or_default().trim())
        .is_some_and(|mime| mime.eq_ignore_ascii_case("application/json"))
}

/// Reads a body up to `limit`. A body that breaks off midway is the caller's malformed request, not our
/// failure.
pub async fn read_body(request: Request, limit: usize) -> Result<Vec<u8>> {
    let body = Limited::new(request.into_body(), limit);
    match body.collect().await {
        Ok(body) => Ok(body.to_bytes().to_vec()),
        Err(error) if error.is::<LengthLimitError>() => Err(Code::TooLarge.into()),
        Err(_) => Err(Code::MalformedRequest.into()),
    }
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    if let Some(field) = field_with_nul(body) {
        let fault = Fault::new(Code::NulCharacter);
        return Err(if field.is_empty() { fault } else { fault.on(field) }.into());
    }
    // serde would accept an array for a struct, field by field.
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(match serde_json::from_slice::<serde_json::Value>(body) {
            Ok(_) => Code::WrongType.into(),
            Err(_) => Code::MalformedJson.into(),
        });
    }
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        match inner.classify() {
            serde_json::error::Category::Data => shape_fault(&path, &inner.to_string()).into(),
            _ => Error::from(Code::MalformedJson),
        }
    })?;
    deserializer.end().map_err(|_| Error::from(Code::MalformedJson))?;
    Ok(value)
}

/// serde names a missing field only in its message; the path points at the parent.
fn shape_fault(path: &str, message: &str) -> Fault {
    let missing = message
        .strip_prefix("missing field `")
        .and_then(|rest| rest.split_once('`'))
        .map(|(name, _)| name);
    let parent = if path == "." { "" } else { path };
    match missing {
        Some(name) if parent.is_empty() => Fault::new(Code::Required).on(name.to_owned()),
        Some(name) => Fault::new(Code::Required).on(format!("{parent}.{name}")),
        None if parent.is_empty() => Fault::new(Code::WrongType),
        None => Fault::new(Code::WrongType).on(parent.to_owned()),
    }
}

/// PostgreSQL cannot store NUL in text and SQLite ends a string there, so no text may contain one. JSON
/// can only spell it as an escape, which makes the common case one quick search.
fn field_with_nul(body: &[u8]) -> Option<String> {
    let escape = b"\\u0000";
    if !body.windows(escape.len()).any(|window| window == escape) {
        return None;
    }
    find_nul(&serde_json::from_slice(body).ok()?)
}

fn find_nul(value: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    let joined = |key: &str, inner: String| match inner.as_str() {
        "" => key.to_owned(),
        inner => format!("{key}.{inner}"),
    };
    match value {
        Value::String(text) => text.contains('\0').then(String::new),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            find_nul(item).map(|inner| joined(&index.to_string(), inner))
        }),
        Value::Object(fields) => fields.iter().find_map(|(key, item)| {
            if key.contains('\0') {
                return Some(String::new());
            }
            find_nul(item).map(|inner| joined(key, inner))
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Inner {
        #[allow(dead_code)]
        count: u8,
    }

    #[derive(Debug, Deserialize)]
    struct Sample {
        #[allow(dead_code)]
        name: String,
        #[allow(dead_code)]
        items: Vec<Inner>,
    }

    fn fault(body: &[u8]) -> (Code, Option<String>) {
        let response = parse::<Sample>(body).unwrap_err().into_response();
        let problem = response.extensions().get::<crate::error::Problem>().unwrap().clone();
        let fault = problem.faults.into_iter().next().unwrap();
        (fault.code, fault.field.map(|field| field.into_owned()))
    }

    #[test]
    fn errors_name_the_field() {
        let cases: [(&[u8], Code, Option<&str>); 9] = [
            (b"{", Code::MalformedJson, None),
            (b"", Code::MalformedJson, None),
            (b"{\"name\":\"\xff\"}", Code::MalformedJson, None),
            (b"{\"name\":\"a\",\"items\":[]} x", Code::MalformedJson, None),
            (b"[]", Code::WrongType, None),
            (b"{\"items\":[]}", Code::Required, Some("name")),
            (b"{\"name\":1,\"items\":[]}", Code::WrongType, Some("name")),
            (b"{\"name\":\"a\",\"items\":[{}]}", Code::Required, Some("items[0].count")),
            (b"{\"name\":\"a\\u0000\",\"items\":[]}", Code::NulCharacter, Some("name")),
        ];
        for (body, code, field) in cases {
            let label = String::from_utf8_lossy(body).into_owned();
            assert_eq!(fault(body), (code, field.map(str::to_owned)), "{label}");
        }
    }

    #[test]
    fn an_escaped_backslash_before_u0000_is_plain_text() {
        assert!(parse::<Sample>(b"{\"name\":\"\\\\u0000\",\"items\":[]}").is_ok());
    }
}
