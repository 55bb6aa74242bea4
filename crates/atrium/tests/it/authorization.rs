//! Who may call what: every call of the OpenAPI document, as every kind of caller. The expected result comes
//! from the registry of permissions. A call without a case here fails the test, so nobody can add a route and
//! forget its authorization.

use std::collections::BTreeSet;

use crate::support::world::{Person, Team};
use crate::support::{Actor, Store, TestServer, on_both};
use atrium::permissions::{Permission as P, QUERY_KEY};
use reqwest::Method;
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    /// Anyone, signed in or not.
    Public,
    /// Anyone who is signed in.
    SignedIn,
    /// Anyone who is signed in, for their own things: another person's are not found.
    OwnThing,
    /// Operators of the instance; here there are none.
    Operator,
    /// Anyone who is signed in, if the work chat is configured; here none is.
    Chat,
    /// The address that a work chat redirects the browser to.
    ChatReturn,
    /// Members of the organization in the path.
    Member,
    /// Holders of this permission in the organization in the path.
    Org(P),
    /// Holders of this permission in the app in the path.
    App(P),
}

const CASES: &[(&str, Access)] = &[
    ("access_key_create", Access::App(P::KeyManage)),
    ("access_key_delete", Access::App(P::KeyManage)),
    ("access_key_list", Access::App(P::KeyView)),
    ("access_key_update", Access::App(P::KeyManage)),
    ("access_key_use", Access::App(P::KeyView)),
    ("account_delete", Access::SignedIn),
    ("account_export", Access::SignedIn),
    ("analysis_create", Access::App(P::QueryRun)),
    // Also analysis:manage for shared ones, which every built-in role with query:run holds.
    ("analysis_delete", Access::App(P::QueryRun)),
    // Also query:run, which every built-in role with event:export holds.
    ("analysis_export", Access::App(P::EventExport)),
    ("analysis_list", Access::App(P::QueryRun)),
    // Also query:run, which every built-in role with profile:view holds.
    ("analysis_people", Access::App(P::ProfileView)),
    ("analysis_queue_view", Access::App(P::QueryRun)),
    ("analysis_run", Access::App(P::QueryRun)),
    ("analysis_update", Access::App(P::QueryRun)),
    ("analysis_view", Access::App(P::QueryRun)),
    ("api_key_drop_previous", Access::App(P::KeyManage)),
    ("api_key_list", Access::App(P::KeyView)),
    // Also key:reveal, which every built-in role with key:manage holds.
    ("api_key_reset", Access::App(P::KeyManage)),
    ("app_archive", Access::App(P::AppArchive)),
    ("app_audit_export", Access::App(P::AuditExport)),
    ("app_audit_list", Access::App(P::AuditView)),
    ("app_candidate_list", Access::App(P::MemberManage)),
    ("app_create", Access::Org(P::OrgAppCreate)),
    ("app_delete", Access::App(P::AppDelete)),
    ("app_impact", Access::App(P::AppView)),
    ("app_ingest_view", Access::App(P::DashboardView)),
    ("app_list", Access::Org(P::OrgView)),
    ("app_member_access", Access::App(P::MemberView)),
    ("app_member_add", Access::App(P::MemberManage)),
    ("app_member_list", Access::App(P::MemberView)),
    ("app_member_remove", Access::App(P::MemberManage)),
    ("app_member_update", Access::App(P::MemberManage)),
    ("app_restore", Access::App(P::AppDelete)),
    ("app_retention_impact", Access::App(P::AppUpdate)),
    ("app_role_view", Access::App(P::AppView)),
    ("app_unarchive", Access::App(P::AppArchive)),
    ("app_update", Access::App(P::AppUpdate)),
    ("app_view", Access::App(P::AppView)),
    ("app_zone_list", Access::SignedIn),
    ("build_info_view", Access::Public),
    ("cohort_create", Access::App(P::QueryRun)),
    // Also cohort:manage for shared ones.
    ("cohort_delete", Access::App(P::QueryRun)),
    ("cohort_list", Access::App(P::QueryRun)),
    ("cohort_people", Access::App(P::ProfileView)),
    ("cohort_size", Access::App(P::QueryRun)),
    ("cohort_sizes", Access::App(P::QueryRun)),
    ("cohort_update", Access::App(P::QueryRun)),
    ("cohort_view", Access::App(P::QueryRun)),
    ("current_view", Access::SignedIn),
    ("data_overall", Access::Org(P::OrgView)),
    // Also event:export in every app that is counted.
    ("data_overall_export", Access::Org(P::OrgView)),
    ("deletion_view", Access::SignedIn),
    ("email_change", Access::SignedIn),
    ("email_confirm", Access::Public),
    ("engagement_view", Access::App(P::DashboardView)),
    ("env_view", Access::Public),
    ("erasure_create", Access::App(P::ProfilePii)),
    ("erasure_list", Access::App(P::ProfilePii)),
    ("error_group_delete", Access::Operator),
    ("error_group_list", Access::Operator),
    ("error_group_view", Access::Operator),
    ("error_replay_view", Access::Operator),
    ("error_report_list", Access::Operator),
    ("error_report_send", Access::Public),
    ("event_list", Access::App(P::EventView)),
    ("event_metadata_update", Access::App(P::MetadataManage)),
    ("explore", Access::App(P::QueryRun)),
    // Also query:run, which every built-in role with event:export holds.
    ("explore_export", Access::App(P::EventExport)),
    ("explore_value_list", Access::App(P::QueryRun)),
    ("feishu_authorize_cancel", Access::Chat),
    ("feishu_authorize_url", Access::ChatReturn),
    ("feishu_callback", Access::ChatReturn),
    ("instance_health_view", Access::Operator),
    ("invitation_accept", Access::OwnThing),
    ("invitation_create", Access::Org(P::OrgMemberManage)),
    ("invitation_decline", Access::OwnThing),
    ("invitation_link", Access::Org(P::OrgMemberManage)),
    ("invitation_list", Access::Org(P::OrgMemberManage)),
    ("invitation_resend", Access::Org(P::OrgMemberManage)),
    ("invitation_revoke", Access::Org(P::OrgMemberManage)),
    ("joinable_org_list", Access::SignedIn),
    ("last_app_update", Access::SignedIn),
    ("live_view", Access::App(P::LiveView)),
    ("login", Access::Public),
    ("login_by_code", Access::Public),
    ("login_by_link", Access::Public),
    ("login_code_send", Access::Public),
    ("login_mfa", Access::Public),
    ("login_passkey", Access::Public),
    ("login_passkey_options", Access::Public),
    ("logout", Access::Public),
    ("my_invitation_list", Access::SignedIn),
    ("notification_list", Access::SignedIn),
    ("notification_mark_read", Access::SignedIn),
    ("notification_types_update", Access::SignedIn),
    ("notification_unread_view", Access::SignedIn),
    ("openapi_view", Access::Public),
    ("operator_session_end", Access::Operator),
    ("operator_session_list", Access::Operator),
    ("org_access_ask", Access::OwnThing),
    ("org_audit_export", Access::Org(P::OrgAuditView)),
    ("org_audit_list", Access::Org(P::OrgAuditView)),
    ("org_create", Access::SignedIn),
    ("org_delete", Access::Org(P::OrgDelete)),
    ("org_leave", Access::Member),
    ("org_list", Access::SignedIn),
    ("org_member_end_sessions", Access::Org(P::OrgMemberManage)),
    ("org_member_impact", Access::Org(P::OrgMemberManage)),
    ("org_member_list", Access::Org(P::OrgMemberView)),
    ("org_member_remove", Access::Org(P::OrgMemberManage)),
    ("org_member_update", Access::Org(P::OrgMemberManage)),
    ("org_retention_impact", Access::Org(P::OrgUpdate)),
    ("org_transfer", Access::Org(P::OrgTransfer)),
    ("org_update", Access::Org(P::OrgUpdate)),
    ("org_view", Access::Org(P::OrgView)),
    ("passkey_create", Access::SignedIn),
    ("passkey_delete", Access::OwnThing),
    ("passkey_list", Access::SignedIn),
    ("passkey_options", Access::SignedIn),
    ("passkey_update", Access::OwnThing),
    ("password_check", Access::Public),
    ("password_forget", Access::Public),
    ("password_reset", Access::Public),
    ("password_reset_token_view", Access::Public),
    ("password_update", Access::SignedIn),
    ("pending_link_copy", Access::Operator),
    ("pending_link_list", Access::Operator),
    ("permission_list", Access::SignedIn),
    ("profile_event_list", Access::App(P::ProfileView)),
    ("profile_list", Access::App(P::ProfileView)),
    ("profile_update", Access::SignedIn),
    ("profile_view", Access::App(P::ProfileView)),
    ("property_list", Access::App(P::EventView)),
    ("property_metadata_update", Access::App(P::MetadataManage)),
    ("reauth", Access::SignedIn),
    ("recovery_codes_renew", Access::SignedIn),
    ("region_list", Access::Public),
    ("register", Access::Public),
    ("register_profile", Access::Public),
    ("register_token_view", Access::Public),
    ("role_create", Access::App(P::RoleManage)),
    ("role_delete", Access::App(P::RoleManage)),
    ("role_list", Access::App(P::RoleView)),
    ("role_update", Access::App(P::RoleManage)),
    ("role_view", Access::App(P::RoleView)),
    ("session_delete", Access::OwnThing),
    ("session_delete_others", Access::SignedIn),
    ("session_list", Access::SignedIn),
    ("sso_callback", Access::Public),
    ("sso_delete", Access::Org(P::OrgSsoManage)),
    ("sso_domain_add", Access::Org(P::OrgSsoManage)),
    ("sso_domain_remove", Access::Org(P::OrgSsoManage)),
    ("sso_domain_verify", Access::Org(P::OrgSsoManage)),
    ("sso_link", Access::SignedIn),
    ("sso_link_view", Access::SignedIn),
    ("sso_login", Access::Public),
    ("sso_test", Access::Org(P::OrgSsoManage)),
    ("sso_update", Access::Org(P::OrgSsoManage)),
    ("sso_view", Access::Org(P::OrgSsoManage)),
    ("totp_confirm", Access::SignedIn),
    ("totp_delete", Access::SignedIn),
    ("totp_enrol", Access::SignedIn),
    ("totp_view", Access::SignedIn),
    ("wechatwork_authorize_cancel", Access::Chat),
    ("wechatwork_authorize_url", Access::ChatReturn),
    ("wechatwork_callback", Access::ChatReturn),
];

const NOBODYS_ID: &str = "01a1dd08-6e8b-7c12-a86d-ab85cdefca48";

struct Operation {
    id: String,
    method: Method,
    path: String,
    wants_session: bool,
    takes_key: bool,
}

impl Operation {
    fn access(&self) -> Access {
        CASES.iter().find(|(id, _)| *id == self.id).unwrap().1
    }

    /// The path, filled with ids of this team.
    fn path_in(&self, team: &Team) -> String {
        let id = match self.access() {
            Access::Org(_) | Access::Member => team.org_id.as_str(),
            Access::App(_) => team.app_id.as_str(),
            // Another person's id, or an id of nothing.
            _ => NOBODYS_ID,
        };
        self.path
            .replace("{id}", id)
            .replace("{user_id}", team.target_id.as_str())
            .replace("{role_id}", team.role_id.as_str())
            .replace("{inv_id}", team.invitation_id.as_str())
            .replace("{key_id}", &team.key_id)
            .replace("{analysis_id}", team.analysis_id.as_str())
            .replace("{cohort_id}", team.cohort_id.as_str())
            .replace("{domain}", &team.domain)
            .replace("{kind}", "query")
    }
}

fn operations() -> Vec<Operation> {
    let document = serde_json::to_value(atrium::router::openapi()).unwrap();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations.push(Operation {
                id: operation["operationId"].as_str().unwrap().to_owned(),
                method: method.to_uppercase().parse().unwrap(),
                path: format!("/api/v1{path}"),
                wants_session: declares(&operation["security"], "session"),
                takes_key: declares(&operation["security"], "query_key"),
            });
        }
    }
    operations
}

fn declares(security: &Value, scheme: &str) -> bool {
    security.as_array().is_some_and(|list| list.iter().any(|item| item.get(scheme).is_some()))
}

#[test]
fn every_operation_has_a_case_and_says_the_same_in_the_document() {
    let documented: BTreeSet<String> = operations().into_iter().map(|op| op.id).collect();
    let cases: BTreeSet<String> = CASES.iter().map(|(id, _)| (*id).to_owned()).collect();
    assert_eq!(documented, cases, "operations (left) and cases (right) differ");
    for operation in operations() {
        let public = matches!(operation.access(), Access::Public | Access::ChatReturn);
        assert_eq!(operation.wants_session, !public, "{}", operation.id);
    }
}

type Refusal = Option<(u16, &'static str)>;
const UNSEEN: Refusal = Some((404, "not_found"));
const REFUSED: Refusal = Some((403, "forbidden"));
const NOT_SET_UP: Refusal = Some((404, "provider_not_configured"));

/// The expected refusal by the registry; None if the call is allowed.
fn expected(access: Access, caller: Option<&Person>, is_own_team: bool) -> Refusal {
    if access == Access::ChatReturn || access == Access::Chat && caller.is_some() {
        return NOT_SET_UP;
    }
    let Some(caller) = caller else {
        return (access != Access::Public).then_some((401, "not_signed_in"));
    };
    let (sees, holds) = match access {
        Access::Public | Access::SignedIn => (true, true),
        Access::OwnThing | Access::Chat | Access::ChatReturn => (false, false),
        Access::Operator => (true, false),
        Access::Member => (is_own_team && caller.standing.org.is_some(), true),
        Access::Org(permission) => {
            let held = caller.org_permissions();
            (is_own_team && held.contains(&P::OrgView), held.contains(&permission))
        }
        Access::App(permission) => {
            let held = caller.app_permissions();
            (is_own_team && held.contains(&P::AppView), held.contains(&permission))
        }
    };
    match (sees, holds) {
        (false, _) => UNSEEN,
        (true, false) => REFUSED,
        (true, true) => None,
    }
}

/// Calls that would end the caller's own session, or that are slow and add nothing here.
const APART: [&str; 2] = ["logout", "session_delete_others"];

on_both! {
    async fn every_actor_gets_the_right_answer_to_every_call(server: TestServer) {
        let (team, other) = (server.team("one").await, server.team("two").await);
        let anonymous = server.anonymous();
        // The first account is an operator; `reports.rs` tests what operators may do.
        server.run("UPDATE users SET operator_at = NULL", &[]).await;
        let mut asked = 0;
        for operation in operations().into_iter().filter(|op| !APART.contains(&op.id.as_str())) {
            let path = operation.path_in(&team);
            let strangers = other.people.iter().map(|(name, person)| (*name, Some(person), false));
            let members = team.people.iter().map(|(name, person)| (*name, Some(person), true));
            let callers = [("anonymous", None, false)].into_iter().chain(members).chain(strangers);
            for (name, person, own) in callers {
                let actor = person.map_or(&anonymous, |person| &person.actor);
                let answer = actor.send(actor.request(operation.method.clone(), &path)).await;
                let refused = matches!(answer.status, 401 | 403 | 404)
                    .then(|| (answer.status, answer.code()));
                let label = if own { "of the team" } else { "of another" };
                let expected = expected(operation.access(), person, own);
                assert_eq!(refused, expected, "{} as {name} {label}: {answer:?}", operation.id);
                assert!(answer.status < 500, "{} as {name}: {answer:?}", operation.id);
                asked += 1;
                if operation.method != Method::GET && answer.status == 200 {
                    server.restore(&team).await;
                }
            }
        }
        assert!(asked > 1_300, "{asked}");
    }
}

/// The expected result of reading an app's query key.
fn expected_of_key(operation: &Operation, is_own_app: bool) -> Refusal {
    match operation.access() {
        Access::Public => None,
        Access::ChatReturn => NOT_SET_UP,
        _ if !operation.takes_key => Some((401, "not_signed_in")),
        _ if !is_own_app => UNSEEN,
        Access::App(permission) if !QUERY_KEY.contains(&permission) => REFUSED,
        _ => None,
    }
}

on_both! {
    async fn a_query_key_reads_its_own_app_and_does_nothing_else(server: TestServer) {
        let (team, other) = (server.team("one").await, server.team("two").await);
        let program = server.anonymous();
        let key = format!("qk_{}", team.app_id);
        let mut read = 0;
        for operation in operations() {
            for (target, own) in [(&team, true), (&other, false)] {
                let request = program.request(operation.method.clone(), &operation.path_in(target));
                let answer = program.send(request.bearer_auth(&key)).await;
                let refused = matches!(answer.status, 401 | 403 | 404)
                    .then(|| (answer.status, answer.code()));
                let expected = expected_of_key(&operation, own);
                assert_eq!(refused, expected, "{} own: {own}: {answer:?}", operation.id);
                read += usize::from(operation.takes_key && refused.is_none());
            }
        }
        assert!(read > 0);
    }
}

on_both! {
    async fn a_query_key_works_while_it_is_valid(server: TestServer) {
        let team = server.team("one").await;
        let (program, owner) = (server.anonymous(), team.actor("owner"));
        let path = format!("/api/v1/orgs/{}/data-overall", team.org_id);
        let status = async |actor: &Actor, header: &str| {
            let request = actor.request(Method::POST, &path).header("authorization", header);
            actor.send(request).await.status
        };
        let reset = json!({ "kinds": ["query"], "grace_hours": 1 });
        let keys = format!("/api/v1/apps/{}/api-keys", team.app_id);
        let made = owner.put(&keys, reset).await;
        let new = made.body["data"]["items"][0]["key"].as_str().unwrap().to_owned();
        let (old, new) = (format!("Bearer qk_{}", team.app_id), format!("bearer {new}"));
        // The key is accepted; the call then fails for want of a body.
        assert_eq!((status(&program, &old).await, status(&program, &new).await), (415, 415));
        server.clock.advance(2 * 3_600_000);
        assert_eq!((status(&program, &old).await, status(&program, &new).await), (401, 415));
        // A cookie does not make up for a wrong token, and other schemes are not ours.
        for wrong in ["Bearer qk_nonsense", "Bearer", "Bearer ck_x", &old] {
            assert_eq!(status(owner, wrong).await, 401, "{wrong}");
        }
        assert_eq!(status(owner, "Basic dXNlcg==").await, 415);
        // The use is recorded. An archived app can be read, a deleted one cannot.
        atrium::collect::upkeep::write_uses(&server.atrium).await.unwrap();
        let used = "SELECT COUNT(*) FROM api_keys WHERE kind = 'query' AND last_used_at IS NOT NULL";
        assert_eq!(server.count(used).await, 2);
        server.run("UPDATE apps SET archived_at = 1 WHERE id = $1", &[team.app_id.as_str()]).await;
        assert_eq!(status(&program, &new).await, 415);
        server.run("UPDATE apps SET deleted_at = 1 WHERE id = $1", &[team.app_id.as_str()]).await;
        assert_eq!(status(&program, &new).await, 404);
    }
}

on_both! {
    async fn a_required_second_factor_holds_at_every_call_of_the_organization(server: TestServer) {
        let team = server.team("one").await;
        server.run("UPDATE organizations SET require_mfa_at = 1 WHERE id = $1", &[team.org_id.as_str()]).await;
        let owner = team.actor("owner");
        for operation in operations() {
            let expected = match operation.access() {
                Access::Org(_) | Access::App(_) => Some("second_factor_required"),
                _ => continue,
            };
            let path = operation.path_in(&team);
            let answer = owner.send(owner.request(operation.method.clone(), &path)).await;
            let code = (answer.status == 403).then(|| answer.code());
            assert_eq!(code, expected, "{}: {answer:?}", operation.id);
        }
        // The console offers no app to open until there is a second factor.
        let user = &owner.get("/api/v1/current").await.body["data"];
        assert_eq!(user["allow_visited_app"], false);
        assert_eq!(user["last_app"], Value::Null);
        server.run("UPDATE sessions SET second_factor_at = 1 WHERE user_id = $1", &[team.id("owner").as_str()]).await;
        let user = &owner.get("/api/v1/current").await.body["data"];
        assert_eq!(user["allow_visited_app"], true);
        // A member can always leave.
        assert_eq!(team.actor("member").post(&format!("/api/v1/orgs/{}/leave", team.org_id), Value::Null).await.status, 200);
    }
}

on_both! {
    async fn an_ended_session_holds_at_every_call_of_the_organization(server: TestServer) {
        let team = server.team("one").await;
        let path = |name: &str| format!("/api/v1/orgs/{}/members/{}/end-sessions", team.org_id, team.id(name));
        for name in ["owner", "admin", "app_admin", "viewer", "member"] {
            let person = &team.people[name];
            // A stolen copy of the session, which proves itself again further down.
            let stolen = person.actor.clone();
            assert_eq!(team.actor("owner").post(&path(name), json!({})).await.status, 200, "{name}");
            for operation in operations() {
                let held = match operation.access() {
                    Access::Org(_) | Access::Member => true,
                    Access::App(_) => person.app_permissions().contains(&P::AppView),
                    _ => false,
                };
                if !held {
                    continue;
                }
                let path = operation.path_in(&team);
                let answer = stolen.send(stolen.request(operation.method.clone(), &path)).await;
                assert_eq!((answer.status, answer.code()), (403, "reauth_required"), "{name} {}: {answer:?}", operation.id);
            }
            assert_eq!(stolen.get("/api/v1/current").await.status, 200, "{name}");
            server.clock.advance(1);
            let proof = stolen.post("/api/v1/current/reauth", json!({ "password": crate::support::PASSWORD })).await;
            assert_eq!(proof.status, 200, "{name}: {proof:?}");
            assert_eq!(stolen.get(&format!("/api/v1/orgs/{}", team.org_id)).await.status, 200, "{name}");
        }
    }
}

on_both! {
    async fn required_single_sign_on_holds_at_every_call_of_the_organization(server: TestServer) {
        let team = server.team("one").await;
        let org = team.org_id.as_str();
        server.run("INSERT INTO org_sso (org_id, issuer, client_id, client_secret, default_role,
            enabled_at, enforced_at, updated_at) VALUES ($1, '', '', '', 'member', 1, 1, 1)", &[org]).await;
        // An admin of the organization, and a member with a role in the app alone.
        for name in ["admin", "app_admin"] {
            let person = &team.people[name];
            for operation in operations() {
                let held = match operation.access() {
                    Access::Org(_) => true,
                    Access::App(_) => person.app_permissions().contains(&P::AppView),
                    _ => false,
                };
                if !held {
                    continue;
                }
                let path = operation.path_in(&team);
                let answer = person.actor.send(person.actor.request(operation.method.clone(), &path)).await;
                assert_eq!((answer.status, answer.code()), (403, "sso_required"), "{name} {}: {answer:?}", operation.id);
            }
            let user = &person.actor.get("/api/v1/current").await.body["data"];
            assert_eq!((&user["allow_visited_app"], &user["last_app"]), (&Value::Bool(false), &Value::Null));
            let chosen = person.actor.put("/api/v1/current/last-app", json!({ "app_id": team.app_id })).await;
            assert_eq!(chosen.code(), "sso_required");
            // A session that came through the provider is let in from the next request on.
            server.run("INSERT INTO session_orgs (session_id, org_id, came_at)
                SELECT id, $2, 1 FROM sessions WHERE user_id = $1", &[person.id.as_str(), org]).await;
            let user = &person.actor.get("/api/v1/current").await.body["data"];
            assert_eq!(user["allow_visited_app"], true, "{name}");
            assert_eq!(person.actor.get(&format!("/api/v1/orgs/{org}")).await.status, 200);
        }
        // Owners get in without the provider, and other teams are not affected.
        let owner = team.actor("owner");
        assert_eq!(owner.get(&format!("/api/v1/orgs/{org}")).await.status, 200);
        assert_eq!(owner.get(&format!("/api/v1/apps/{}", team.app_id)).await.status, 200);
        let teams = owner.get("/api/v1/orgs").await;
        assert_eq!(teams.body["data"]["items"][0]["require_sso"], true);
        // API keys are exempt, leaving is always possible, and a provider that is switched off enforces
        // nothing.
        let program = server.anonymous();
        let path = format!("/api/v1/orgs/{org}/data-overall");
        let request = program.request(Method::POST, &path).bearer_auth(format!("qk_{}", team.app_id));
        assert_eq!(program.send(request).await.status, 415);
        let leave = format!("/api/v1/orgs/{org}/leave");
        assert_eq!(team.actor("member").post(&leave, Value::Null).await.status, 200);
        server.run("UPDATE org_sso SET enabled_at = NULL WHERE org_id = $1", &[org]).await;
        assert_eq!(team.actor("viewer").get(&format!("/api/v1/orgs/{org}")).await.status, 200);
    }
}

on_both! {
    async fn a_change_counts_at_the_next_request_on_every_instance(server: TestServer) {
        let team = server.team("one").await;
        let second = server.second_instance().await;
        let there = |name: &str| team.actor(name).at(&second.url);
        let app = format!("/api/v1/apps/{}", team.app_id);
        let viewer = there("viewer");
        assert_eq!(viewer.get(&format!("{app}/members")).await.status, 403);
        let body = serde_json::json!({ "role_id": atrium::permissions::BuiltinRole::Analyst.id() });
        let path = format!("{app}/members/{}", team.id("viewer"));
        assert_eq!(team.actor("admin").put(&path, body).await.status, 200);
        second.catch_up().await;
        assert_eq!(viewer.get(&format!("{app}/members")).await.status, 200);
        assert_eq!(viewer.get("/api/v1/current").await.body["data"]["allow_visited_app"], true);
        assert_eq!(team.actor("admin").delete(&path).await.status, 200);
        second.catch_up().await;
        assert_eq!(viewer.get(&format!("{app}/members")).await.status, 404);
        assert_eq!(viewer.get("/api/v1/current").await.body["data"]["allow_visited_app"], false);
    }
}
