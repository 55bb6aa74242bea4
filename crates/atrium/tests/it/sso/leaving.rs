//! People who left or were removed, and people who are already signed in: a provider has no say over anyone
//! else.

use super::{Company, with_provider};
use crate::support::{Actor, Store};
use serde_json::json;

async fn invite(company: &Company, email: &str) {
    let body = json!({ "emails": [email], "role": "member" });
    let answer = company.owner.post(&company.path("/invitations"), body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

async fn email_of(browser: &Actor) -> Option<String> {
    let answer = browser.get("/api/v1/current").await;
    answer.body["data"]["email"].as_str().map(str::to_owned)
}

const LINK_FIRST: &str = "/login?notice=sso_link&redirect=%2Faccount%2Fsso-link";
const ENDED: &str = "/login?failed=membership_ended&provider=sso";
const WRONG: &str = "/login?failed=link_wrong_account&provider=sso";

with_provider! {
    async fn an_account_that_left_is_opened_by_its_holder_alone(company: Company) {
        let server = &company.server;
        let anna = server.anonymous();
        company.sign_in(&anna, "anna@acme.test").await;
        let own = json!({ "name": "Hers", "timezone": "Asia/Shanghai" });
        assert_eq!(anna.post("/api/v1/orgs", own).await.status, 200);
        assert_eq!(anna.post(&company.path("/leave"), json!({})).await.status, 200);
        let stranger = server.anonymous();
        assert_eq!(company.sign_in(&stranger, "anna@acme.test").await, LINK_FIRST);
        // The invitation and the sign-in both come from the organization, so the second proves no more than
        // the first.
        invite(&company, "anna@acme.test").await;
        assert_eq!(company.sign_in(&stranger, "anna@acme.test").await, LINK_FIRST);
        assert_eq!(email_of(&stranger).await, None);
    }
}

with_provider! {
    async fn an_account_that_was_taken_out_and_belongs_elsewhere_says_yes_itself(company: Company) {
        let server = &company.server;
        let anna = server.anonymous();
        company.sign_in(&anna, "ada@acme.test").await;
        let id = anna.get("/api/v1/current").await.body["data"]["id"].as_str().unwrap().to_owned();
        let own = json!({ "name": "Hers", "timezone": "Asia/Shanghai" });
        assert_eq!(anna.post("/api/v1/orgs", own).await.status, 200);
        company.owner.delete(&company.path(&format!("/members/{id}"))).await;
        invite(&company, "ada@acme.test").await;
        let stranger = server.anonymous();
        assert_eq!(company.sign_in(&stranger, "ada@acme.test").await, LINK_FIRST);
        // In her own browser, where she is signed in, she can link it.
        assert_eq!(company.sign_in(&anna, "ada@acme.test").await, "/account/sso-link");
        assert_eq!(anna.post("/api/v1/current/sso-link", json!({})).await.status, 200);
        assert_eq!(anna.get(&company.path("")).await.status, 200);
    }
}

with_provider! {
    async fn a_removed_member_does_not_come_back_with_a_new_account(company: Company) {
        let server = &company.server;
        let bob = server.anonymous();
        company.sign_in(&bob, "bob@acme.test").await;
        let id = bob.get("/api/v1/current").await.body["data"]["id"].as_str().unwrap().to_owned();
        assert_eq!(company.owner.delete(&company.path(&format!("/members/{id}"))).await.status, 200);
        let gone = bob.delete_with("/api/v1/current", json!({ "email": "bob@acme.test" })).await;
        assert_eq!(gone.status, 200, "{gone:?}");
        let again = server.anonymous();
        assert_eq!(company.sign_in(&again, "bob@acme.test").await, ENDED);
        assert_eq!(email_of(&again).await, None);
        invite(&company, "bob@acme.test").await;
        assert_eq!(company.sign_in(&again, "bob@acme.test").await, "/");
        // From then on he signs in as usual.
        let third = server.anonymous();
        assert_eq!(company.sign_in(&third, "bob@acme.test").await, "/");
    }
}

with_provider! {
    async fn a_signed_in_person_comes_back_as_nobody_else(company: Company) {
        let server = &company.server;
        let gina = server.anonymous();
        company.sign_in(&gina, "gina@acme.test").await;
        // One person who is new, and one who has an account.
        company.sign_in(&server.anonymous(), "hugo@acme.test").await;
        for other in ["ines@acme.test", "hugo@acme.test"] {
            assert_eq!(company.sign_in(&gina, other).await, WRONG);
            assert_eq!(email_of(&gina).await.unwrap(), "gina@acme.test");
        }
        assert_eq!(server.count("SELECT COUNT(*) FROM users WHERE email = 'ines@acme.test'").await, 0);
        // A person who is signed in must authenticate again at the provider; otherwise its existing session
        // is enough.
        assert!(company.set_out(&gina, "gina@acme.test").await.contains("max_age=0"));
        assert!(!company.set_out(&server.anonymous(), "gina@acme.test").await.contains("max_age"));
        assert_eq!(company.sign_in(&gina, "gina@acme.test").await, "/");
    }
}

with_provider! {
    async fn a_member_under_another_address_links_the_account_they_have(company: Company) {
        let server = &company.server;
        let mia = server.owner("mia@personal.test").await;
        invite(&company, "mia@personal.test").await;
        let waiting = mia.get("/api/v1/current/invitations").await;
        let id = waiting.body["data"]["items"][0]["id"].as_str().unwrap().to_owned();
        assert_eq!(mia.post(&format!("/api/v1/invitations/{id}/accept"), json!({})).await.status, 200);
        company.set(json!({ "enforced": true })).await;
        assert_eq!(mia.get(&company.path("")).await.code(), "sso_required");
        assert_eq!(company.sign_in(&mia, "mia@acme.test").await, "/account/sso-link");
        assert_eq!(mia.post("/api/v1/current/sso-link", json!({})).await.status, 200);
        assert_eq!(mia.get(&company.path("")).await.status, 200);
        assert_eq!(email_of(&mia).await.unwrap(), "mia@personal.test");
        assert_eq!(server.count("SELECT COUNT(*) FROM users WHERE email = 'mia@acme.test'").await, 0);
    }
}

with_provider! {
    async fn a_second_step_ends_with_its_provider(company: Company) {
        let server = &company.server;
        let browser = server.anonymous();
        company.sign_in(&browser, "nora@acme.test").await;
        let (app, _) = crate::second_factor::enroll(server, &browser).await;
        let again = server.anonymous();
        assert_eq!(company.sign_in(&again, "nora@acme.test").await, "/login?step=mfa");
        company.set(json!({ "client_id": "another" })).await;
        let done = again.post("/api/v1/login/mfa", json!({ "code": app.code(server) })).await;
        assert_eq!((done.status, done.code()), (410, "token_gone"));
    }
}

with_provider! {
    async fn an_address_that_cannot_be_read_leads_to_a_page(company: Company) {
        let browser = company.server.anonymous();
        for query in ["state=a&state=b", "state=%00&code=x", ""] {
            let answer = browser.get(&format!("/api/v1/sso/callback?{query}")).await;
            assert_eq!(answer.status, 303, "{query}");
            assert_eq!(answer.header("location"), "/login?failed=state_invalid&provider=sso");
        }
    }
}
