//! The one table of routes. A handler's name is its operation id in the OpenAPI document, which
//! is made from this table and so cannot drift from it.

use std::sync::Arc;

use axum::extract::FromRef;
use axum::routing::{any, get};
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::account_export;
use crate::app::AppState;
use crate::console::{self, sdk};
use crate::contract;
use crate::fleet::handlers as fleet;
use crate::instance::{envs, health};
use crate::reports::{handlers as errors, receive as error_reports};
use atrium_collect::collect::receive;
use atrium_collect::erasures::handlers as erasures;
use atrium_core::Core;
use atrium_core::error::{Code, Error};
use atrium_core::http::access_log::{self, RouteLabels};
use atrium_core::http::edge::Service;
use atrium_core::http::{CLIENT_VERSION, cors, envelope};
use atrium_insight::analyses as asking;
use atrium_insight::insight::overall::export as overall_export;
use atrium_insight::insight::{apps as app_counts, retention_impact};
use atrium_insight::insight::{ingest, overall};
use atrium_insight::saved::{analyses, cohorts};
use atrium_insight::workspace::{
    engagement, events, explore, explore_export, last_app, live, live_message, metadata,
    profile as person, profiles, properties,
};
use atrium_tenancy::accounts::factors::{passkey_login, passkeys, totp};
use atrium_tenancy::accounts::{
    code, current, delete_account, email, link, login, operator_sessions, password_check,
    pending_links, profile, reauth, register, reset, second_step, sessions,
};
use atrium_tenancy::apps::{explain, handlers as apps, lifecycle, members as app_members};
use atrium_tenancy::audit_log::{export as audit_export, handlers as audit};
use atrium_tenancy::chat::handlers as chat;
use atrium_tenancy::keys::{access_keys, api_keys};
use atrium_tenancy::notifications::{channels, handlers as notifications};
use atrium_tenancy::orgs::{
    handlers as orgs, invitation_link, invitations, joining, members as org_members, my_invitations,
};
use atrium_tenancy::roles::{handlers as roles, registry};
use atrium_tenancy::sign_in_failure::SignInFailure;
use atrium_tenancy::sso::{
    connection_test, domains, linking, settings as sso, sign_in as sso_sign_in,
};

const PREFIX: &str = "/api/v1";

/// Everything under /api/v1, with full paths: nesting a router under a prefix would rewrite the URL of
/// every request.
fn api() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(document_head())
        // instance
        .routes(routes!(envs::env_view))
        .routes(routes!(envs::build_info_view))
        .routes(routes!(envs::region_list))
        .routes(routes!(envs::app_zone_list))
        .routes(routes!(openapi_view))
        .routes(routes!(fleet::instance_health_view))
        .routes(routes!(error_reports::error_report_send))
        .routes(routes!(errors::error_group_list))
        .routes(routes!(errors::error_group_view, errors::error_group_delete))
        .routes(routes!(errors::error_report_list))
        .routes(routes!(errors::error_replay_view))
        // account
        .routes(routes!(login::login))
        .routes(routes!(login::logout))
        .routes(routes!(second_step::login_mfa))
        .routes(routes!(link::login_by_link))
        .routes(routes!(passkey_login::login_passkey_options))
        .routes(routes!(passkey_login::login_passkey))
        .routes(routes!(current::current_view, delete_account::account_delete))
        .routes(routes!(delete_account::deletion_view))
        .routes(routes!(account_export::account_export))
        .routes(routes!(reauth::reauth))
        .routes(routes!(email::email_change))
        .routes(routes!(email::email_confirm))
        .routes(routes!(totp::totp_view, totp::totp_enrol, totp::totp_confirm, totp::totp_delete))
        .routes(routes!(totp::recovery_codes_renew))
        .routes(routes!(passkeys::passkey_list, passkeys::passkey_create))
        .routes(routes!(passkeys::passkey_options))
        .routes(routes!(passkeys::passkey_update, passkeys::passkey_delete))
        .routes(routes!(notifications::notification_list))
        .routes(routes!(notifications::notification_unread_view))
        .routes(routes!(notifications::notification_mark_read))
        .routes(routes!(code::login_code_send))
        .routes(routes!(code::login_by_code))
        .routes(routes!(reset::password_forget))
        .routes(routes!(password_check::password_check))
        .routes(routes!(reset::password_reset_token_view))
        .routes(routes!(reset::password_reset))
        .routes(routes!(profile::profile_update))
        .routes(routes!(profile::password_update))
        .routes(routes!(channels::notification_types_update))
        .routes(routes!(sessions::session_list, sessions::session_delete_others))
        .routes(routes!(sessions::session_delete))
        .routes(routes!(operator_sessions::operator_session_list))
        .routes(routes!(operator_sessions::operator_session_end))
        .routes(routes!(pending_links::pending_link_list))
        .routes(routes!(pending_links::pending_link_copy))
        .routes(routes!(register::register))
        .routes(routes!(register::register_token_view))
        .routes(routes!(register::register_profile))
        .routes(routes!(sso_sign_in::sso_login))
        .routes(routes!(sso_sign_in::sso_callback))
        .routes(routes!(linking::sso_link_view, linking::sso_link))
        .routes(routes!(chat::wechatwork_authorize_url))
        .routes(routes!(chat::wechatwork_callback))
        .routes(routes!(chat::wechatwork_authorize_cancel))
        .routes(routes!(chat::feishu_authorize_url))
        .routes(routes!(chat::feishu_callback))
        .routes(routes!(chat::feishu_authorize_cancel))
        // organizations
        .routes(routes!(orgs::org_list, orgs::org_create))
        .routes(routes!(orgs::org_view, orgs::org_update, orgs::org_delete))
        .routes(routes!(orgs::org_leave))
        .routes(routes!(orgs::org_transfer))
        .routes(routes!(org_members::org_member_list))
        .routes(routes!(org_members::org_member_update, org_members::org_member_remove))
        .routes(routes!(org_members::org_member_impact))
        .routes(routes!(org_members::org_member_end_sessions))
        .routes(routes!(invitations::invitation_list, invitations::invitation_create))
        .routes(routes!(invitations::invitation_revoke))
        .routes(routes!(invitations::invitation_resend))
        .routes(routes!(invitation_link::invitation_link))
        .routes(routes!(my_invitations::my_invitation_list))
        .routes(routes!(my_invitations::invitation_accept))
        .routes(routes!(my_invitations::invitation_decline))
        .routes(routes!(joining::joinable_org_list))
        .routes(routes!(joining::org_access_ask))
        .routes(routes!(sso::sso_view, sso::sso_update, sso::sso_delete))
        .routes(routes!(connection_test::sso_test))
        .routes(routes!(domains::sso_domain_add))
        .routes(routes!(domains::sso_domain_remove))
        .routes(routes!(domains::sso_domain_verify))
        // apps
        .routes(routes!(app_counts::app_list, apps::app_create))
        .routes(routes!(app_counts::app_view, apps::app_update, lifecycle::app_delete))
        .routes(routes!(apps::app_role_view))
        .routes(routes!(lifecycle::app_archive))
        .routes(routes!(lifecycle::app_unarchive))
        .routes(routes!(lifecycle::app_restore))
        .routes(routes!(app_counts::app_impact))
        .routes(routes!(retention_impact::app_retention_impact))
        .routes(routes!(retention_impact::org_retention_impact))
        .routes(routes!(app_members::app_member_list, app_members::app_member_add))
        .routes(routes!(app_members::app_member_update, app_members::app_member_remove))
        .routes(routes!(app_members::app_candidate_list))
        .routes(routes!(explain::app_member_access))
        // roles
        .routes(routes!(registry::permission_list))
        .routes(routes!(roles::role_list, roles::role_create))
        .routes(routes!(roles::role_view, roles::role_update, roles::role_delete))
        // data
        .routes(routes!(overall::data_overall))
        .routes(routes!(overall_export::data_overall_export))
        .routes(routes!(ingest::app_ingest_view))
        .routes(routes!(erasures::erasure_list, erasures::erasure_create))
        // workspace
        .routes(routes!(last_app::last_app_update))
        .routes(routes!(engagement::engagement_view))
        .routes(routes!(events::event_list))
        .routes(routes!(metadata::event_metadata_update))
        .routes(routes!(properties::property_list))
        .routes(routes!(metadata::property_metadata_update))
        .routes(routes!(explore::explore))
        .routes(routes!(explore_export::explore_export))
        .routes(routes!(explore::explore_value_list))
        .routes(routes!(asking::analysis_run))
        .routes(routes!(asking::analysis_queue_view))
        .routes(routes!(asking::people::analysis_people))
        .routes(routes!(asking::export::analysis_export))
        .routes(routes!(asking::people::cohort_people))
        .routes(routes!(asking::people::cohort_size))
        .routes(routes!(asking::cohort_sizes::cohort_sizes))
        .routes(routes!(live::live_view))
        .routes(routes!(profiles::profile_list))
        .routes(routes!(person::profile_view))
        .routes(routes!(person::profile_event_list))
        // analyses
        .routes(routes!(analyses::analysis_list, analyses::analysis_create))
        .routes(routes!(
            analyses::analysis_view,
            analyses::analysis_update,
            analyses::analysis_delete
        ))
        .routes(routes!(cohorts::cohort_list, cohorts::cohort_create))
        .routes(routes!(cohorts::cohort_view, cohorts::cohort_update, cohorts::cohort_delete))
        // keys
        .routes(routes!(api_keys::api_key_list, api_keys::api_key_reset))
        .routes(routes!(api_keys::api_key_drop_previous))
        .routes(routes!(access_keys::access_key_list, access_keys::access_key_create))
        .routes(routes!(access_keys::access_key_update, access_keys::access_key_delete))
        .routes(routes!(access_keys::access_key_use))
        // audit
        .routes(routes!(audit::org_audit_list))
        .routes(routes!(audit_export::org_audit_export))
        .routes(routes!(audit::app_audit_list))
        .routes(routes!(audit_export::app_audit_export))
}

pub fn build(atrium: AppState) -> Service {
    let (api, document) = api().split_for_parts();
    let assets = format!("/{CLIENT_VERSION}/{{*path}}");
    let mut labels = RouteLabels::default();
    for path in document.paths.paths.keys() {
        labels.add(path, path);
    }
    for probe in ["/healthz", "/readyz", "/metrics", cors::PATH] {
        labels.add(probe, probe);
    }
    for unknown in ["/api", "/api/", "/api/{*path}", "/v1/{*path}"] {
        labels.add(unknown, "/api/{unknown}");
    }
    labels.add(&assets, access_log::ASSET);
    labels.add("/sdk/{file}", access_log::ASSET);
    let router = api
        .route("/api", any(no_such_call))
        .route("/api/", any(no_such_call))
        .route("/api/{*path}", any(no_such_call))
        .route(
            cors::PATH,
            get(receive::collect_get).post(receive::collect_post).options(cors::preflight),
        )
        .route("/v1/{*path}", any(no_such_call))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .route("/sdk/{file}", get(sdk::file))
        .route(&assets, get(console::asset))
        .fallback(console::page)
        .with_state(atrium.clone());
    Service { atrium: Core::from_ref(&atrium), router, labels: Arc::new(labels) }
}

/// Unknown paths under /api are not pages of the console either.
async fn no_such_call() -> Error {
    Code::NotFound.into()
}

/// The contract, made from the table above.
pub fn openapi() -> OpenApi {
    let (_, document) = api().split_for_parts();
    contract::complete(document, PREFIX)
}

fn document_head() -> OpenApi {
    use utoipa::OpenApi as _;
    #[derive(utoipa::OpenApi)]
    #[openapi(
        info(title = "Atrium", description = "The API of the Atrium console."),
        servers((url = PREFIX)),
        components(schemas(
            envelope::ErrorBody,
            live_message::LiveMessage,
            live::LiveDropped,
            // Not in a response but in the URL to which a provider sends people back.
            SignInFailure,
        )),
        tags(
            (name = "instance", description = "What the instance says about itself"),
            (name = "account", description = "Sign-in and the signed-in person"),
            (name = "organization", description = "Organizations, their members and invitations"),
            (name = "app", description = "Apps, their life and their members"),
            (name = "role", description = "Roles and permissions"),
            (name = "data", description = "What the events say, and their upkeep"),
            (name = "workspace", description = "An app's people, events and questions about them"),
            (name = "analysis", description = "Analyses and cohorts"),
            (name = "key", description = "API keys and access keys"),
            (name = "audit", description = "What was done, by whom"),
        )
    )]
    struct Head;
    let mut document = Head::openapi();
    let cookie = ApiKeyValue::with_description("atrium_session", "Set by signing in");
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    let key = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An app's query key: reads that app alone, and no personal data"));
    components.add_security_scheme("query_key", SecurityScheme::Http(key.build()));
    document
}

/// This document.
#[utoipa::path(
    get,
    path = "/api/v1/openapi.json",
    operation_id = "openapi_view",
    tag = "instance",
    security(()),
    responses((status = 200, description = "The OpenAPI document", content_type = "application/json"))
)]
async fn openapi_view() -> axum::Json<OpenApi> {
    axum::Json(openapi())
}
