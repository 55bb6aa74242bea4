//! Signing in with a bound account.

use super::*;

with_chat! {
    async fn it_leads_where_the_person_wanted_to_go(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        chat.bind(&owner, "feishu", "ou_lilei").await;
        let own = chat.server.url.clone();
        let cases = [
            ("/organization/list?a=1#x".to_owned(), "/organization/list?a=1#x"),
            (format!("{own}/account/user-info"), "/account/user-info"),
            ("//evil.example".to_owned(), "/"),
            ("///evil.example".to_owned(), "/"),
            ("/\\evil.example".to_owned(), "/"),
            ("\\\\evil.example".to_owned(), "/"),
            ("https://evil.example".to_owned(), "/"),
            ("https:evil.example".to_owned(), "/"),
            (format!("{own}@evil.example"), "/"),
            (format!("{own}.evil.example/"), "/"),
            ("http://user@127.0.0.1/".to_owned(), "/"),
            ("/x/..//evil.example".to_owned(), "/"),
            ("/\t/evil.example".to_owned(), "/"),
            ("/%2e%2e//evil.example".to_owned(), "/"),
            ("\u{feff}//evil.example".to_owned(), "/"),
            ("https://evil\u{ff0e}example".to_owned(), "/"),
            ("javascript:alert(1)".to_owned(), "/"),
            ("/api/v1/logout".to_owned(), "/"),
            ("/login".to_owned(), "/"),
        ];
        for (redirect, expected) in cases {
            let query: String = url::form_urlencoded::Serializer::new(String::new())
                .append_pair("purpose", "login")
                .append_pair("redirect", &redirect)
                .finish();
            let browser = chat.server.anonymous();
            assert_eq!(chat.trip(&browser, "feishu", &query, "ou_lilei").await, expected, "{redirect}");
            let refused = chat.trip(&browser, "feishu", &query, "refuse").await;
            let plain = not_let_in("feishu", "cancelled");
            if expected == "/" {
                assert_eq!(refused, plain, "{redirect}");
            } else {
                assert!(refused.starts_with(&format!("{plain}&redirect=%2F")), "{refused}");
            }
        }
    }
}

with_chat! {
    async fn a_second_factor_is_still_asked_for(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        let id = current(&owner).await["id"].as_str().unwrap().to_owned();
        for (provider, who, _) in PEOPLE {
            chat.bind(&owner, provider, who).await;
        }
        chat.server.execute(
            "INSERT INTO totp_factors (user_id, secret, created_at, confirmed_at, last_step) VALUES ($1, 'x', 1, 1, 0)", &id,
        ).await;
        for (provider, who, _) in PEOPLE {
            let browser = chat.server.anonymous();
            let to = chat.trip(&browser, provider, "purpose=login&redirect=%2Fx%3Fy", who).await;
            assert_eq!(to, "/login?step=mfa&redirect=%2Fx%3Fy");
            assert_eq!(browser.get("/api/v1/current").await.status, 401);
            // The first step was accepted: a wrong code is refused, and the half-done sign-in stays.
            let answer = browser.post("/api/v1/login/mfa", json!({ "code": "aaaaa-aaaaa" })).await;
            assert_eq!(answer.code(), "bad_code", "{answer:?}");
        }
    }
}

with_chat! {
    async fn a_disabled_account_stays_out(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        for (provider, who, _) in PEOPLE {
            chat.bind(&owner, provider, who).await;
        }
        chat.server.execute("UPDATE users SET disabled_at = 1 WHERE email = $1", "owner@acme.test").await;
        for (provider, who, _) in PEOPLE {
            let to = chat.sign_in(&chat.server.anonymous(), provider, who).await;
            assert_eq!(to, not_let_in(provider, "account_disabled"));
        }
    }
}

with_chat! {
    async fn the_address_over_there_opens_nothing(chat: Chat) {
        // Feishu's stand-in claims this address for everyone.
        chat.server.account("owner@acme.test").await;
        let browser = chat.server.anonymous();
        assert_eq!(chat.sign_in(&browser, "feishu", "ou_lilei").await, not_let_in("feishu", "not_bound"));
        assert_eq!(browser.get("/api/v1/current").await.status, 401);
        assert_eq!(chat.server.count("SELECT COUNT(*) FROM users").await, 1);
    }
}

with_chat! {
    async fn the_page_speaks_the_callers_language(chat: Chat) {
        for (language, expected) in [("en-US", "lang=en"), ("zh-CN", "lang=zh"), ("fr", "lang=zh")] {
            let actor = chat.server.anonymous();
            let path = "/api/v1/wechatwork/authorize/url?purpose=login";
            let request = actor.request(reqwest::Method::GET, path).header("accept-language", language);
            let url = actor.send(request).await.body["data"]["url"].as_str().unwrap().to_owned();
            assert!(url.ends_with(expected), "{url}");
            for part in ["/wwlogin/sso/login?login_type=CorpApp&", "&appid=ww-atrium&", "&agentid=1000002&"] {
                assert!(url.replace("login_type=CorpApp", "login_type=CorpApp&").contains(part), "{url}");
            }
            let state = url.split("state=").nth(1).unwrap().split('&').next().unwrap();
            assert!(state.len() == 64 && state.bytes().all(|b| b.is_ascii_alphanumeric()), "{state}");
        }
    }
}

with_chat! {
    async fn one_network_begins_so_many_trips(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        chat.bind(&owner, "feishu", "ou_lilei").await;
        let browser = chat.server.anonymous();
        let page = chat.begin(&browser, "feishu", "purpose=login").await;
        let back = chat.choose(&page, "ou_lilei").await;
        let far = (chat.server.atrium.now().0 + 600_000).to_string();
        for scope in ["trip:127.0.0.1", "address:127.0.0.1"] {
            let mut tx = chat.server.atrium.db.write().await.unwrap();
            sqlx::query("DELETE FROM throttles WHERE scope = $1").bind(scope).execute(&mut *tx).await.unwrap();
            sqlx::query("INSERT INTO throttles (scope, window_start, failures, blocked_until) VALUES ($1, 0, 999, CAST($2 AS BIGINT))")
                .bind(scope).bind(&far).execute(&mut *tx).await.unwrap();
            tx.commit().await.unwrap();
        }
        let answer = browser.get("/api/v1/feishu/authorize/url?purpose=login").await;
        assert_eq!((answer.status, answer.code()), (429, "throttled"));
        // A valid state and a made-up one: the made-up one is no longer logged.
        let refusals = "SELECT COUNT(*) FROM audit_entries WHERE action = 'account.chat_refused'";
        assert_eq!(arrive(&browser, &back).await, not_let_in("feishu", "throttled"));
        assert_eq!(chat.server.count(refusals).await, 1);
        let to = arrive(&browser, "/api/v1/feishu/callback?code=x&state=y").await;
        assert_eq!(to, not_let_in("feishu", "throttled"));
        assert_eq!(chat.server.count(refusals).await, 1);
        assert_eq!(browser.get("/api/v1/current").await.status, 401);
    }
}
