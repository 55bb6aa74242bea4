//! Sign-in trips begun by another person, or finished in another session than the one that began them. The
//! danger of binding is that an attacker's chat account gets bound to a victim's account and can then sign in
//! to it.

use super::binding::{code_of, with_code};
use super::*;
use reqwest::header::COOKIE;

with_chat! {
    async fn a_forged_callback_binds_nothing(chat: Chat) {
        let attacker = chat.server.owner("mallory@evil.test").await;
        let victim = chat.server.owner("victim@acme.test").await;
        for (provider, who, _) in PEOPLE {
            // The victim's browser is made to open the callback that the attacker got from the provider.
            let page = chat.begin(&attacker, provider, "purpose=bind").await;
            let back = chat.choose(&page, who).await;
            assert_eq!(arrive(&victim, &back).await, not_bound(provider, "state_invalid"));
            assert_eq!(chat.last_refusal().await["reason"], "state_invalid");
            // Also when the victim has a trip of their own under way, and so has the trip cookie.
            chat.begin(&victim, provider, "purpose=bind").await;
            assert_eq!(arrive(&victim, &back).await, not_bound(provider, "state_invalid"));
            // Also when nobody is signed in there.
            let stranger = chat.server.anonymous();
            chat.begin(&stranger, provider, "purpose=login").await;
            assert_eq!(arrive(&stranger, &back).await, not_let_in(provider, "state_invalid"));
            assert_eq!(chat.bindings().await, 0);
        }
        assert_eq!(current(&victim).await["bindings"], json!({ "wechatwork": null, "feishu": null }));
    }
}

with_chat! {
    async fn a_cookie_planted_in_the_victims_browser_does_not_help(chat: Chat) {
        let cookie = |answer: &Answer, name: &str| {
            let all = answer.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap());
            let of_name = all.filter_map(|text| text.split(';').next()).find(|text| text.starts_with(name));
            of_name.unwrap().to_owned()
        };
        let attacker = chat.server.owner("mallory@evil.test").await;
        chat.server.account("victim@acme.test").await;
        let browser = chat.server.anonymous();
        let session = cookie(&browser.login("victim@acme.test", crate::support::PASSWORD).await, "atrium_session");
        for (provider, who, _) in PEOPLE {
            let begun = attacker.get(&format!("/api/v1/{provider}/authorize/url?purpose=bind")).await;
            let flow = cookie(&begun, "atrium_flow");
            let back = chat.choose(begun.body["data"]["url"].as_str().unwrap(), who).await;
            let plain = chat.server.anonymous();
            let request = plain.request(reqwest::Method::GET, &back);
            let answer = plain.send(request.header(COOKIE, format!("{session}; {flow}"))).await;
            assert_eq!(answer.header("location"), not_bound(provider, "wrong_user"));
            assert_eq!(chat.last_refusal().await["reason"], "wrong_user");
        }
        assert_eq!(chat.bindings().await, 0);
        // The provider was not even asked about the code.
        assert_eq!(chat.standins.seen("wechatwork").await["getuserinfo"], Value::Null);
        assert_eq!(chat.standins.seen("feishu").await["token"], Value::Null);
    }
}

with_chat! {
    async fn another_session_of_the_same_browser_gets_nothing(chat: Chat) {
        chat.server.account("first@acme.test").await;
        chat.server.account("second@acme.test").await;
        for (provider, who, _) in PEOPLE {
            for then in ["second@acme.test", "first@acme.test", ""] {
                let browser = chat.server.anonymous();
                browser.login("first@acme.test", crate::support::PASSWORD).await;
                let page = chat.begin(&browser, provider, "purpose=bind").await;
                let back = chat.choose(&page, who).await;
                browser.post("/api/v1/logout", json!({})).await;
                if !then.is_empty() {
                    browser.login(then, crate::support::PASSWORD).await;
                }
                assert_eq!(arrive(&browser, &back).await, not_bound(provider, "wrong_user"), "{then}");
            }
        }
        assert_eq!(chat.bindings().await, 0);
    }
}

with_chat! {
    async fn a_state_works_once_in_its_time_for_its_provider_and_purpose(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        for ((provider, who, _), (other, _, _)) in [(PEOPLE[0], PEOPLE[1]), (PEOPLE[1], PEOPLE[0])] {
            let page = chat.begin(&owner, provider, "purpose=bind").await;
            let back = chat.choose(&page, who).await;
            let astray = back.replace(provider, other);
            assert_eq!(arrive(&owner, &astray).await, not_bound(other, "state_invalid"));
            for broken in ["", "?code=x", "?state=", "?code=x&state=%F0%9F%90%99"] {
                let to = arrive(&owner, &format!("/api/v1/{provider}/callback{broken}")).await;
                assert_eq!(to, not_bound(provider, "state_invalid"), "{broken}");
            }
            // A trip to sign in binds nothing, even if the browser is signed in.
            assert_eq!(chat.sign_in(&owner, provider, who).await, not_let_in(provider, "not_bound"));
            assert_eq!(chat.bindings().await, 0);
            assert_eq!(arrive(&owner, &back).await, bound(provider));
            assert_eq!(arrive(&owner, &back).await, not_bound(provider, "state_invalid"));
            chat.unbind(&owner, provider).await;

            let page = chat.begin(&owner, provider, "purpose=bind").await;
            let late = chat.choose(&page, who).await;
            chat.server.clock.advance(10 * 60_000 + 1_000);
            assert_eq!(arrive(&owner, &late).await, not_bound(provider, "state_invalid"));
            chat.server.clock.advance(-10 * 60_000 - 1_000);
            assert_eq!(chat.bindings().await, 0);
        }
    }
}

with_chat! {
    async fn a_code_of_another_trip_is_worth_nothing_at_feishu(chat: Chat) {
        let attacker = chat.server.owner("mallory@evil.test").await;
        let victim = chat.server.owner("victim@acme.test").await;
        let page = chat.begin(&attacker, "feishu", "purpose=bind").await;
        let theirs = chat.choose(&page, "ou_lilei").await;
        let page = chat.begin(&victim, "feishu", "purpose=bind").await;
        let own = chat.choose(&page, "ou_hanmeimei").await;
        let mixed = with_code(&own, code_of(&theirs));
        assert_eq!(arrive(&victim, &mixed).await, not_bound("feishu", "provider_error"));
        assert_eq!(chat.bindings().await, 0);
    }
}

with_chat! {
    async fn signing_out_meanwhile_binds_nothing(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        let id = current(&owner).await["id"].as_str().unwrap().to_owned();
        for (provider, who, _) in PEOPLE {
            let thief = chat.server.signed_in("owner@acme.test").await;
            let page = chat.begin(&thief, provider, "purpose=bind").await;
            let back = chat.choose(&page, who).await;
            chat.standins.control(provider, "hang", json!({ "seconds": 1.5 })).await;
            let arriving = tokio::spawn(async move { arrive(&thief, &back).await });
            tokio::time::sleep(std::time::Duration::from_millis(500)).await;
            chat.server.execute("DELETE FROM sessions WHERE user_id = $1", &id).await;
            assert_eq!(arriving.await.unwrap(), not_bound(provider, "wrong_user"));
            chat.standins.control(provider, "hang", json!({ "seconds": 0 })).await;
        }
        assert_eq!(chat.bindings().await, 0);
    }
}
