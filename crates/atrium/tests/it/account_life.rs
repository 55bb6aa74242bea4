//! Changing the address, exporting one's data, deleting the account, and the notices about it.

use crate::support::{Actor, Answer, PASSWORD, Store, TestServer, on_both};
use atrium::types::Millis;
use futures::future::join_all;
use serde_json::{Value, json};

const JANE: &str = "jane@example.com";
const NEW: &str = "jane.new@example.com";

async fn ask(actor: &Actor, email: &str) -> Answer {
    actor.post("/api/v1/current/email", json!({ "email": email })).await
}

async fn confirm(server: &TestServer, token: &str) -> Answer {
    server.anonymous().post("/api/v1/email/confirm", json!({ "token": token })).await
}

on_both! {
    async fn an_address_moves_once_the_new_one_confirms(server: TestServer) {
        let jane = server.owner(JANE).await;
        let same = ask(&jane, "JANE@example.com").await;
        assert_eq!((same.status, same.code(), same.field()), (422, "same_email", "email"));
        assert_eq!(ask(&jane, "nonsense").await.code(), "bad_email");
        assert_eq!(ask(&jane, NEW).await.status, 200);
        assert_eq!(jane.get("/api/v1/current").await.body["data"]["email"], JANE);

        let token = server.mail_about(NEW, "Confirm").await.token();
        let view = server.anonymous().get(&format!("/api/v1/register/token?token={token}")).await;
        assert_eq!(view.body["data"], json!({ "email": NEW, "kind": "email_change", "organization": null, "account": JANE }));
        // A link that confirms a new address must not open the registration form.
        let body = json!({ "token": token, "name": "X", "password": PASSWORD, "organization_name": "Y" });
        assert_eq!(server.anonymous().post("/api/v1/register/profile", body).await.status, 410);
        // Links mailed to the old address stop working with the change.
        server.anonymous().post("/api/v1/password/forget", json!({ "email": JANE })).await;
        let reset = server.mail_about(JANE, "Reset").await.token();

        let answer = confirm(&server, &token).await;
        assert_eq!((answer.status, &answer.body["data"]["email"]), (200, &json!(NEW)));
        assert_eq!(jane.get("/api/v1/current").await.body["data"]["email"], NEW);
        let notice = server.mail_about(JANE, "address was changed").await;
        assert!(notice.text.contains(NEW), "{}", notice.text);
        assert_eq!(confirm(&server, &token).await.status, 410);
        assert_eq!(server.anonymous().login(JANE, PASSWORD).await.status, 401);
        assert_eq!(server.anonymous().login(NEW, PASSWORD).await.status, 200);
        let view = server.anonymous().get(&format!("/api/v1/password/reset/token?token={reset}")).await;
        assert_eq!(view.status, 410);
    }
}

on_both! {
    async fn a_taken_address_is_not_revealed_on_the_page(server: TestServer) {
        let jane = server.owner(JANE).await;
        server.account("bob@example.com").await;
        let (taken, free) = (ask(&jane, "bob@example.com").await, ask(&jane, NEW).await);
        assert_eq!((taken.status, &taken.body), (free.status, &free.body));
        let mail = server.mail_to("bob@example.com").await;
        assert_eq!(mail.subject, "You already have an Atrium account");
        assert!(!mail.text.contains("emailValidator"));

        // The address is taken between the request and the confirmation.
        let token = server.mail_about(NEW, "Confirm").await.token();
        server.account(NEW).await;
        let answer = confirm(&server, &token).await;
        assert_eq!((answer.status, answer.code()), (409, "email_taken"));
        assert_eq!(jane.get("/api/v1/current").await.body["data"]["email"], JANE);
    }
}

on_both! {
    async fn a_link_to_another_address_works_once_and_not_for_ever(server: TestServer) {
        let jane = server.owner(JANE).await;
        ask(&jane, NEW).await;
        let token = server.mail_about(NEW, "Confirm").await.token();
        let tries = (0..50).map(|_| {
            let (server, token) = (&server, token.clone());
            async move { confirm(server, &token).await.status }
        });
        let statuses = join_all(tries).await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        server.clock.advance(61 * Millis::SECOND);
        ask(&jane, JANE).await;
        let token = server.mail_about(JANE, "Confirm").await.token();
        server.clock.advance(Millis::DAY);
        assert_eq!(confirm(&server, &token).await.status, 410);
    }
}

async fn leave(actor: &Actor, email: &str) -> Answer {
    actor.delete_with("/api/v1/current", json!({ "email": email })).await
}

on_both! {
    async fn a_sole_owner_hears_what_stands_in_the_way(server: TestServer) {
        let jane = server.owner(JANE).await;
        let wrong = leave(&jane, "someone@example.com").await;
        assert_eq!((wrong.status, wrong.code(), wrong.field()), (422, "wrong_email", "email"));
        let answer = leave(&jane, JANE).await;
        assert_eq!((answer.status, answer.code()), (409, "sole_owner"));
        assert!(answer.body["message"].as_str().unwrap().contains("Test Team"), "{answer:?}");
        let view = jane.get("/api/v1/current/deletion").await;
        assert_eq!(view.body["data"]["blocked_by"][0]["name"], "Test Team");
        assert_eq!(view.body["data"]["blocked_by"][0]["member_count"], 1);
    }
}

on_both! {
    async fn an_account_is_deleted_for_good(server: TestServer) {
        let jane = server.member(JANE).await;
        let elsewhere = server.signed_in(JANE).await;
        assert_eq!(jane.get("/api/v1/current/deletion").await.body["data"]["blocked_by"], json!([]));
        let answer = leave(&jane, "JANE@example.com").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(jane.get("/api/v1/current").await.status, 401);
        assert_eq!(elsewhere.get("/api/v1/current").await.status, 401);
        assert_eq!(server.anonymous().login(JANE, PASSWORD).await.code(), "bad_credentials");
        for table in ["SELECT COUNT(*) FROM users", "SELECT COUNT(*) FROM sessions",
            "SELECT COUNT(*) FROM org_members", "SELECT COUNT(*) FROM notifications"] {
            assert_eq!(server.count(table).await, 0, "{table}");
        }
        server.mail_about(JANE, "account was deleted").await;
        // The audit entries stay, and the address can be used again.
        assert!(server.count("SELECT COUNT(*) FROM audit_entries WHERE action = 'account.delete'").await == 1);
        server.account(JANE).await;
    }
}

on_both! {
    async fn two_last_owners_who_leave_at_once_leave_one_behind(server: TestServer) {
        let (jane, bob) = (server.owner(JANE).await, server.owner("bob@example.com").await);
        // Both own the same organization, and no other.
        server.execute("DELETE FROM org_members WHERE user_id <> (SELECT id FROM users WHERE email = $1)", JANE).await;
        server.execute(
            "INSERT INTO org_members (org_id, user_id, role, joined_at)
             SELECT org_id, (SELECT id FROM users WHERE email = $1), 'owner', 1 FROM org_members",
            "bob@example.com",
        ).await;
        let (one, two) = tokio::join!(leave(&jane, JANE), leave(&bob, "bob@example.com"));
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{one:?} {two:?}");
        assert_eq!(server.count("SELECT COUNT(*) FROM org_members WHERE role = 'owner'").await, 1);
    }
}

on_both! {
    async fn people_take_their_data_along(server: TestServer) {
        let jane = server.owner(JANE).await;
        server.signed_in(JANE).await;
        let answer = jane.get("/api/v1/current/export").await;
        assert_eq!(answer.status, 200);
        assert!(answer.header("content-disposition").contains("atrium-my-data.json"));
        let file = &answer.body;
        assert_eq!(file["account"]["email"], JANE);
        assert_eq!(file["organizations"][0]["role"], "owner");
        assert_eq!(file["sessions"].as_array().unwrap().len(), 2);
        assert_eq!(file["notifications"][0]["kind"], "new_device");
        let actions: Vec<&str> = file["activity"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
        assert!(actions.contains(&"account.sign_in") && actions.contains(&"account.export"), "{actions:?}");
        let text = file.to_string();
        assert!(!text.contains("argon2") && !text.contains("token_hash"), "{text}");
    }
}

const NOTIFICATIONS: &str = "/api/v1/current/notifications";

async fn unread(actor: &Actor) -> Value {
    actor.get("/api/v1/current/notifications/unread").await.body["data"]["unread"].clone()
}

on_both! {
    async fn a_new_device_is_announced_everywhere_and_a_known_one_is_not(server: TestServer) {
        let jane = server.owner(JANE).await;
        assert_eq!(unread(&jane).await, 0);
        // The same browser again: no new notice.
        assert_eq!(jane.login(JANE, PASSWORD).await.status, 200);
        assert_eq!(unread(&jane).await, 0);

        // Security notices always go to the console and the mail, whatever the person chose.
        let channels = json!({ "security": ["email"] });
        assert_eq!(jane.put("/api/v1/current/notification-types", channels).await.status, 200);
        server.signed_in(JANE).await;
        assert_eq!(unread(&jane).await, 1);
        let mail = server.mail_about(JANE, "New sign-in").await;
        assert!(mail.text.contains("127.0.0.1"), "{}", mail.text);

        let list = jane.get(NOTIFICATIONS).await;
        let data = &list.body["data"];
        assert_eq!((&data["total"], &data["unread"]), (&json!(1), &json!(1)));
        assert_eq!(data["items"][0]["type"], "security");
        assert_eq!(data["items"][0]["kind"], "new_device");
        assert_eq!(data["items"][0]["link"], "/account/user-info#sessions");
        // Shown in the reader's language, whatever language the mail was in.
        let request = jane.request(reqwest::Method::GET, NOTIFICATIONS).header("accept-language", "zh-CN");
        assert_eq!(jane.send(request).await.body["data"]["items"][0]["title"], "新设备登录");
    }
}

on_both! {
    async fn notifications_are_read_one_by_one_or_all_at_once(server: TestServer) {
        let jane = server.owner(JANE).await;
        for _ in 0..3 {
            server.signed_in(JANE).await;
        }
        let list = jane.get(NOTIFICATIONS).await;
        let id = list.body["data"]["items"][0]["id"].as_str().unwrap().to_owned();
        let bob = server.owner("bob@example.com").await;
        let mark = |actor: &Actor, body: Value| {
            let actor = actor.clone();
            async move { actor.post("/api/v1/current/notifications/read", body).await }
        };
        // Ids of other people's notifications are ignored.
        assert_eq!(mark(&bob, json!({ "ids": [id] })).await.status, 200);
        assert_eq!(unread(&jane).await, 3);
        assert_eq!(mark(&jane, json!({ "ids": [id] })).await.body["data"]["unread"], 2);
        let left = jane.get(&format!("{NOTIFICATIONS}?unread=true&page_size=1")).await;
        assert_eq!((&left.body["data"]["total"], left.body["data"]["items"].as_array().unwrap().len()), (&json!(2), 1));
        assert_eq!(mark(&jane, json!({ "ids": vec![id; 101] })).await.status, 422);
        assert_eq!(mark(&jane, json!({})).await.body["data"]["unread"], 0);
        server.clock.advance(181 * Millis::DAY);
        atrium::accounts::sweep(&server.atrium).await.unwrap();
        assert_eq!(server.count("SELECT COUNT(*) FROM notifications").await, 0);
    }
}

on_both! {
    async fn a_changed_password_is_announced(server: TestServer) {
        let jane = server.owner(JANE).await;
        let body = json!({ "current_password": PASSWORD, "new_password": "quite another one" });
        assert_eq!(jane.put("/api/v1/current/password", body).await.status, 200);
        assert_eq!(jane.get(NOTIFICATIONS).await.body["data"]["items"][0]["kind"], "password_changed");
        server.mail_about(JANE, "password was changed").await;
    }
}

on_both! {
    async fn taking_an_account_back_stops_a_change_of_address(server: TestServer) {
        let (jane, thief) = (server.owner(JANE).await, server.signed_in(JANE).await);
        assert_eq!(ask(&thief, NEW).await.status, 200);
        // The old address is notified at once.
        assert!(server.mail_about(JANE, "change of your email address").await.text.contains(NEW));
        let token = server.mail_about(NEW, "Confirm").await.token();
        let body = json!({ "current_password": PASSWORD, "new_password": "quite another one" });
        assert_eq!(jane.put("/api/v1/current/password", body).await.status, 200);
        assert_eq!(confirm(&server, &token).await.status, 410);

        server.clock.advance(61 * Millis::SECOND);
        assert_eq!(ask(&jane, NEW).await.status, 200);
        let token = server.mail_about(NEW, "Confirm").await.token();
        assert_eq!(jane.delete("/api/v1/current/sessions").await.status, 200);
        assert_eq!(confirm(&server, &token).await.status, 410);
    }
}

on_both! {
    async fn a_sign_in_with_the_old_password_does_not_slip_past_its_change(server: TestServer) {
        let jane = server.owner(JANE).await;
        let mut passwords = [PASSWORD.to_owned(), "quite another one".to_owned()];
        for _ in 0..3 {
            let tries = (0..6).map(|n| {
                let (browser, password) = (server.anonymous(), passwords[0].clone());
                async move {
                    tokio::time::sleep(std::time::Duration::from_millis(n * 12)).await;
                    browser.login(JANE, &password).await;
                    browser
                }
            });
            let body = json!({ "current_password": passwords[0], "new_password": passwords[1] });
            let (browsers, changed) = tokio::join!(join_all(tries), jane.put("/api/v1/current/password", body));
            assert_eq!(changed.status, 200, "{changed:?}");
            for browser in browsers {
                assert_eq!(browser.get("/api/v1/current").await.status, 401);
            }
            server.execute("DELETE FROM throttles WHERE scope <> $1", "").await;
            passwords.swap(0, 1);
        }
    }
}
