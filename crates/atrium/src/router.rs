//! The one table of routes. A handler's name is its operation id in the OpenAPI document, which
//! is made from this table and so cannot drift from it.

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{any, get};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::accounts::{current, login, register};
use crate::app::AppState;
use crate::error::{Code, Error};
use crate::http::{
    CLIENT_VERSION, access_log, console, cross_site, envelope, limits, request_id, security_headers,
};
use crate::instance::{envs, health};

/// Everything under /api/v1.
fn api() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(document_head())
        // instance
        .routes(routes!(envs::env_view))
        .routes(routes!(envs::build_info_view))
        .routes(routes!(envs::region_list))
        .routes(routes!(envs::app_zone_list))
        .routes(routes!(openapi_view))
        // account
        .routes(routes!(login::login))
        .routes(routes!(login::logout))
        .routes(routes!(current::current_view))
        .routes(routes!(register::register_token_view))
        .routes(routes!(register::register_profile))
}

pub fn build(atrium: AppState) -> Router {
    let (api, _) = api().split_for_parts();
    let api = api
        .fallback(no_such_call)
        .layer(from_fn_with_state(atrium.clone(), cross_site::middleware));
    Router::new()
        .nest("/api/v1", api)
        .route("/api", any(no_such_call))
        .route("/api/", any(no_such_call))
        .route("/api/{*path}", any(no_such_call))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .route(&format!("/{CLIENT_VERSION}/{{*path}}"), get(console::asset))
        .fallback(console::page)
        .layer(from_fn(limits::timeout))
        .layer(CatchPanicLayer::custom(limits::panicked))
        .layer(from_fn(envelope::middleware))
        .layer(from_fn_with_state(atrium.clone(), security_headers::middleware))
        .layer(from_fn_with_state(atrium.clone(), access_log::middleware))
        .layer(from_fn(request_id::middleware))
        .with_state(atrium)
}

/// What is under /api and not in the table is not a page of the console either.
async fn no_such_call() -> Error {
    Code::NotFound.into()
}

/// The contract, made from the table above.
pub fn openapi() -> OpenApi {
    let (_, mut document) = api().split_for_parts();
    let failure = utoipa::openapi::ResponseBuilder::new()
        .description("Failed; `code` says why")
        .content(
            "application/json",
            utoipa::openapi::ContentBuilder::new()
                .schema(Some(utoipa::openapi::Ref::from_schema_name("ErrorBody")))
                .build(),
        )
        .build();
    for item in document.paths.paths.values_mut() {
        for operation in
            [&mut item.get, &mut item.post, &mut item.put, &mut item.delete].into_iter().flatten()
        {
            operation.responses.responses.insert("default".to_owned(), failure.clone().into());
        }
    }
    document
}

fn document_head() -> OpenApi {
    use utoipa::OpenApi as _;
    #[derive(utoipa::OpenApi)]
    #[openapi(
        info(title = "Atrium", description = "The API of the Atrium console."),
        servers((url = "/api/v1")),
        components(schemas(envelope::ErrorBody)),
        tags(
            (name = "instance", description = "What the instance says about itself"),
            (name = "account", description = "Sign-in and the signed-in person"),
        )
    )]
    struct Head;
    let mut document = Head::openapi();
    let cookie = ApiKeyValue::with_description("atrium_session", "Set by signing in");
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    document
}

/// This document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi_view",
    tag = "instance",
    security(()),
    responses((status = 200, description = "The OpenAPI document", content_type = "application/json"))
)]
async fn openapi_view() -> axum::Json<OpenApi> {
    axum::Json(openapi())
}
