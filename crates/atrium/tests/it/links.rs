//! Links that people copy and hand over where no mail server delivers them.

use crate::support::{Actor, PASSWORD, Store, TestServer, on_both};
use atrium::types::Millis;
use reqwest::Method;
use serde_json::{Value, json};

const LINKS: &str = "/api/v1/operator/links";

fn token_of(link: &Value) -> String {
    link.as_str().unwrap().rsplit('/').next().unwrap().to_owned()
}

async fn opens(server: &TestServer, token: &str) -> u16 {
    server.anonymous().get(&format!("/api/v1/register/token?token={token}")).await.status
}

on_both! {
    async fn an_invitation_is_handed_over_by_link(server: TestServer) {
        let team = server.team("one").await;
        let admin = team.actor("admin");
        let invitations = format!("/api/v1/orgs/{}/invitations", team.org_id);
        let body = json!({ "emails": ["new@example.com"], "role": "member" });
        let invited = admin.post(&invitations, body).await.body;
        let id = invited["data"]["results"][0]["invitation"]["id"].as_str().unwrap().to_owned();
        let mailed = server.mail_about("new@example.com", "invited to a team").await.token();
        let path = format!("{invitations}/{id}/link");
        let made = admin.post(&path, Value::Null).await;
        assert_eq!((made.status, &made.body["data"]["makes_account"]), (200, &json!(true)), "{made:?}");
        let token = token_of(&made.body["data"]["link"]);
        // A new link ends the one before it.
        assert_eq!((opens(&server, &mailed).await, opens(&server, &token).await), (410, 200));
        let again = token_of(&admin.post(&path, Value::Null).await.body["data"]["link"]);
        assert_eq!((opens(&server, &token).await, opens(&server, &again).await), (410, 200));
        let log = admin.get(&format!("/api/v1/orgs/{}/audit-logs", team.org_id)).await;
        assert_eq!(log.body["data"]["items"][0]["action"], "invitation.link");
        assert!(!log.body.to_string().contains(&again), "the link is a secret");

        let browser = server.anonymous();
        let body = json!({ "token": again, "name": "New", "password": PASSWORD });
        assert_eq!(browser.post("/api/v1/register/profile", body).await.status, 200);
        assert_eq!(admin.post(&path, Value::Null).await.code(), "invitation_closed");
    }
}

on_both! {
    async fn a_person_with_an_account_is_led_to_the_console(server: TestServer) {
        let team = server.team("one").await;
        server.person("known@example.com").await;
        let invitations = format!("/api/v1/orgs/{}/invitations", team.org_id);
        let body = json!({ "emails": ["known@example.com"], "role": "admin" });
        let invited = team.actor("owner").post(&invitations, body).await.body;
        let id = invited["data"]["results"][0]["invitation"]["id"].as_str().unwrap().to_owned();
        let path = format!("{invitations}/{id}/link");
        let made = team.actor("admin").post(&path, Value::Null).await;
        assert_eq!(made.body["data"]["makes_account"], false, "{made:?}");
        assert!(made.body["data"]["link"].as_str().unwrap().ends_with("/organization/list"));
    }
}

on_both! {
    async fn nobody_takes_a_link_above_themselves(server: TestServer) {
        let (team, other) = (server.team("one").await, server.team("two").await);
        let invitations = format!("/api/v1/orgs/{}/invitations", team.org_id);
        let body = json!({ "emails": ["boss@example.com"], "role": "owner" });
        let invited = team.actor("owner").post(&invitations, body).await.body;
        let id = invited["data"]["results"][0]["invitation"]["id"].as_str().unwrap().to_owned();
        let path = format!("{invitations}/{id}/link");
        assert_eq!(team.actor("admin").post(&path, Value::Null).await.code(), "forbidden");
        // An invitation of another team is not found, in either team's path.
        let elsewhere = format!("/api/v1/orgs/{}/invitations/{id}/link", other.org_id);
        assert_eq!(other.actor("owner").post(&elsewhere, Value::Null).await.status, 404);
        // A link that makes an owner needs a recent sign-in.
        assert_eq!(team.actor("owner").post(&path, Value::Null).await.status, 200);
        server.clock.advance(20 * Millis::MINUTE);
        assert_eq!(team.actor("owner").post(&path, Value::Null).await.code(), "reauth_required");
    }
}

/// Requests a link of each kind.
async fn ask_for_links(server: &TestServer) {
    let browser = server.anonymous();
    for (path, email) in [
        ("/api/v1/register", "new@example.com"),
        ("/api/v1/register", "jane@example.com"),
        ("/api/v1/password/forget", "jane@example.com"),
        ("/api/v1/password/forget", "nobody@example.com"),
    ] {
        assert_eq!(browser.post(path, json!({ "email": email })).await.status, 200);
    }
    let jane = server.signed_in("jane@example.com").await;
    let body = json!({ "email": "jane.roe@example.com" });
    assert_eq!(jane.post("/api/v1/current/email", body).await.status, 200);
}

fn listed(list: &Value) -> Vec<(String, String)> {
    let text = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
    let items = list["data"]["items"].as_array().unwrap();
    let mut items: Vec<_> =
        items.iter().map(|item| (text(item, "kind"), text(item, "email"))).collect();
    items.sort();
    items
}

async fn copy(operator: &Actor, kind: &str) -> Value {
    let list = operator.get(LINKS).await.body;
    let items = list["data"]["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["kind"] == kind).unwrap();
    let path = format!("{LINKS}/{}", item["id"].as_str().unwrap());
    let copied = operator.post(&path, Value::Null).await;
    assert_eq!(copied.status, 200, "{copied:?}");
    // A link can be copied again, but under a new id.
    assert_eq!(operator.post(&path, Value::Null).await.status, 404);
    copied.body["data"]["link"].clone()
}

on_both! {
    async fn an_operator_hands_over_what_people_asked_for(server: TestServer) {
        // The first account becomes an operator.
        let operator = server.owner("operator@example.com").await;
        server.account("jane@example.com").await;
        ask_for_links(&server).await;
        let pairs = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>()
        };
        // No registration for an address that has an account, and no password reset for one that has none.
        assert_eq!(listed(&operator.get(LINKS).await.body), pairs(&[
            ("email_change", "jane.roe@example.com"),
            ("password_reset", "jane@example.com"),
            ("register", "new@example.com"),
        ]));

        let mailed = server.mail_about("new@example.com", "Atrium").await.token();
        let link = copy(&operator, "register").await;
        assert_eq!((opens(&server, &mailed).await, opens(&server, &token_of(&link)).await), (410, 200));
        let reset = copy(&operator, "password_reset").await;
        assert!(reset.as_str().unwrap().contains("/pwdReset/"));
        let body = json!({ "token": token_of(&reset), "password": "quite another one" });
        assert_eq!(server.anonymous().post("/api/v1/password/reset", body).await.status, 200);
        // A new password ends the account's other links.
        assert_eq!(listed(&operator.get(LINKS).await.body), pairs(&[("register", "new@example.com")]));
        assert_eq!(server.count("SELECT COUNT(*) FROM audit_entries WHERE action = 'account.link_copy'").await, 2);

        server.clock.advance(20 * Millis::MINUTE);
        assert_eq!(operator.get(LINKS).await.status, 200);
        let list = operator.get(LINKS).await.body;
        let path = format!("{LINKS}/{}", list["data"]["items"][0]["id"].as_str().unwrap());
        assert_eq!(operator.post(&path, Value::Null).await.code(), "reauth_required");
        server.clock.advance(2 * Millis::DAY);
        let operator = server.signed_in("operator@example.com").await;
        assert_eq!(operator.get(LINKS).await.body["data"]["items"], json!([]));
        assert_eq!(operator.post(&path, Value::Null).await.status, 404);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_mail_is_sent_links_go_by_mail_only() {
    let server = TestServer::start_with(Store::Sqlite, |raw| {
        raw.smtp_url = Some("smtp://127.0.0.1:9".into());
    })
    .await;
    let operator = server.owner("operator@example.com").await;
    let list = operator.get(LINKS).await;
    assert_eq!((list.status, list.code()), (409, "links_by_mail"));
    let team = server.team("one").await;
    let path = format!("/api/v1/orgs/{}/invitations/{}/link", team.org_id, team.invitation_id);
    let refused = team.actor("owner").send(team.actor("owner").request(Method::POST, &path)).await;
    assert_eq!((refused.status, refused.code()), (409, "links_by_mail"));
}
