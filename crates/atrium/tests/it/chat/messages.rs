//! Messages through bound accounts.

use super::*;
use atrium::chat::Provider;
use atrium::notifications::{self, Notice, chat_outbox as outbox};
use atrium::types::{Id, Millis};
use futures::future::join_all;

const WAITING: &str = "SELECT COUNT(*) FROM outbox WHERE channel <> 'mail'";

/// Sends until nothing is due.
async fn send(chat: &Chat) {
    for provider in Provider::ALL {
        while outbox::send_due(&chat.server.atrium, provider).await.unwrap() > 0 {}
    }
}

async fn received(chat: &Chat, provider: &str) -> Vec<String> {
    let seen = chat.standins.seen(provider).await;
    let messages = seen["messages"].as_array().unwrap();
    let text = |message: &Value| {
        let content = message["content"].as_str().unwrap();
        match serde_json::from_str::<Value>(content) {
            Ok(content) => content["text"].as_str().unwrap().to_owned(),
            Err(_) => content.to_owned(),
        }
    };
    messages.iter().map(text).collect()
}

/// Waits for messages that the provider is slow to take.
async fn arrived(chat: &Chat, provider: &str, messages: usize) {
    for _ in 0..500 {
        if received(chat, provider).await.len() == messages {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("{provider} did not receive {messages} messages");
}

async fn choose(actor: &Actor, channels: Value) {
    let answer = actor.put("/api/v1/current/notification-types", channels).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// A person who has bound both chats and wants invitations there.
async fn reachable(chat: &Chat, email: &str) -> (Actor, Id) {
    let actor = chat.server.owner(email).await;
    for (provider, who, _) in PEOPLE {
        assert_eq!(chat.bind(&actor, provider, who).await, bound(provider));
    }
    choose(&actor, json!({ "invitation": ["wechatwork", "feishu"] })).await;
    let id = Id::parse(current(&actor).await["id"].as_str().unwrap()).unwrap();
    (actor, id)
}

async fn tell(chat: &Chat, id: &Id, org: &str) {
    let mut tx = chat.server.atrium.db.write().await.unwrap();
    let notice = Notice::Invited { org: org.to_owned(), by: "Jane".to_owned() };
    notifications::notify_id(&chat.server.atrium, &mut tx, id, &notice).await.unwrap();
    tx.commit().await.unwrap();
}

with_chat! {
    async fn what_a_person_chose_arrives_once_in_their_language(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        let org = owner.get("/api/v1/orgs").await.body["data"]["items"][0]["id"].as_str().unwrap().to_owned();
        let (guest, id) = reachable(&chat, "guest@elsewhere.test").await;
        choose(&guest, json!({ "invitation": ["wechatwork"], "security": ["email", "feishu"], "role_change": ["email"] })).await;
        guest.put("/api/v1/current/profile", json!({ "locale": "zh-CN" })).await;

        let invite = json!({ "emails": ["guest@elsewhere.test"], "role": "member" });
        let invited = owner.post(&format!("/api/v1/orgs/{org}/invitations"), invite).await;
        assert_eq!(invited.status, 200, "{invited:?}");
        let change = json!({ "current_password": crate::support::PASSWORD, "new_password": "another horse battery" });
        assert_eq!(guest.put("/api/v1/current/password", change).await.status, 200);
        let mut tx = chat.server.atrium.db.write().await.unwrap();
        let removed = Notice::RemovedFromOrg { org: "Team".to_owned() };
        notifications::notify_id(&chat.server.atrium, &mut tx, &id, &removed).await.unwrap();
        tx.commit().await.unwrap();
        // The bindings themselves were announced too, before any choice was made.
        assert_eq!(chat.server.count(WAITING).await, 2);
        let sealed: Vec<String> = {
            let mut db = chat.server.atrium.db.read().await.unwrap();
            sqlx::query_scalar("SELECT body FROM outbox WHERE channel <> 'mail'").fetch_all(&mut *db).await.unwrap()
        };
        assert!(sealed.iter().all(|text| !text.contains("Team") && !text.contains(id.as_str())));

        let atrium = &chat.server.atrium;
        let both = || Provider::ALL.into_iter().map(|provider| outbox::send_due(atrium, provider));
        join_all((0..8).flat_map(|_| both())).await;
        let link = format!("{}/organization/list", chat.server.url);
        assert_eq!(received(&chat, "wechatwork").await, [format!("你收到一份团队邀请\nTest Person 邀请你加入团队“Test Team”。\n{link}")]);
        let messages = received(&chat, "feishu").await;
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(messages[0].starts_with("密码已更改\n"), "{messages:?}");
        assert_eq!(chat.server.count(WAITING).await, 0);
        assert_eq!(chat.standins.seen("wechatwork").await["send"], 1);
        assert_eq!(chat.standins.seen("feishu").await["messages"].as_array().unwrap().len(), 1);

        guest.put("/api/v1/current/profile", json!({ "locale": "en-US" })).await;
        tell(&chat, &id, "Two").await;
        send(&chat).await;
        let messages = received(&chat, "wechatwork").await;
        assert!(messages[1].starts_with("You have been invited to a team\n"), "{messages:?}");
    }
}

with_chat! {
    async fn security_notices_go_there_only_when_chosen(chat: Chat) {
        let owner = chat.server.owner("owner@acme.test").await;
        chat.bind(&owner, "wechatwork", "LiLei").await;
        assert_eq!(chat.server.count(WAITING).await, 0);
        choose(&owner, json!({ "security": ["email", "feishu"] })).await;
        // The notice about a new binding goes to the newly bound provider; the notice about unbinding does
        // not go to the unbound one.
        chat.bind(&owner, "feishu", "ou_lilei").await;
        assert_eq!(chat.server.count(WAITING).await, 1);
        chat.unbind(&owner, "feishu").await;
        assert_eq!(chat.server.count(WAITING).await, 1);
        send(&chat).await;
        assert!(received(&chat, "feishu").await.is_empty());
        assert_eq!(chat.server.count(WAITING).await, 0);
        // Mail and the in-app notifications have both nevertheless.
        assert_eq!(owner.get("/api/v1/current/notifications").await.body["data"]["total"], 3);
    }
}

with_chat! {
    async fn an_outage_costs_time_and_no_message(chat: Chat) {
        let (_, id) = reachable(&chat, "owner@acme.test").await;
        for org in ["One", "Two"] {
            tell(&chat, &id, org).await;
        }
        for (provider, _, _) in PEOPLE {
            chat.standins.control(provider, "down", json!({ "down": true })).await;
        }
        for _ in 0..60 {
            send(&chat).await;
            chat.server.clock.advance(Millis::MINUTE);
        }
        assert_eq!(chat.server.count(WAITING).await, 4);
        let error = chat.server.text("SELECT last_error FROM outbox WHERE channel = $1", "feishu").await;
        assert_eq!(error.as_deref(), Some("its answer cannot be understood"));
        for (provider, _, _) in PEOPLE {
            chat.standins.control(provider, "down", json!({ "down": false })).await;
            // The outage ended the token, too.
            chat.standins.control(provider, "expire_tokens", json!({})).await;
        }
        chat.server.clock.advance(15 * Millis::MINUTE);
        send(&chat).await;
        for (provider, _, _) in PEOPLE {
            let mut messages = received(&chat, provider).await;
            messages.sort();
            assert_eq!(messages.len(), 2, "{messages:?}");
            assert!(messages[0].contains("One") && messages[1].contains("Two"), "{messages:?}");
        }
        assert_eq!(chat.server.count(WAITING).await, 0);
    }
}

with_chat! {
    async fn a_day_is_enough(chat: Chat) {
        let (_, id) = reachable(&chat, "owner@acme.test").await;
        tell(&chat, &id, "One").await;
        for (provider, _, _) in PEOPLE {
            chat.standins.control(provider, "down", json!({ "down": true })).await;
        }
        chat.server.clock.advance(Millis::DAY - Millis::MINUTE);
        send(&chat).await;
        assert_eq!(chat.server.count(WAITING).await, 2);
        chat.server.clock.advance(2 * Millis::MINUTE);
        send(&chat).await;
        assert_eq!(chat.server.count(WAITING).await, 0);
    }
}

with_chat! {
    async fn an_unbound_account_gets_nothing_more(chat: Chat) {
        let (owner, id) = reachable(&chat, "owner@acme.test").await;
        tell(&chat, &id, "One").await;
        for (provider, _, _) in PEOPLE {
            assert_eq!(chat.unbind(&owner, provider).await.status, 200);
        }
        send(&chat).await;
        tell(&chat, &id, "Two").await;
        assert_eq!(chat.server.count(WAITING).await, 0);
        for (provider, _, _) in PEOPLE {
            assert!(received(&chat, provider).await.is_empty());
        }
    }
}

with_chat! {
    async fn one_who_cannot_be_reached_is_not_tried_again(chat: Chat) {
        let (_, id) = reachable(&chat, "owner@acme.test").await;
        // One user the provider does not know, then one outside the app's visible range.
        chat.server.execute("UPDATE chat_bindings SET subject = 'nobody' WHERE user_id = $1", id.as_str()).await;
        tell(&chat, &id, "One").await;
        send(&chat).await;
        chat.server.execute("UPDATE chat_bindings SET subject = 'wangwei' WHERE user_id = $1 AND provider = 'wechatwork'", id.as_str()).await;
        chat.server.execute("UPDATE chat_bindings SET subject = 'ou_wangwei' WHERE user_id = $1 AND provider = 'feishu'", id.as_str()).await;
        tell(&chat, &id, "Two").await;
        send(&chat).await;
        // A user of a company that the app used to belong to.
        chat.server.execute("UPDATE chat_bindings SET tenant = 'ww-old', subject = 'lilei' WHERE user_id = $1 AND provider = 'wechatwork'", id.as_str()).await;
        tell(&chat, &id, "Three").await;
        send(&chat).await;
        assert_eq!(chat.server.count(WAITING).await, 0);
        assert_eq!(chat.standins.seen("wechatwork").await["send"], 2);
    }
}

with_chat! {
    async fn too_many_at_once_wait_for_their_turn(chat: Chat) {
        let (owner, id) = reachable(&chat, "owner@acme.test").await;
        choose(&owner, json!({ "invitation": ["wechatwork"] })).await;
        for n in 0..35 {
            tell(&chat, &id, &format!("Team {n}")).await;
        }
        send(&chat).await;
        assert_eq!(received(&chat, "wechatwork").await.len(), 30);
        assert_eq!(chat.server.count("SELECT COUNT(*) FROM outbox WHERE channel <> 'mail' AND tries = 0").await, 5);
        chat.server.clock.advance(Millis::MINUTE);
        send(&chat).await;
        assert_eq!(received(&chat, "wechatwork").await.len(), 35);

        // The vendor's own rate limit has the last word.
        choose(&owner, json!({ "invitation": ["wechatwork", "feishu"] })).await;
        chat.standins.control("wechatwork", "busy", json!({ "times": 1, "errcode": 45009, "call": "send" })).await;
        chat.standins.control("feishu", "busy", json!({ "times": 1, "code": 230020, "call": "messages" })).await;
        tell(&chat, &id, "Last").await;
        send(&chat).await;
        assert_eq!(chat.server.count(WAITING).await, 2);
        chat.server.clock.advance(30 * Millis::SECOND);
        send(&chat).await;
        assert_eq!(chat.server.count(WAITING).await, 2);
        chat.server.clock.advance(31 * Millis::SECOND);
        send(&chat).await;
        assert_eq!(chat.server.count(WAITING).await, 0);
    }
}

with_chat! {
    impatient async fn an_answer_that_was_lost_makes_no_second_message(chat: Chat) {
        let (_, id) = reachable(&chat, "owner@acme.test").await;
        // Fetches the token first, so that the next wait is for a message and not for a token.
        tell(&chat, &id, "One").await;
        send(&chat).await;
        tell(&chat, &id, "Two").await;
        for (provider, _, _) in PEOPLE {
            chat.standins.control(provider, "hang", json!({ "seconds": 2 })).await;
        }
        let atrium = &chat.server.atrium;
        join_all(Provider::ALL.map(|provider| outbox::send_due(atrium, provider))).await;
        assert_eq!(chat.server.count(WAITING).await, 2);
        for (provider, _, _) in PEOPLE {
            chat.standins.control(provider, "hang", json!({ "seconds": 0 })).await;
        }
        for (provider, _, _) in PEOPLE {
            arrived(&chat, provider, 2).await;
        }
        chat.server.clock.advance(Millis::MINUTE);
        send(&chat).await;
        for (provider, _, _) in PEOPLE {
            assert_eq!(received(&chat, provider).await.len(), 2, "{provider}");
        }
        assert_eq!(chat.server.count(WAITING).await, 0);
    }
}
