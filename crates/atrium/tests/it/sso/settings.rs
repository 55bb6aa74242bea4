//! An organization's provider: who may set it, what is accepted, and what happens to the secret.

use super::{Company, with_provider};
use crate::support::openid::CLIENT_SECRET;
use crate::support::{Actor, PASSWORD, Store};
use reqwest::Method;
use serde_json::{Value, json};

with_provider! {
    async fn owners_set_it_and_nobody_sees_the_secret(company: Company) {
        let server = &company.server;
        let view = company.owner.get(&company.path("/sso")).await.body["data"].clone();
        assert_eq!(view["redirect_uri"], format!("{}/api/v1/sso/callback", server.url));
        assert_eq!((&view["configured"], &view["has_secret"], &view["enabled"]), (&json!(true), &json!(true), &json!(true)));
        assert_eq!((&view["domains"][0]["domain"], &view["domains"][0]["verified_by"]), (&json!("acme.test"), &json!("operator")));
        assert!(view.get("client_secret").is_none());
        let answers = [
            view,
            company.set(json!({})).await.body,
            company.owner.post(&company.path("/sso/test"), json!({})).await.body,
            json!(company.log("sso.").await),
            json!(company.owner.get("/api/v1/current/export").await.body),
        ];
        for answer in answers {
            assert!(!answer.to_string().contains(CLIENT_SECRET), "{answer}");
        }
        let stored = "SELECT client_secret FROM org_sso WHERE org_id = $1";
        let stored = server.text(stored, company.org_id.as_str()).await.unwrap();
        assert!(!stored.contains(CLIENT_SECRET) && stored.len() > 40, "{stored}");
        // One log entry for each change, with what changed.
        company.set(json!({ "default_role": "admin", "client_secret": null })).await;
        let entry = company.log("sso.update").await.remove(0);
        assert_eq!((&entry["details"]["before"]["default_role"], &entry["details"]["after"]["default_role"]), (&json!("member"), &json!("admin")));
        assert_eq!(entry["details"]["secret_changed"], false);
    }
}

with_provider! {
    async fn only_owners_who_proved_it_lately_may(company: Company) {
        let server = &company.server;
        let as_role = async |role: &str, email: &str| -> Actor {
            let actor = server.owner(email).await;
            let id = actor.get("/api/v1/current").await.body["data"]["id"].as_str().unwrap().to_owned();
            let statement = "INSERT INTO org_members (org_id, user_id, role, joined_at) VALUES ($1, $2, $3, 1)";
            server.run(statement, &[company.org_id.as_str(), &id, role]).await;
            actor
        };
        let (admin, member) = (as_role("admin", "a@x.test").await, as_role("member", "m@x.test").await);
        let stranger = server.owner("s@x.test").await;
        let calls = [
            (Method::GET, "/sso"),
            (Method::PUT, "/sso"),
            (Method::DELETE, "/sso"),
            (Method::POST, "/sso/test"),
            (Method::POST, "/sso/domains"),
            (Method::DELETE, "/sso/domains/acme.test"),
            (Method::POST, "/sso/domains/acme.test/verify"),
        ];
        for (method, path) in calls {
            let path = company.path(path);
            for (actor, status, code) in [
                (&admin, 403, "forbidden"),
                (&member, 403, "forbidden"),
                (&stranger, 404, "not_found"),
                (&server.anonymous(), 401, "not_signed_in"),
            ] {
                let answer = actor.send(actor.request(method.clone(), &path)).await;
                assert_eq!((answer.status, answer.code()), (status, code), "{method} {path}");
            }
        }
        server.clock.advance(16 * 60_000);
        assert_eq!(company.owner.get(&company.path("/sso")).await.status, 200);
        assert_eq!(company.set(json!({})).await.code(), "reauth_required");
        let test = company.owner.post(&company.path("/sso/test"), json!({})).await;
        assert_eq!(test.code(), "reauth_required");
        company.owner.post("/api/v1/current/reauth", json!({ "password": PASSWORD })).await;
        assert_eq!(company.set(json!({})).await.status, 200);
    }
}

with_provider! {
    async fn a_secret_belongs_to_its_issuer(company: Company) {
        let kept = company.set(json!({ "client_secret": null })).await;
        assert_eq!((kept.status, &kept.body["data"]["has_secret"]), (200, &json!(true)));
        assert_eq!(company.set(json!({ "client_secret": "" })).await.status, 200);
        // It still works, so the first secret was kept.
        assert_eq!(company.sign_in(&company.server.anonymous(), "anna@acme.test").await, "/");
        let elsewhere = json!({ "issuer": "https://login.example.com", "client_secret": null });
        let answer = company.set(elsewhere).await;
        assert_eq!((answer.status, answer.code(), answer.field()), (422, "secret_required", "client_secret"));
        let slash = format!("{}/", company.issuer());
        let answer = company.set(json!({ "issuer": slash, "client_secret": null })).await;
        assert_eq!(answer.code(), "secret_required");
        let answer = company.set(json!({ "issuer": "https://login.example.com", "client_secret": "other" })).await;
        assert_eq!((answer.status, &answer.body["data"]["issuer"]), (200, &json!("https://login.example.com")));
        assert_eq!(answer.body["data"]["linked_members"], 0);
    }
}

with_provider! {
    async fn it_says_for_whom_it_is_the_only_way_and_whom_it_would_shut_out(company: Company) {
        let server = &company.server;
        let counts = async || {
            let view = company.owner.get(&company.path("/sso")).await.body["data"].clone();
            ["linked_members", "unlinked_members", "only_way_members"].map(|name| view[name].as_i64().unwrap())
        };
        // The owner is exempt, so enforcement would stop nobody.
        assert_eq!(counts().await, [0, 0, 0]);
        let member = server.owner("m@x.test").await;
        let id = member.get("/api/v1/current").await.body["data"]["id"].as_str().unwrap().to_owned();
        let joins = "INSERT INTO org_members (org_id, user_id, role, joined_at) VALUES ($1, $2, 'member', 1)";
        server.run(joins, &[company.org_id.as_str(), &id]).await;
        assert_eq!(counts().await, [0, 1, 0]);

        let anna = server.anonymous();
        company.sign_in(&anna, "anna@acme.test").await;
        assert_eq!(counts().await, [1, 1, 1]);
        let anna = anna.get("/api/v1/current").await.body["data"]["id"].as_str().unwrap().to_owned();
        // A binding to a chat that this instance does not have configured opens nothing.
        let binds = "INSERT INTO chat_bindings (provider, tenant, subject, user_id, name, bound_at)
             VALUES ('feishu', 't', 's', $1, 'Anna', 1)";
        server.run(binds, &[&anna]).await;
        assert_eq!(counts().await, [1, 1, 1]);
        let passkey = "INSERT INTO passkeys (id, user_id, credential_id, credential, name, created_at)
             VALUES ('k', $1, 'c', '{}', 'Key', 1)";
        server.run(passkey, &[&anna]).await;
        assert_eq!(counts().await, [1, 1, 0]);
        server.run("DELETE FROM passkeys WHERE user_id = $1", &[&anna]).await;
        server.run("UPDATE users SET password_hash = 'x' WHERE id = $1", &[&anna]).await;
        assert_eq!(counts().await, [1, 1, 0]);
    }
}

with_provider! {
    async fn what_makes_no_sense_is_refused_by_field(company: Company) {
        for issuer in [
            "", "login.example.com", "ftp://login.example.com", "http://login.example.com",
            "https://user@login.example.com", "https://u:p@login.example.com", "https://login.example.com?a=b",
            "https://login.example.com?", "https://login.example.com#x", "https://", "javascript:alert(1)",
            "https://login.example.com/\u{202e}",
        ] {
            let answer = company.set(json!({ "issuer": issuer })).await;
            assert_eq!((answer.status, answer.code(), answer.field()), (422, "bad_issuer", "issuer"), "{issuer}");
        }
        for (change, code, field) in [
            (json!({ "client_id": " " }), "required", "client_id"),
            (json!({ "client_id": "a".repeat(256) }), "too_long", "client_id"),
            (json!({ "client_secret": "a".repeat(1_001) }), "too_long", "client_secret"),
            (json!({ "default_role": "owner" }), "wrong_type", "default_role"),
            (json!({ "enabled": false, "enforced": true }), "enforce_needs_enabled", "enforced"),
        ] {
            let answer = company.set(change.clone()).await;
            assert_eq!((answer.status, answer.code(), answer.field()), (422, code, field), "{change}");
        }
    }
}

with_provider! {
    async fn without_a_proven_domain_it_cannot_be_on(company: Company) {
        let path = company.path("/sso/domains/acme.test");
        let kept = company.owner.delete(&path).await;
        assert_eq!((kept.status, kept.code()), (409, "sso_no_domain"));
        company.set(json!({ "enabled": false })).await;
        assert_eq!(company.owner.delete(&path).await.status, 200);
        assert_eq!(company.owner.delete(&path).await.status, 404);
        let claimed = company.owner.post(&company.path("/sso/domains"), json!({ "domain": "acme.test" })).await;
        assert_eq!(claimed.status, 200);
        let answer = company.set(json!({})).await;
        assert_eq!((answer.status, answer.code()), (409, "sso_no_domain"));
        assert_eq!(company.set(json!({ "enabled": false })).await.status, 200);
    }
}

with_provider! {
    async fn taking_it_away_takes_the_links_and_leaves_the_domains(company: Company) {
        let browser = company.server.anonymous();
        company.sign_in(&browser, "anna@acme.test").await;
        assert_eq!(company.owner.delete(&company.path("/sso")).await.body["data"], json!({}));
        let view = company.owner.get(&company.path("/sso")).await.body["data"].clone();
        assert_eq!((&view["configured"], &view["issuer"], &view["updated_at"]), (&json!(false), &json!(""), &Value::Null));
        assert_eq!(view["domains"][0]["domain"], "acme.test");
        for table in ["SELECT COUNT(*) FROM sso_identities", "SELECT COUNT(*) FROM session_orgs"] {
            assert_eq!(company.server.count(table).await, 0);
        }
        assert_eq!(browser.get("/api/v1/current").await.body["data"]["sso"], json!([]));
        assert_eq!(company.log("sso.remove").await.len(), 1);
        // Removing it twice logs it once.
        assert_eq!(company.owner.delete(&company.path("/sso")).await.status, 200);
        assert_eq!(company.log("sso.remove").await.len(), 1);
        // After a new setup, people who were linked have to link again.
        company.set(json!({})).await;
        assert!(company.sign_in(&company.server.anonymous(), "anna@acme.test").await.starts_with("/login?notice=sso_link"));
    }
}
