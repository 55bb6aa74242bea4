//! The apps' tokens, and vendors that are busy, down or not answering.

use std::time::{Duration, Instant};

use super::*;
use atrium::chat::Provider;
use atrium::chat_vendor::Vendor;
use atrium::notifications::chat_outbox as outbox;
use atrium::outbox::mail;
use axum::extract::FromRef;
use futures::future::join_all;

async fn fetched(chat: &Chat) -> (Value, Value) {
    let wechatwork = chat.standins.seen("wechatwork").await;
    let feishu = chat.standins.seen("feishu").await;
    (wechatwork["gettoken"].clone(), feishu["tenant_access_token"].clone())
}

/// Fifty browsers come back at once.
async fn fifty(chat: &Chat) {
    let mut trips = Vec::new();
    for _ in 0..50 {
        let browser = chat.server.anonymous();
        let page = chat.begin(&browser, "wechatwork", "purpose=login").await;
        trips.push((browser, chat.choose(&page, "LiLei").await));
    }
    let arrived = join_all(trips.iter().map(|(browser, back)| arrive(browser, back))).await;
    assert!(arrived.iter().all(|to| to == "/"), "{arrived:?}");
}

with_chat! {
    async fn fifty_at_once_ask_for_one_token(chat: Chat) {
        let id = chat.server.account("owner@acme.test").await;
        chat.server.execute(
            "INSERT INTO chat_bindings (provider, tenant, subject, user_id, name, bound_at)
             VALUES ('wechatwork', 'ww-atrium', 'lilei', $1, 'Li Lei', 1)", id.as_str(),
        ).await;
        fifty(&chat).await;
        assert_eq!(fetched(&chat).await.0, 1);
        // The vendor ends the token: all of them learn of it at once, and one fetches another.
        chat.standins.control("wechatwork", "expire_tokens", json!({ "errcode": 42001 })).await;
        fifty(&chat).await;
        assert_eq!(fetched(&chat).await.0, 2);

        let Some(Vendor::Feishu(feishu)) = chat.server.atrium.chat.vendor(Provider::Feishu) else { panic!() };
        let now = chat.server.atrium.now();
        let tokens = join_all((0..50).map(|_| feishu.token(now, None))).await;
        assert_eq!(fetched(&chat).await.1, 1);
        let old = tokens[0].clone().unwrap();
        chat.standins.control("feishu", "expire_tokens", json!({})).await;
        let tokens = join_all((0..50).map(|_| feishu.token(now, Some(&old)))).await;
        assert_eq!(fetched(&chat).await.1, 2);
        assert!(tokens.iter().all(|token| token.as_ref().is_ok_and(|token| *token != old)));
    }
}

with_chat! {
    async fn a_token_that_is_refused_is_fetched_anew_once(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        chat.bind(&owner, "wechatwork", "LiLei").await;
        for (times, errcode) in [(2, 40014), (3, 42001), (4, 41001)] {
            chat.standins.control("wechatwork", "expire_tokens", json!({ "errcode": errcode })).await;
            assert_eq!(chat.sign_in(&owner, "wechatwork", "LiLei").await, "/", "{errcode}");
            assert_eq!(fetched(&chat).await.0, times, "{errcode}");
        }
        // It is renewed before it ends by itself, too.
        chat.server.clock.advance(7_200_000 - 200_000);
        assert_eq!(chat.sign_in(&owner, "wechatwork", "LiLei").await, "/");
        assert_eq!(fetched(&chat).await.0, 5);
        // A vendor that refuses every token ends the trip; there is no endless loop.
        let refused = json!({ "times": 100, "errcode": 40014, "call": "getuserinfo" });
        chat.standins.control("wechatwork", "busy", refused).await;
        let browser = chat.server.anonymous();
        assert_eq!(chat.sign_in(&browser, "wechatwork", "LiLei").await, not_let_in("wechatwork", "provider_error"));
        assert_eq!(fetched(&chat).await.0, 6);
    }
}

with_chat! {
    async fn a_vendor_that_is_busy_is_asked_a_few_times(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        for (provider, who, _) in PEOPLE {
            for code in [20050, 20072] {
                chat.standins.control(provider, "busy", json!({ "times": 3, "code": code })).await;
                assert_eq!(chat.bind(&owner, provider, who).await, bound(provider));
                chat.unbind(&owner, provider).await;
            }
            chat.standins.control(provider, "busy", json!({ "times": 50 })).await;
            let to = chat.bind(&owner, provider, who).await;
            assert_eq!(to, not_bound(provider, "provider_unavailable"));
            chat.standins.control(provider, "busy", json!({ "times": 0 })).await;
            chat.standins.control(provider, "down", json!({ "down": true })).await;
            let page = chat.begin(&owner, provider, "purpose=bind").await;
            chat.standins.control(provider, "down", json!({ "down": false })).await;
            let back = chat.choose(&page, who).await;
            chat.standins.control(provider, "down", json!({ "down": true })).await;
            assert_eq!(arrive(&owner, &back).await, not_bound(provider, "provider_unavailable"));
        }
        assert_eq!(chat.bindings().await, 0);
    }
}

with_chat! {
    async fn an_outage_over_there_is_not_held_against_the_address(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        chat.bind(&owner, "feishu", "ou_lilei").await;
        let mut trips = Vec::new();
        for _ in 0..60 {
            let browser = chat.server.anonymous();
            let page = chat.begin(&browser, "feishu", "purpose=login").await;
            trips.push((browser, chat.choose(&page, "ou_lilei").await));
        }
        chat.standins.control("feishu", "down", json!({ "down": true })).await;
        for (browser, back) in &trips {
            assert_eq!(arrive(browser, back).await, not_let_in("feishu", "provider_unavailable"));
        }
        chat.server.signed_in("owner@acme.test").await;
    }
}

async fn signing_in_by_password(chat: &Chat) -> Duration {
    let begun = Instant::now();
    for _ in 0..10 {
        chat.server.signed_in("owner@acme.test").await;
    }
    begun.elapsed()
}

with_chat! {
    async fn a_vendor_that_hangs_costs_only_those_who_ask_it(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        let mut trips = Vec::new();
        for (provider, who, _) in PEOPLE {
            chat.bind(&owner, provider, who).await;
            for _ in 0..10 {
                let browser = chat.server.anonymous();
                let page = chat.begin(&browser, provider, "purpose=login").await;
                trips.push((provider, browser, chat.choose(&page, who).await));
            }
        }
        let all = json!({ "security": ["email", "in_app", "wechatwork", "feishu"] });
        owner.put("/api/v1/current/notification-types", all).await;
        let usual = signing_in_by_password(&chat).await;
        mail::send_due(&chat.server.atrium).await.unwrap();
        for (provider, _, _) in PEOPLE {
            chat.standins.control(provider, "expire_tokens", json!({})).await;
            chat.standins.control(provider, "hang", json!({ "seconds": 30 })).await;
        }
        let begun = Instant::now();
        let arriving: Vec<_> = trips
            .into_iter()
            .map(|(provider, browser, back)| tokio::spawn(async move { (provider, arrive(&browser, &back).await) }))
            .collect();
        let mut jobs = vec![tokio::spawn(mail::run(FromRef::from_ref(&chat.server.atrium)))];
        for provider in Provider::ALL {
            jobs.push(tokio::spawn(outbox::run(FromRef::from_ref(&chat.server.atrium), provider)));
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        let meanwhile = signing_in_by_password(&chat).await;
        assert!(meanwhile < usual * 4 + Duration::from_secs(1), "{usual:?} became {meanwhile:?}");
        // The sign-ins came from new devices, which causes mails: those go out in the meantime.
        while chat.server.count("SELECT COUNT(*) FROM outbox WHERE channel = 'mail'").await > 0 {
            assert!(begun.elapsed() < Duration::from_secs(9), "mails wait for the chat");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        for arrived in join_all(arriving).await {
            let (provider, to) = arrived.unwrap();
            assert_eq!(to, not_let_in(provider, "provider_unavailable"));
        }
        assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
        jobs.iter().for_each(|job| job.abort());
    }
}
