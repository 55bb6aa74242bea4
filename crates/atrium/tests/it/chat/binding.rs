//! Binding and unbinding.

use super::*;
use futures::future::join_all;

with_chat! {
    async fn an_account_is_bound_signs_in_and_is_unbound(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        let id = current(&owner).await["id"].clone();
        for (provider, who, name) in PEOPLE {
            assert_eq!(chat.bind(&owner, provider, who).await, bound(provider));
            let binding = current(&owner).await["bindings"][provider].clone();
            assert_eq!(binding["name"], name);
            assert!(binding["bound_at"].is_string(), "{binding}");
            let mail = chat.server.mail_about("owner@acme.test", "An external account was linked").await;
            assert!(mail.text.contains(name), "{mail:?}");

            let elsewhere = chat.server.anonymous();
            assert_eq!(chat.sign_in(&elsewhere, provider, who).await, "/");
            assert_eq!(current(&elsewhere).await["id"], id);

            assert_eq!(chat.unbind(&owner, provider).await.status, 200);
            assert_eq!(current(&owner).await["bindings"][provider], Value::Null);
            chat.server.mail_about("owner@acme.test", "An external account was unlinked").await;
            let again = chat.unbind(&owner, provider).await;
            assert_eq!((again.status, again.code()), (404, "not_bound"));
            let stranger = chat.server.anonymous();
            assert_eq!(chat.sign_in(&stranger, provider, who).await, not_let_in(provider, "not_bound"));
            assert_eq!(stranger.get("/api/v1/current").await.status, 401);
            let refusal = chat.last_refusal().await;
            assert_eq!(refusal, json!({ "provider": provider, "purpose": "login", "reason": "not_bound" }));
        }
        let counted = [
            ("account.chat_bind", 2),
            ("account.chat_unbind", 2),
            ("account.chat_refused", 2),
            ("account.sign_in", 3),
        ];
        for (action, times) in counted {
            let mut db = chat.server.atrium.db.read().await.unwrap();
            let found: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM audit_entries WHERE action = $1")
                .bind(action).fetch_one(&mut *db).await.unwrap();
            assert_eq!(found, times, "{action}");
        }
        let by = chat.server.count(
            "SELECT COUNT(*) FROM audit_entries WHERE action = 'account.sign_in'
             AND (details LIKE '%\"wechatwork\"%' OR details LIKE '%\"feishu\"%')",
        );
        assert_eq!(by.await, 2);
    }
}

with_chat! {
    async fn what_the_provider_refuses_binds_nothing(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        let cases = [
            ("wechatwork", "refuse", "cancelled"),
            ("wechatwork", "outsider", "outsider"),
            ("feishu", "refuse", "cancelled"),
            ("feishu", "ou_wangwei", "not_allowed"),
        ];
        for (provider, who, why) in cases {
            assert_eq!(chat.bind(&owner, provider, who).await, not_bound(provider, why), "{who}");
            let refusal = chat.last_refusal().await;
            assert_eq!(refusal, json!({ "provider": provider, "purpose": "bind", "reason": why }));
        }
        for (provider, who, _) in PEOPLE {
            // Too old, made up, already used, and too long to be a code.
            let page = chat.begin(&owner, provider, "purpose=bind").await;
            let back = chat.choose(&page, who).await;
            chat.standins.control(provider, "expire_codes", json!({})).await;
            assert_eq!(arrive(&owner, &back).await, not_bound(provider, "code_refused"));
            for code in ["made-up", &"x".repeat(2_000)] {
                let page = chat.begin(&owner, provider, "purpose=bind").await;
                let back = with_code(&chat.choose(&page, who).await, code);
                assert_eq!(arrive(&owner, &back).await, not_bound(provider, "code_refused"));
            }
            let stranger = chat.server.anonymous();
            let page = chat.begin(&stranger, provider, "purpose=login").await;
            let spent = chat.choose(&page, who).await;
            arrive(&stranger, &spent).await;
            let page = chat.begin(&owner, provider, "purpose=bind").await;
            let back = with_code(&chat.choose(&page, who).await, code_of(&spent));
            assert_eq!(arrive(&owner, &back).await, not_bound(provider, "code_refused"));
        }
        let page = chat.begin(&owner, "feishu", "purpose=bind").await;
        let back = chat.choose(&page, "refuse").await.replace("access_denied", "invalid_scope");
        assert_eq!(arrive(&owner, &back).await, not_bound("feishu", "provider_error"));
        assert_eq!(chat.bindings().await, 0);
    }
}

pub(super) fn code_of(back: &str) -> &str {
    back.split("code=").nth(1).unwrap().split('&').next().unwrap()
}

pub(super) fn with_code(back: &str, code: &str) -> String {
    back.replace(code_of(back), code)
}

with_chat! {
    async fn who_may_begin(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        for (provider, who, _) in PEOPLE {
            let url = format!("/api/v1/{provider}/authorize/url?purpose=bind");
            assert_eq!(chat.server.anonymous().get(&url).await.code(), "not_signed_in");
            for wrong in ["?purpose=", "?purpose=steal"] {
                let answer = owner.get(&format!("/api/v1/{provider}/authorize/url{wrong}")).await;
                assert_eq!((answer.status, answer.field()), (422, "purpose"), "{wrong}");
            }
            chat.bind(&owner, provider, who).await;
            let second = owner.get(&url).await;
            assert_eq!((second.status, second.code()), (409, "already_bound"));
        }
        chat.server.clock.advance(16 * 60_000);
        for (provider, _, _) in PEOPLE {
            assert_eq!(chat.unbind(&owner, provider).await.code(), "reauth_required");
            let other = chat.server.signed_in("owner@acme.test").await;
            chat.unbind(&other, provider).await;
            let url = format!("/api/v1/{provider}/authorize/url?purpose=bind");
            assert_eq!(owner.get(&url).await.code(), "reauth_required");
            assert_eq!(chat.server.anonymous().post(&format!("/api/v1/{provider}/authorize/cancel"), json!({})).await.status, 401);
        }
    }
}

with_chat! {
    async fn without_a_purpose_who_is_signed_in_binds_and_anyone_else_signs_in(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        for (provider, who, _) in PEOPLE {
            assert_eq!(chat.trip(&owner, provider, "", who).await, bound(provider));
            let browser = chat.server.anonymous();
            chat.trip(&browser, provider, "", who).await;
            let person = browser.get("/api/v1/current").await;
            assert_eq!(person.body["data"]["email"], "owner@acme.test");
        }
    }
}

with_chat! {
    async fn an_account_over_there_is_bound_once(chat: Chat) {
        let mut actors = Vec::new();
        for n in 0..6 {
            actors.push(chat.server.owner(&format!("person{n}@acme.test")).await);
        }
        for (provider, who, _) in PEOPLE {
            let mut backs = Vec::new();
            for actor in &actors {
                let page = chat.begin(actor, provider, "purpose=bind").await;
                backs.push(chat.choose(&page, who).await);
            }
            let arrived = join_all(actors.iter().zip(&backs).map(|(actor, back)| arrive(actor, back))).await;
            let won = arrived.iter().filter(|to| **to == bound(provider)).count();
            let lost = arrived.iter().filter(|to| **to == not_bound(provider, "bound_elsewhere")).count();
            assert_eq!((won, lost), (1, 5), "{arrived:?}");
        }
        assert_eq!(chat.bindings().await, 2);
        assert_eq!(chat.server.count("SELECT COUNT(*) FROM audit_entries WHERE action = 'account.chat_bind'").await, 2);
    }
}

with_chat! {
    async fn a_person_binds_one_account_of_a_provider(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        for ((provider, who, _), (_, other)) in PEOPLE.into_iter().zip(OTHERS) {
            let mut backs = Vec::new();
            for who in [who, other, who, other] {
                let page = chat.begin(&owner, provider, "purpose=bind").await;
                backs.push(chat.choose(&page, who).await);
            }
            let arrived = join_all(backs.iter().map(|back| arrive(&owner, back))).await;
            // Either of the two may come first; a repeat of the same binding is not a failure.
            let won = arrived.iter().filter(|to| **to == bound(provider)).count();
            let lost = arrived.iter().filter(|to| **to == not_bound(provider, "already_bound")).count();
            assert_eq!((won, lost), (2, 2), "{arrived:?}");
        }
        assert_eq!(chat.bindings().await, 2);
        assert_eq!(chat.server.count("SELECT COUNT(*) FROM audit_entries WHERE action = 'account.chat_bind'").await, 2);
    }
}

with_chat! {
    async fn a_user_id_is_the_same_in_capitals(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        let other = chat.server.owner("other@acme.test").await;
        assert_eq!(chat.bind(&owner, "wechatwork", "LiLei").await, bound("wechatwork"));
        assert_eq!(chat.bind(&other, "wechatwork", "LILEI").await, not_bound("wechatwork", "bound_elsewhere"));
        assert_eq!(chat.sign_in(&chat.server.anonymous(), "wechatwork", "lilei").await, "/");
    }
}

with_chat! {
    async fn one_whom_the_app_may_not_see_is_bound_by_id(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        assert_eq!(chat.bind(&owner, "wechatwork", "WangWei").await, bound("wechatwork"));
        assert_eq!(current(&owner).await["bindings"]["wechatwork"]["name"], "WangWei");
        let asked = chat.standins.seen("wechatwork").await;
        assert_eq!(asked["get"], 1);
    }
}

with_chat! {
    async fn what_is_bound_is_part_of_ones_data(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        chat.bind(&owner, "feishu", "ou_lilei").await;
        let file = owner.get("/api/v1/current/export").await;
        let bound = &file.body["bound_accounts"][0];
        assert_eq!(bound["provider"], "feishu", "{file:?}");
        assert_eq!((&bound["company"], &bound["id"]), (&json!("tenant_atrium"), &json!("ou_lilei")));
        assert_eq!(bound["union_id"], "on_lilei");
    }
}
