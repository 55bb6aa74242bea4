//! Signing in: for the first time, again, with an invitation, with a second factor.

use super::{Company, OWNER, open_callback, with_provider};
use crate::support::{Store, TestServer};
use futures::future::join_all;
use serde_json::{Value, json};

async fn current(browser: &crate::support::Actor) -> Value {
    browser.get("/api/v1/current").await.body["data"].clone()
}

with_provider! {
    async fn a_new_person_becomes_a_member(company: Company) {
        let browser = company.server.anonymous();
        let body = json!({ "email": " Anna@Acme.test ", "redirect": "/organization/list?x=1" });
        let answer = browser.post("/api/v1/sso/login", body).await;
        let url = url::Url::parse(answer.body["data"]["redirect_url"].as_str().unwrap()).unwrap();
        let sent = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        assert_eq!(sent("login_hint").as_deref(), Some("Anna@Acme.test"));
        assert_eq!(sent("code_challenge_method").as_deref(), Some("S256"));
        assert_eq!(sent("scope").as_deref(), Some("openid email profile"));
        assert_eq!(sent("state").map(|state| state.len()), Some(64));
        assert!(sent("nonce").is_some_and(|nonce| nonce.len() >= 32));

        let callback = company.inside(&company.standins.visit(url.as_str(), None).await);
        let request = browser.request(reqwest::Method::GET, &callback).header("accept-language", "en");
        let answer = browser.send(request).await;
        assert_eq!((answer.status, answer.header("location")), (303, "/organization/list?x=1"));

        let anna = current(&browser).await;
        assert_eq!((anna["email"].as_str(), anna["name"].as_str()), (Some("Anna@Acme.test"), Some("Anna")));
        assert_eq!((&anna["has_password"], anna["locale"].as_str()), (&json!(false), Some("en-US")));
        assert_eq!(anna["timezone"], company.owner.get(&company.path("")).await.body["data"]["timezone"]);
        assert!(anna["email_verified_at"].is_string());
        assert_eq!(anna["sso"], json!([{ "org_id": company.org_id, "org_name": "Test Team" }]));
        let teams = browser.get("/api/v1/orgs").await.body["data"]["items"].clone();
        assert_eq!((teams.as_array().unwrap().len(), teams[0]["role"].as_str()), (1, Some("member")));

        let joined = company.log("org_member.join").await;
        assert_eq!((joined.len(), &joined[0]["details"]["by"]), (1, &json!("sso")));
        let linked = company.log("sso.link").await;
        assert_eq!(linked[0]["details"]["issuer"], company.issuer());
        let view = company.owner.get(&company.path("/sso")).await;
        assert_eq!(view.body["data"]["linked_members"], 1);
        let signed_in = "SELECT details FROM audit_entries WHERE action = 'account.sign_in' AND actor_id = $1";
        let details = company.server.text(signed_in, anna["id"].as_str().unwrap()).await.unwrap();
        assert!(details.contains("\"by\":\"sso\""), "{details}");
        // The account has no password, and an empty one does not work either.
        for password in ["", "null", crate::support::PASSWORD] {
            let answer = company.server.anonymous().login("anna@acme.test", password).await;
            assert_eq!(answer.status, 401, "{password:?}");
        }
    }
}

with_provider! {
    async fn an_admins_invitation_says_what_someone_becomes(company: Company) {
        let app = company.owner.get(&company.path("/apps")).await.body["data"]["items"][0]["id"].clone();
        let roles = company.owner.get(&format!("/api/v1/apps/{}/roles", app.as_str().unwrap())).await;
        let analyst = roles.body["data"]["items"].as_array().unwrap().iter()
            .find(|role| role["key"] == "analyst").unwrap()["id"].clone();
        let body = json!({ "emails": ["ivy@acme.test"], "role": "member", "apps": [{ "app_id": app, "role_id": analyst }] });
        assert_eq!(company.owner.post(&company.path("/invitations"), body).await.status, 200);
        company.set(json!({ "default_role": "admin" })).await;

        let ivy = company.server.anonymous();
        assert_eq!(company.sign_in(&ivy, "ivy@acme.test").await, "/");
        let teams = ivy.get("/api/v1/orgs").await.body["data"]["items"].clone();
        assert_eq!((&teams[0]["role"], &teams[0]["app_count"]), (&json!("member"), &json!(1)));
        let role = ivy.get(&format!("/api/v1/apps/{}/role", app.as_str().unwrap())).await;
        assert_eq!(role.body["data"]["role"]["key"], "analyst");
        let waiting = company.owner.get(&company.path("/invitations")).await;
        assert_eq!(waiting.body["data"]["total"], 0);
        // A person without an invitation gets the default role.
        let kim = company.server.anonymous();
        company.sign_in(&kim, "kim@acme.test").await;
        assert_eq!(kim.get("/api/v1/orgs").await.body["data"]["items"][0]["role"], "admin");
    }
}

with_provider! {
    async fn coming_again_refreshes_the_name_that_the_provider_gave(company: Company) {
        let (server, tag) = (&company.server, company.server.atrium.new_id());
        let email = format!("nora{tag}@acme.test");
        let rename = async |name: &str| company.standins.switch("name", json!({ "email": email, "name": name })).await;
        rename("Nora Old").await;
        let first = server.anonymous();
        company.sign_in(&first, &email).await;
        let id = current(&first).await["id"].clone();
        rename("Nora New").await;
        let second = server.anonymous();
        assert_eq!(company.sign_in(&second, &email).await, "/");
        let nora = current(&second).await;
        assert_eq!((&nora["id"], nora["name"].as_str()), (&id, Some("Nora New")));
        // A name that she chose herself stays, whatever the provider says.
        second.put("/api/v1/current/profile", json!({ "name": "N." })).await;
        rename("Nora Newest").await;
        company.sign_in(&second, &email).await;
        assert_eq!(current(&second).await["name"], "N.");
        assert_eq!(server.count("SELECT COUNT(*) FROM sso_identities").await, 1);
    }
}

with_provider! {
    async fn a_removed_member_stays_out_until_invited(company: Company) {
        let browser = company.server.anonymous();
        company.sign_in(&browser, "leo@acme.test").await;
        let id = current(&browser).await["id"].as_str().unwrap().to_owned();
        assert_eq!(company.owner.delete(&company.path(&format!("/members/{id}"))).await.status, 200);
        let again = company.server.anonymous();
        assert_eq!(company.sign_in(&again, "leo@acme.test").await, "/login?failed=membership_ended&provider=sso");
        assert_eq!(again.get("/api/v1/current").await.status, 401);
        let refused = company.log("sso.refused").await;
        assert_eq!(refused[0]["details"], json!({ "reason": "membership_ended", "email": "leo@acme.test" }));

        let body = json!({ "emails": ["leo@acme.test"], "role": "admin" });
        company.owner.post(&company.path("/invitations"), body).await;
        assert_eq!(company.sign_in(&again, "leo@acme.test").await, "/");
        assert_eq!(again.get("/api/v1/orgs").await.body["data"]["items"][0]["role"], "admin");

        atrium::accounts::operator::set_disabled(&company.server.atrium, "leo@acme.test", true).await.unwrap();
        assert_eq!(company.sign_in(&again, "leo@acme.test").await, "/login?failed=account_disabled&provider=sso");
        assert_eq!(again.get("/api/v1/current").await.status, 401);
    }
}

with_provider! {
    async fn a_second_factor_is_asked_for_all_the_same(company: Company) {
        let server = &company.server;
        let browser = server.anonymous();
        company.sign_in(&browser, "mia@acme.test").await;
        let (app, _) = crate::second_factor::enroll(server, &browser).await;
        let again = server.anonymous();
        let answer = again.post("/api/v1/sso/login", json!({ "email": "mia@acme.test", "redirect": "/a?b=c" })).await;
        let url = answer.body["data"]["redirect_url"].as_str().unwrap();
        let callback = company.inside(&company.standins.visit(url, None).await);
        assert_eq!(open_callback(&again, &callback).await, "/login?step=mfa&redirect=%2Fa%3Fb%3Dc");
        assert_eq!(again.get("/api/v1/current").await.status, 401);
        company.set(json!({ "enforced": true })).await;
        let done = again.post("/api/v1/login/mfa", json!({ "code": app.code(server) })).await;
        assert_eq!((done.status, &done.body["data"]["email"]), (200, &json!("mia@acme.test")));
        // The session still counts as coming through the provider.
        assert_eq!(again.get(&company.path("")).await.status, 200);
        // For an organization that requires a second factor, the provider does not count as one.
        server.run("UPDATE organizations SET require_mfa_at = 1", &[]).await;
        let nils = server.anonymous();
        assert_eq!(company.sign_in(&nils, "nils@acme.test").await, "/");
        assert_eq!(nils.get(&company.path("")).await.code(), "second_factor_required");
    }
}

with_provider! {
    async fn many_first_sign_ins_of_one_person_make_one_account(company: Company) {
        let browsers: Vec<_> = (0..8).map(|_| company.server.anonymous()).collect();
        let callbacks = join_all(browsers.iter().map(|browser| company.callback_of(browser, "otto@acme.test"))).await;
        let ends = join_all(browsers.iter().zip(&callbacks).map(|(browser, callback)| open_callback(browser, callback))).await;
        assert!(ends.iter().all(|end| end == "/"), "{ends:?}");
        let users = "SELECT COUNT(*) FROM users WHERE email_normalized = 'otto@acme.test'";
        assert_eq!(company.server.count(users).await, 1);
        assert_eq!(company.server.count("SELECT COUNT(*) FROM sso_identities").await, 1);
        assert_eq!(company.log("org_member.join").await.len(), 1);
    }
}

with_provider! {
    async fn an_organization_can_be_named_instead_of_an_address(company: Company) {
        let browser = company.server.anonymous();
        let ask = async |body: Value| browser.post("/api/v1/sso/login", body).await;
        let answer = ask(json!({ "organization": company.org_id })).await;
        let url = answer.body["data"]["redirect_url"].as_str().unwrap().to_owned();
        assert!(!url.contains("login_hint"), "{url}");
        let callback = company.inside(&company.standins.visit(&url, Some("pia@acme.test")).await);
        assert_eq!(open_callback(&browser, &callback).await, "/");
        for (body, status, code) in [
            (json!({}), 422, "required"),
            (json!({ "email": "" }), 422, "required"),
            (json!({ "email": "a@acme.test", "organization": company.org_id }), 422, "invalid"),
            (json!({ "email": "a@elsewhere.test" }), 404, "sso_not_found"),
            (json!({ "email": "a@sub.acme.test" }), 404, "sso_not_found"),
            (json!({ "email": "acme.test" }), 404, "sso_not_found"),
            (json!({ "email": format!("{}@acme.test", "a".repeat(250)) }), 422, "bad_email"),
            (json!({ "organization": company.server.atrium.new_id() }), 404, "sso_not_found"),
        ] {
            let answer = ask(body.clone()).await;
            assert_eq!((answer.status, answer.code()), (status, code), "{body}");
        }
        assert_eq!(company.server.anonymous().get("/api/v1/envs").await.body["data"]["providers"]["sso"], true);
        company.set(json!({ "enabled": false })).await;
        assert_eq!(ask(json!({ "email": "a@acme.test" })).await.code(), "sso_not_found");
        assert_eq!(ask(json!({ "organization": company.org_id })).await.code(), "sso_not_found");
        assert_eq!(company.server.anonymous().get("/api/v1/envs").await.body["data"]["providers"]["sso"], false);
    }
}

with_provider! {
    async fn a_redirect_elsewhere_is_dropped(company: Company) {
        for target in ["https://evil.example/", "//evil.example", "/\\evil.example", "/login", "javascript:alert(1)"] {
            let browser = company.server.anonymous();
            let body = json!({ "email": "rosa@acme.test", "redirect": target });
            let answer = browser.post("/api/v1/sso/login", body).await;
            let url = answer.body["data"]["redirect_url"].as_str().unwrap();
            let callback = company.inside(&company.standins.visit(url, None).await);
            assert_eq!(open_callback(&browser, &callback).await, "/", "{target}");
        }
    }
}

with_provider! {
    async fn on_an_invite_only_instance_people_come_through_the_provider_too(company: Company) {
        let dns = company.standins.dns.clone();
        let closed = TestServer::start_with(company.server.store, |raw| {
            raw.registration = Some("invite".to_owned());
            raw.dns_server = Some(dns);
        })
        .await;
        let owner = closed.owner(OWNER).await;
        let teams = owner.get("/api/v1/orgs").await;
        let org_id = atrium::types::Id::parse(teams.body["data"]["items"][0]["id"].as_str().unwrap()).unwrap();
        let company = Company { server: closed, owner, org_id, ..company };
        company.verified("acme.test").await;
        // An invite-only instance allows private addresses without further settings.
        assert_eq!(company.set(json!({})).await.status, 200);
        let browser = company.server.anonymous();
        assert_eq!(company.sign_in(&browser, "uma@acme.test").await, "/");
    }
}
