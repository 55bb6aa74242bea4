//! A provider that rotates its keys, is down, or hangs; and how often we contact it.

use std::time::{Duration, Instant};

use super::{Company, OWNER, open_callback, with_provider};
use crate::support::{PASSWORD, Store};
use futures::future::join_all;
use serde_json::json;

const UNAVAILABLE: &str = "/login?failed=provider_unavailable&provider=sso";

with_provider! {
    async fn new_keys_are_looked_up(company: Company) {
        let server = &company.server;
        assert_eq!(company.sign_in(&server.anonymous(), "anna@acme.test").await, "/");
        company.standins.switch("rotate", json!({})).await;
        assert_eq!(company.sign_in(&server.anonymous(), "anna@acme.test").await, "/");
        assert_eq!(company.standins.seen("jwks").await, 2);
        // Many sign-ins that meet unknown keys at once fetch the keys once.
        server.clock.advance(11_000);
        company.standins.switch("rotate", json!({})).await;
        let browsers: Vec<_> = (0..10).map(|_| server.anonymous()).collect();
        let callbacks = join_all(browsers.iter().map(|browser| company.callback_of(browser, "anna@acme.test"))).await;
        let ends = join_all(browsers.iter().zip(&callbacks).map(|(browser, callback)| open_callback(browser, callback))).await;
        assert!(ends.iter().all(|end| end == "/"), "{ends:?}");
        assert_eq!(company.standins.seen("jwks").await, 3);
        // Signatures that never match do not cause a fetch each time.
        for _ in 0..3 {
            let end = company.sign_in(&server.anonymous(), "anna+badsig@acme.test").await;
            assert_eq!(end, "/login?failed=token_signature&provider=sso");
        }
        assert_eq!(company.standins.seen("jwks").await, 3);
    }
}

with_provider! {
    async fn fifty_at_once_ask_once(company: Company) {
        let server = &company.server;
        let browsers: Vec<_> = (0..50).map(|_| server.anonymous()).collect();
        join_all(browsers.iter().map(|browser| company.set_out(browser, "anna@acme.test"))).await;
        assert_eq!(company.standins.seen("discovery").await, 1);
        assert_eq!(company.standins.seen("jwks").await, 1);
        // Kept for ten minutes.
        server.clock.advance(9 * 60_000);
        company.set_out(&server.anonymous(), "anna@acme.test").await;
        assert_eq!(company.standins.seen("discovery").await, 1);
        server.clock.advance(2 * 60_000);
        company.set_out(&server.anonymous(), "anna@acme.test").await;
        assert_eq!(company.standins.seen("discovery").await, 2);
    }
}

with_provider! {
    async fn a_provider_that_is_down_says_so(company: Company) {
        let server = &company.server;
        let browser = server.anonymous();
        company.standins.switch("down", json!({ "down": true })).await;
        let answer = browser.post("/api/v1/sso/login", json!({ "email": "anna@acme.test" })).await;
        assert_eq!((answer.status, answer.code()), (503, "provider_unavailable"));
        assert!(!answer.header("retry-after").is_empty());
        // Once it is up again, it works at once. If it is down on the way back, the person gets a page that
        // says so.
        company.standins.switch("down", json!({ "down": false })).await;
        let callback = company.callback_of(&browser, "anna@acme.test").await;
        company.standins.switch("down", json!({ "down": true })).await;
        assert_eq!(open_callback(&browser, &callback).await, UNAVAILABLE);
        assert_eq!(company.log("sso.refused").await[0]["details"]["reason"], "provider_unavailable");
        // Other ways to sign in are not affected.
        assert_eq!(server.anonymous().login(OWNER, PASSWORD).await.status, 200);
    }
}

with_provider! {
    async fn a_provider_that_hangs_costs_only_who_asked_it(company: Company) {
        let server = &company.server;
        let browser = server.anonymous();
        let callback = company.callback_of(&browser, "anna@acme.test").await;
        company.standins.switch("hang", json!({ "seconds": 30 })).await;
        let began = Instant::now();
        let waiting = async {
            let end = open_callback(&browser, &callback).await;
            (end, began.elapsed())
        };
        let others = async {
            let mut slowest = Duration::ZERO;
            for _ in 0..20 {
                let began = Instant::now();
                assert_eq!(server.anonymous().login(OWNER, PASSWORD).await.status, 200);
                slowest = slowest.max(began.elapsed());
            }
            (slowest, began.elapsed())
        };
        let ((end, waited), (slowest, others_done)) = tokio::join!(waiting, others);
        assert_eq!(end, UNAVAILABLE);
        assert!(waited > Duration::from_secs(8) && waited < Duration::from_secs(25), "{waited:?}");
        // All others finished while the first was still waiting, and none took a quarter as long.
        assert!(others_done < waited, "{others_done:?} {waited:?}");
        assert!(slowest * 4 < waited, "{slowest:?} {waited:?}");
    }
}
