//! Environment, build and regions: the first things the console loads.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::AppState;
use crate::reports;
use atrium_core::chat_provider::Provider;
use atrium_core::config::{Region, Registration};
use atrium_core::http::json::Data;
use atrium_tenancy::session::SignedIn;
use atrium_tenancy::sso;

#[derive(Serialize, ToSchema)]
pub struct Envs {
    /// If it contains "production", the console checks for new versions.
    #[schema(example = "production-front")]
    environment: String,
    build_version: String,
    build_message: Option<String>,
    registration: Registration,
    providers: Providers,
    /// Whether a mail server is configured; without one, mail is written to files on the server.
    mail_configured: bool,
    /// Whether pages carry the signed-in person's name as a watermark.
    watermark: bool,
    /// The domain that passkeys are bound to; null if the instance cannot use them.
    passkey_domain: Option<String>,
    /// Where the console reports its own use; null if it does not.
    analytics: Option<Analytics>,
    /// How the console reports its own errors; null if it does not.
    error_reporting: Option<ErrorReporting>,
}

/// Which other ways to sign in are configured.
#[derive(Serialize, ToSchema)]
pub struct Providers {
    sso: bool,
    wechatwork: bool,
    feishu: bool,
}

/// The configuration of the console's own analytics client.
#[derive(Serialize, ToSchema)]
pub struct Analytics {
    url: String,
    app_key: String,
}

/// The configuration of the console's error reporting client.
#[derive(Serialize, ToSchema)]
pub struct ErrorReporting {
    dsn: String,
    /// The path that reports are sent to.
    tunnel: String,
    /// Whether reports are kept here for operators; otherwise they go to an external collector.
    kept: bool,
}

#[derive(Serialize, ToSchema)]
pub struct BuildInfo {
    build_version: String,
    build_message: Option<String>,
}

/// What the console needs to know before anyone signs in.
#[utoipa::path(
    get,
    path = "/api/v1/envs",
    operation_id = "env_view",
    tag = "instance",
    security(()),
    responses((status = 200, body = Data<Envs>))
)]
pub async fn env_view(State(atrium): State<AppState>) -> Data<Envs> {
    // The console must load even if the database is unavailable, to say so.
    let sso = sso::is_used(&atrium).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "could not determine whether any team uses single sign-on");
        false
    });
    let console = &atrium.settings.console;
    Data(Envs {
        environment: console.environment.clone(),
        build_version: atrium.build_version.clone(),
        build_message: console.build_message.clone(),
        registration: console.registration,
        providers: Providers {
            sso,
            wechatwork: atrium.chat.is_configured(Provider::Wechatwork),
            feishu: atrium.chat.is_configured(Provider::Feishu),
        },
        mail_configured: atrium.settings.mail.smtp.is_some(),
        watermark: console.watermark,
        passkey_domain: atrium.relying_party.as_ref().map(|party| party.domain.clone()),
        analytics: console
            .app_key
            .clone()
            .map(|app_key| Analytics { url: atrium.settings.server.link(""), app_key }),
        error_reporting: atrium.reports.as_ref().map(|reports| ErrorReporting {
            dsn: reports.dsn.clone(),
            tunnel: reports::TUNNEL.to_owned(),
            kept: reports.are_kept(),
        }),
    })
}

/// The current build: the console regularly compares it with its own.
#[utoipa::path(
    get,
    path = "/api/v1/build-info",
    operation_id = "build_info_view",
    tag = "instance",
    security(()),
    responses((status = 200, body = Data<BuildInfo>))
)]
pub async fn build_info_view(State(atrium): State<AppState>) -> Data<BuildInfo> {
    let console = &atrium.settings.console;
    Data(BuildInfo {
        build_version: atrium.build_version.clone(),
        build_message: console.build_message.clone(),
    })
}

/// Every region with the endpoint for its applications.
#[utoipa::path(
    get,
    path = "/api/v1/regions",
    operation_id = "region_list",
    tag = "instance",
    security(()),
    responses((status = 200, body = Data<Vec<Region>>))
)]
pub async fn region_list(State(atrium): State<AppState>) -> Data<Vec<Region>> {
    Data(atrium.settings.console.regions.clone())
}

/// The zones that an app can be created in.
#[utoipa::path(
    get,
    path = "/api/v1/app-zones",
    operation_id = "app_zone_list",
    tag = "instance",
    security(("session" = [])),
    responses((status = 200, body = Data<Vec<Region>>))
)]
pub async fn app_zone_list(State(atrium): State<AppState>, _: SignedIn) -> Data<Vec<Region>> {
    Data(atrium.settings.console.regions.clone())
}
