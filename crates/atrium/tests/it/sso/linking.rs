//! An existing account is linked by its holder, never by the provider.

use super::{Company, with_provider};
use crate::support::{Actor, PASSWORD, Store};
use reqwest::Method;
use serde_json::{Value, json};

const LINK: &str = "/api/v1/current/sso-link";
const BY_WAY_OF_LOGIN: &str = "/login?notice=sso_link&redirect=%2Faccount%2Fsso-link";

async fn link(browser: &Actor) -> crate::support::Answer {
    browser.send(browser.request(Method::POST, LINK)).await
}

with_provider! {
    async fn an_account_is_linked_after_it_signed_in_by_itself(company: Company) {
        let server = &company.server;
        server.account("anna@acme.test").await;
        let browser = server.anonymous();
        assert_eq!(company.sign_in(&browser, "anna@acme.test").await, BY_WAY_OF_LOGIN);
        // The provider alone gives no access.
        assert_eq!(browser.get("/api/v1/current").await.status, 401);
        assert_eq!(browser.get(LINK).await.status, 401);
        assert_eq!(server.count("SELECT COUNT(*) FROM sso_identities").await, 0);

        assert_eq!(browser.login("anna@acme.test", PASSWORD).await.status, 200);
        let waiting = browser.get(LINK).await;
        assert_eq!(waiting.body["data"], json!({
            "org_id": company.org_id, "org_name": "Test Team", "issuer": company.issuer(), "email": "anna@acme.test",
        }));
        let done = link(&browser).await;
        assert_eq!((done.status, &done.body["data"]["org_id"]), (200, &json!(company.org_id)));
        let teams = browser.get("/api/v1/orgs").await;
        assert_eq!(teams.body["data"]["total"], 2);
        // Only once.
        assert_eq!((browser.get(LINK).await.code(), link(&browser).await.code()), ("token_gone", "token_gone"));
        let entry = company.log("sso.link").await;
        assert_eq!((entry.len(), &entry[0]["details"]["email"]), (1, &json!("anna@acme.test")));
        assert_eq!(company.log("org_member.join").await.len(), 1);
        let mail = server.mail_about("anna@acme.test", "Single sign-on was linked").await;
        assert!(mail.text.contains("Test Team"), "{}", mail.text);

        // From now on the provider opens the account; her name and password stay.
        let later = server.anonymous();
        assert_eq!(company.sign_in(&later, "anna@acme.test").await, "/");
        let anna = later.get("/api/v1/current").await.body["data"].clone();
        assert_eq!((&anna["has_password"], &anna["name"]), (&json!(true), &json!("Test Person")));
    }
}

with_provider! {
    async fn who_is_signed_in_already_goes_straight_to_the_link(company: Company) {
        let server = &company.server;
        let ben = server.owner("ben@acme.test").await;
        assert_eq!(company.sign_in(&ben, "ben@acme.test").await, "/account/sso-link");
        company.set(json!({ "enforced": true })).await;
        // It needs a recent sign-in by the person at the browser.
        server.clock.advance(16 * 60_000);
        assert_eq!((ben.get(LINK).await.status, link(&ben).await.code()), (200, "reauth_required"));
        ben.post("/api/v1/current/reauth", json!({ "password": PASSWORD })).await;
        assert_eq!(link(&ben).await.status, 200);
        // The browser has just been at the provider and need not go again.
        assert_eq!(ben.get(&company.path("")).await.status, 200);
    }
}

with_provider! {
    async fn a_link_is_of_one_browser_and_one_account(company: Company) {
        let server = &company.server;
        server.account("anna@acme.test").await;
        let eve = server.owner("eve@acme.test").await;
        // Another person is signed in where Anna came back from the provider.
        assert_eq!(company.sign_in(&eve, "anna@acme.test").await, "/account/sso-link");
        for answer in [eve.get(LINK).await, link(&eve).await] {
            assert_eq!((answer.status, answer.code()), (409, "link_wrong_account"));
        }
        // Anna in another browser has nothing to link.
        let anna = server.signed_in("anna@acme.test").await;
        for answer in [anna.get(LINK).await, link(&anna).await] {
            assert_eq!((answer.status, answer.code()), (410, "token_gone"));
        }
        assert_eq!(server.count("SELECT COUNT(*) FROM sso_identities").await, 0);
        // The same browser, with the right account.
        eve.login("anna@acme.test", PASSWORD).await;
        assert_eq!(link(&eve).await.status, 200);
    }
}

with_provider! {
    async fn a_link_ends_with_its_time_and_with_the_provider(company: Company) {
        let server = &company.server;
        let carl = server.owner("carl@acme.test").await;
        let fresh = async || {
            company.set(json!({})).await;
            company.verified("acme.test").await;
            assert_eq!(company.sign_in(&carl, "carl@acme.test").await, "/account/sso-link");
            assert_eq!(carl.get(LINK).await.status, 200);
        };
        fresh().await;
        company.set(json!({ "client_id": "another" })).await;
        assert_eq!((carl.get(LINK).await.code(), link(&carl).await.code()), ("token_gone", "token_gone"));
        fresh().await;
        company.set(json!({ "enabled": false })).await;
        assert_eq!(link(&carl).await.code(), "token_gone");
        company.owner.delete(&company.path("/sso/domains/acme.test")).await;
        company.verified("gamma.test").await;
        company.set(json!({})).await;
        assert_eq!(link(&carl).await.code(), "token_gone");
        fresh().await;
        server.clock.advance(31 * 60_000);
        carl.login("carl@acme.test", PASSWORD).await;
        assert_eq!((carl.get(LINK).await.code(), link(&carl).await.code()), ("token_gone", "token_gone"));
        assert_eq!(server.count("SELECT COUNT(*) FROM sso_identities").await, 0);
    }
}

with_provider! {
    async fn a_member_who_links_stays_what_they_are(company: Company) {
        let server = &company.server;
        let dora = server.owner("dora@acme.test").await;
        let id = dora.get("/api/v1/current").await.body["data"]["id"].as_str().unwrap().to_owned();
        server.run("INSERT INTO org_members (org_id, user_id, role, joined_at) VALUES ($1, $2, 'admin', 1)",
            &[company.org_id.as_str(), &id]).await;
        company.sign_in(&dora, "dora@acme.test").await;
        assert_eq!(link(&dora).await.status, 200);
        let role = "SELECT role FROM org_members WHERE user_id = $1 AND joined_at = 1";
        assert_eq!(server.text(role, &id).await.as_deref(), Some("admin"));
        assert!(company.log("org_member.join").await.is_empty());
        let own = dora.get("/api/v1/current/export").await;
        let identities: Value = own.body["single_sign_on"].clone();
        assert_eq!(identities[0]["issuer"], company.issuer(), "{own:?}");
    }
}

with_provider! {
    async fn a_disabled_account_is_not_linked(company: Company) {
        company.server.account("finn@acme.test").await;
        atrium::accounts::operator::set_disabled(&company.server.atrium, "finn@acme.test", true).await.unwrap();
        let browser = company.server.anonymous();
        assert_eq!(company.sign_in(&browser, "finn@acme.test").await, "/login?failed=account_disabled&provider=sso");
    }
}
