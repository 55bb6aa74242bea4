//! Refused sign-ins, each with a reason of its own, and logged.

use super::{Company, open_callback, with_provider};
use crate::support::{Actor, Store};
use serde_json::{Value, json};

/// Nobody is signed in, the page gives the reason, and it is in the log.
async fn is_refused(
    company: &Company,
    browser: &Actor,
    end: &str,
    reason: &str,
    email: Option<&str>,
) {
    assert_eq!(end, format!("/login?failed={reason}&provider=sso"));
    assert_eq!(browser.get("/api/v1/current").await.status, 401, "{reason}");
    let newest = company.log("sso.refused").await.into_iter().next().unwrap();
    assert_eq!(newest["details"], json!({ "reason": reason, "email": email }), "{reason}");
    assert_eq!(newest["actor"]["kind"], "anonymous");
}

with_provider! {
    async fn each_fault_of_a_token_has_its_own_reason(company: Company) {
        for (tag, reason) in [
            ("unsigned", "token_unsigned"),
            ("badsig", "token_signature"),
            ("expired", "token_expired"),
            ("wrongnonce", "nonce_mismatch"),
            ("wrongissuer", "issuer_mismatch"),
            ("wrongiss", "issuer_mismatch"),
            ("wrongaudience", "audience_mismatch"),
            ("azp", "audience_mismatch"),
            ("unverified", "email_unverified"),
            ("noemail", "email_missing"),
            ("replay", "code_refused"),
        ] {
            let browser = company.server.anonymous();
            let email = format!("anna+{tag}@acme.test");
            let end = company.sign_in(&browser, &email).await;
            is_refused(&company, &browser, &end, reason, None).await;
        }
        assert_eq!(company.server.count("SELECT COUNT(*) FROM users").await, 1);
        assert_eq!(company.server.count("SELECT COUNT(*) FROM sso_identities").await, 0);
        // The same person gets in once nothing is wrong.
        let browser = company.server.anonymous();
        assert_eq!(company.sign_in(&browser, "anna@acme.test").await, "/");
    }
}

with_provider! {
    async fn a_fault_in_the_id_token_is_a_fault_wherever_the_address_stands(company: Company) {
        company.standins.switch("email_in_id_token", json!({ "on": true })).await;
        for (tag, reason) in [("unverified", "email_unverified"), ("noemail", "email_missing")] {
            let browser = company.server.anonymous();
            let end = company.sign_in(&browser, &format!("anna+{tag}@acme.test")).await;
            is_refused(&company, &browser, &end, reason, None).await;
        }
        let before = company.standins.seen("userinfo").await;
        let browser = company.server.anonymous();
        assert_eq!(company.sign_in(&browser, "anna@acme.test").await, "/");
        // No need to ask the provider for more.
        assert_eq!(company.standins.seen("userinfo").await, before);
    }
}

with_provider! {
    async fn the_provider_answers_for_its_own_domains_only(company: Company) {
        let server = &company.server;
        // Another team has proven beta.test; the first team's provider claims a person there.
        let other = server.owner("boss@other.test").await;
        let teams = other.get("/api/v1/orgs").await;
        let id = teams.body["data"]["items"][0]["id"].as_str().unwrap().to_owned();
        let id = atrium::types::Id::parse(&id).unwrap();
        atrium::sso::domains::by_operator(&server.atrium, &id, "beta.test").await.unwrap();
        for email in ["ben@beta.test", "ben@nobody.test", "ben@sub.acme.test", "ben@acme.test.evil.test"] {
            let browser = server.anonymous();
            let answer = browser.post("/api/v1/sso/login", json!({ "organization": company.org_id })).await;
            let url = answer.body["data"]["redirect_url"].as_str().unwrap();
            let callback = company.inside(&company.standins.visit(url, Some(email)).await);
            let end = open_callback(&browser, &callback).await;
            is_refused(&company, &browser, &end, "domain_not_allowed", Some(email)).await;
        }
        // The same for a person whose domain the team has given up since.
        let browser = server.anonymous();
        company.verified("gamma.test").await;
        assert_eq!(company.sign_in(&browser, "cleo@gamma.test").await, "/");
        let late = server.anonymous();
        let callback = company.callback_of(&late, "cleo@gamma.test").await;
        assert_eq!(company.owner.delete(&company.path("/sso/domains/gamma.test")).await.status, 200);
        let end = open_callback(&late, &callback).await;
        is_refused(&company, &late, &end, "domain_not_allowed", Some("cleo@gamma.test")).await;
    }
}

/// Refusals in the instance's log, where no organization is known.
async fn unknown_states(company: &Company) -> i64 {
    let sql = "SELECT COUNT(*) FROM audit_entries WHERE action = 'sso.refused' AND org_id IS NULL
        AND details LIKE '%state_invalid%'";
    company.server.count(sql).await
}

const STATE_INVALID: &str = "/login?failed=state_invalid&provider=sso";

with_provider! {
    async fn a_state_is_good_once_and_in_its_own_browser(company: Company) {
        let server = &company.server;
        let victim = server.anonymous();
        let attacker = server.anonymous();
        let callback = company.callback_of(&attacker, "mallory@acme.test").await;
        // A victim who opens the attacker's callback does not become the attacker.
        assert_eq!(open_callback(&victim, &callback).await, STATE_INVALID);
        assert_eq!(victim.get("/api/v1/current").await.status, 401);
        assert_eq!(unknown_states(&company).await, 1);
        // Neither does a victim with a trip of their own under way.
        company.set_out(&victim, "vera@acme.test").await;
        assert_eq!(open_callback(&victim, &callback).await, STATE_INVALID);
        // That did not use the callback up: in the attacker's own browser it works, once.
        assert_eq!(open_callback(&attacker, &callback).await, "/");
        assert_eq!(open_callback(&attacker, &callback).await, STATE_INVALID);
        assert_eq!(unknown_states(&company).await, 3);

        let browser = server.anonymous();
        let callback = company.callback_of(&browser, "vera@acme.test").await;
        let state = callback.split("state=").nth(1).unwrap().split('&').next().unwrap();
        let forged = callback.replace(state, &"0".repeat(64));
        assert_eq!(open_callback(&browser, &forged).await, STATE_INVALID);
        assert_eq!(open_callback(&browser, "/api/v1/sso/callback?code=x").await, STATE_INVALID);
        assert_eq!(open_callback(&browser, "/api/v1/sso/callback").await, STATE_INVALID);
        // Ten minutes is enough time to sign in.
        server.clock.advance(11 * 60_000);
        assert_eq!(open_callback(&browser, &callback).await, STATE_INVALID);
        assert_eq!(browser.get("/api/v1/current").await.status, 401);
    }
}

with_provider! {
    async fn two_tabs_of_one_browser_do_not_disturb_each_other(company: Company) {
        let browser = company.server.anonymous();
        let first = company.callback_of(&browser, "tom@acme.test").await;
        let second = company.callback_of(&browser, "tom@acme.test").await;
        assert_eq!(open_callback(&browser, &second).await, "/");
        assert_eq!(open_callback(&browser, &first).await, "/");
    }
}

with_provider! {
    async fn who_changes_their_mind_at_the_provider_is_back_where_they_were(company: Company) {
        let browser = company.server.anonymous();
        let body = json!({ "organization": company.org_id, "redirect": "/organization/list" });
        let answer = browser.post("/api/v1/sso/login", body).await;
        let url = answer.body["data"]["redirect_url"].as_str().unwrap();
        let callback = company.inside(&company.standins.visit(url, Some("cancel")).await);
        assert!(callback.contains("error=access_denied"), "{callback}");
        let end = "/login?failed=cancelled&provider=sso&redirect=%2Forganization%2Flist";
        assert_eq!(open_callback(&browser, &callback).await, end);
        assert_eq!(company.log("sso.refused").await[0]["details"]["reason"], "cancelled");

        // Errors of the provider, and answers that make no sense.
        for (wrong, reason) in [
            ("error=server_error", "provider_error"),
            ("error=%3Cscript%3E", "provider_error"),
            ("", "provider_error"),
            // This provider announces that it always names itself, so an answer without its name is not from
            // it.
            ("code=x", "issuer_mismatch"),
        ] {
            let browser = company.server.anonymous();
            let url = company.set_out(&browser, "anna@acme.test").await;
            let state = url.split("state=").nth(1).unwrap().split('&').next().unwrap();
            let callback = format!("/api/v1/sso/callback?{wrong}&state={state}");
            let end = open_callback(&browser, &callback).await;
            is_refused(&company, &browser, &end, reason, None).await;
        }
    }
}

with_provider! {
    async fn a_trip_ends_when_the_settings_changed_on_the_way(company: Company) {
        for change in [json!({ "enabled": false }), json!({ "client_id": "another" })] {
            company.set(json!({})).await;
            let browser = company.server.anonymous();
            let callback = company.callback_of(&browser, "sam@acme.test").await;
            assert_eq!(company.set(change).await.status, 200);
            let end = open_callback(&browser, &callback).await;
            is_refused(&company, &browser, &end, "sso_off", None).await;
        }
        company.set(json!({})).await;
        let browser = company.server.anonymous();
        let callback = company.callback_of(&browser, "sam@acme.test").await;
        assert_eq!(company.owner.delete(&company.path("/sso")).await.status, 200);
        assert_eq!(open_callback(&browser, &callback).await, "/login?failed=sso_off&provider=sso");
    }
}

with_provider! {
    async fn a_network_that_only_fails_is_slowed_down(company: Company) {
        let browser = company.server.anonymous();
        let mut ends = Vec::new();
        for _ in 0..302 {
            ends.push(open_callback(&browser, "/api/v1/sso/callback?code=x&state=y").await);
        }
        assert_eq!(ends[0], STATE_INVALID);
        assert_eq!(ends.last().unwrap(), "/login?failed=throttled&provider=sso");
        let entries: Vec<Value> = company.log("sso.refused").await;
        assert!(entries.is_empty(), "{entries:?}");
    }
}
