//! Who must come through the provider, and how a session shows that it did. `authorization.rs` tests that
//! every call enforces it.

use super::{Company, with_provider};
use crate::support::{Actor, PASSWORD, Store};
use serde_json::json;

async fn may_enter(company: &Company, actor: &Actor) -> bool {
    let answer = actor.get(&company.path("")).await;
    assert!(
        matches!((answer.status, answer.code()), (200, _) | (403, "sso_required")),
        "{answer:?}"
    );
    answer.status == 200
}

with_provider! {
    async fn members_come_through_the_provider_and_owners_as_they_like(company: Company) {
        let server = &company.server;
        let through = server.anonymous();
        company.sign_in(&through, "anna@acme.test").await;
        // The same person by password, and another person who has only a password.
        let id = through.get("/api/v1/current").await.body["data"]["id"].as_str().unwrap().to_owned();
        server.run("UPDATE users SET password_hash = (SELECT password_hash FROM users
            WHERE email_normalized = 'owner@boss.test') WHERE id = $1", &[&id]).await;
        let by_password = server.signed_in("anna@acme.test").await;
        assert!(may_enter(&company, &by_password).await);
        assert_eq!(company.set(json!({ "enforced": true })).await.body["data"]["enforced"], true);
        assert!(may_enter(&company, &through).await);
        assert!(!may_enter(&company, &by_password).await);
        assert!(may_enter(&company, &company.owner).await);
        // The list of teams says what to do about it.
        let teams = by_password.get("/api/v1/orgs").await.body["data"]["items"].clone();
        assert_eq!((&teams[0]["id"], &teams[0]["require_sso"]), (&json!(company.org_id), &json!(true)));
        // Through the provider, in the browser that was refused.
        assert_eq!(company.sign_in(&by_password, "anna@acme.test").await, "/");
        assert!(may_enter(&company, &by_password).await);
        // A later sign-in by password is a new session, which has come through no provider.
        by_password.login("anna@acme.test", PASSWORD).await;
        assert!(!may_enter(&company, &by_password).await);
        // As an owner she is exempt; an owner who is demoted is not.
        server.run("UPDATE org_members SET role = 'owner' WHERE user_id = $1", &[&id]).await;
        assert!(may_enter(&company, &by_password).await);
        server.run("UPDATE org_members SET role = 'admin' WHERE user_id = $1", &[&id]).await;
        assert!(!may_enter(&company, &by_password).await);
        company.set(json!({ "enforced": false })).await;
        assert!(may_enter(&company, &by_password).await);
    }
}

with_provider! {
    async fn a_new_provider_wants_to_be_come_through_anew(company: Company) {
        let browser = company.server.anonymous();
        company.sign_in(&browser, "anna@acme.test").await;
        company.set(json!({ "enforced": true })).await;
        assert!(may_enter(&company, &browser).await);
        // Another default role does not change the provider, and neither does setting the same secret again.
        company.set(json!({ "enforced": true, "default_role": "admin" })).await;
        assert!(may_enter(&company, &browser).await);
        // Turned off and on, a new secret, another client: every session has to come through the provider
        // again.
        let changes = [
            vec![json!({ "enabled": false }), json!({ "enforced": true })],
            vec![json!({ "enforced": true, "client_secret": "new" }), json!({ "enforced": true })],
            vec![json!({ "enforced": true, "client_id": "another" })],
        ];
        for change in changes {
            for step in change {
                assert_eq!(company.set(step).await.status, 200);
            }
            assert!(!may_enter(&company, &browser).await);
            company.set(json!({ "enforced": true })).await;
            company.sign_in(&browser, "anna@acme.test").await;
            assert!(may_enter(&company, &browser).await);
        }
    }
}

with_provider! {
    async fn a_session_keeps_the_organizations_it_came_through(company: Company) {
        let server = &company.server;
        // A second team with the same provider, for another domain; she is a member of both.
        let other = server.owner("boss@beta.test").await;
        let teams = other.get("/api/v1/orgs").await;
        let org_id = atrium::types::Id::parse(teams.body["data"]["items"][0]["id"].as_str().unwrap()).unwrap();
        let second = Company { server: company.server.again(), standins: company.standins.clone(), owner: other, org_id };
        second.verified("beta.test").await;
        assert_eq!(second.set(json!({ "enforced": true })).await.status, 200);
        company.set(json!({ "enforced": true })).await;

        let browser = server.anonymous();
        company.sign_in(&browser, "anna@acme.test").await;
        let anna = browser.get("/api/v1/current").await.body["data"]["id"].as_str().unwrap().to_owned();
        // The second provider vouches for another address of hers, so that identity is linked by itself.
        server.run("INSERT INTO org_members (org_id, user_id, role, joined_at) VALUES ($1, $2, 'member', 1)",
            &[second.org_id.as_str(), &anna]).await;
        assert!(may_enter(&company, &browser).await);
        assert!(!may_enter(&second, &browser).await);
        let stranger = server.anonymous();
        assert_eq!(second.sign_in(&stranger, "anna@beta.test").await, "/");
        let subject = "SELECT subject FROM sso_identities WHERE user_id <> $1";
        let subject = server.text(subject, &anna).await.unwrap();
        server.run("UPDATE sso_identities SET user_id = $1 WHERE subject = $2", &[&anna, &subject]).await;
        assert_eq!(second.sign_in(&browser, "anna@beta.test").await, "/");
        assert!(may_enter(&second, &browser).await);
        assert!(may_enter(&company, &browser).await);
        // The second provider does not keep the first one's session alive: the first has to be asked again.
        server.run("UPDATE session_orgs SET came_at = came_at - 90000000 WHERE org_id = $1",
            &[company.org_id.as_str()]).await;
        assert_eq!(second.sign_in(&browser, "anna@beta.test").await, "/");
        assert!(may_enter(&second, &browser).await);
        assert!(!may_enter(&company, &browser).await);
    }
}
