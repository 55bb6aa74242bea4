//! Organizations: their rules, and what happens when people act at once.

use crate::support::world::Team;
use crate::support::{Actor, Answer, PASSWORD, Store, TestServer, on_both};
use atrium::types::Millis;
use futures::future::join_all;
use serde_json::{Value, json};

fn org(team: &Team, rest: &str) -> String {
    format!("/api/v1/orgs/{}{rest}", team.org_id)
}

async fn set_role(actor: &Actor, team: &Team, name: &str, role: &str) -> Answer {
    let path = org(team, &format!("/members/{}", team.id(name)));
    actor.put(&path, json!({ "role": role })).await
}

on_both! {
    async fn someone_makes_a_team_and_finds_it_in_the_list(server: TestServer) {
        let (_, jane) = server.person("jane@example.com").await;
        assert_eq!(jane.get("/api/v1/current").await.body["data"]["allow_visited_app"], false);
        let bad = jane.post("/api/v1/orgs", json!({ "name": " ", "timezone": "Mars/Base" })).await;
        assert_eq!((bad.status, bad.body["errors"].as_array().unwrap().len()), (422, 2));
        for name in ["Zebra", "ant", "数据组", "50%_off"] {
            let made = jane.post("/api/v1/orgs", json!({ "name": name })).await;
            assert_eq!((made.status, &made.body["data"]["role"]), (200, &json!("owner")), "{made:?}");
        }
        assert_eq!(jane.get("/api/v1/current").await.body["data"]["allow_visited_app"], true);
        let names = |answer: &Answer| -> Vec<String> {
            let items = answer.body["data"]["items"].as_array().unwrap();
            items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
        };
        let list = jane.get("/api/v1/orgs?sort=name&order=desc").await;
        assert_eq!(names(&list), ["Zebra", "ant", "数据组", "50%_off"]);
        assert_eq!(list.body["data"]["items"][0]["member_count"], 1);
        assert_eq!(names(&jane.get("/api/v1/orgs?search=%E6%95%B0%E6%8D%AE").await), ["数据组"]);
        // LIKE's wildcards are matched as plain text.
        assert_eq!(names(&jane.get("/api/v1/orgs?search=%25_").await), ["50%_off"]);
        assert_eq!(names(&jane.get("/api/v1/orgs?search=_").await), ["50%_off"]);
        let page = jane.get("/api/v1/orgs?page=2&page_size=3").await;
        assert_eq!((names(&page).len(), &page.body["data"]["total"]), (1, &json!(4)));
        assert_eq!(jane.get("/api/v1/orgs?sort=password_hash").await.status, 422);
    }
}

on_both! {
    async fn settings_change_and_only_owners_require_a_second_factor(server: TestServer) {
        let team = server.team("one").await;
        let (admin, owner) = (team.actor("admin"), team.actor("owner"));
        let body = json!({ "name": "Renamed", "timezone": "Asia/Shanghai", "retention_days": 90 });
        let changed = admin.put(&org(&team, ""), body).await;
        assert_eq!(changed.body["data"]["name"], "Renamed");
        assert_eq!(changed.body["data"]["retention_days"], 90);
        assert_eq!(admin.put(&org(&team, ""), json!({ "retention_days": 0 })).await.field(), "retention_days");
        let require = json!({ "require_mfa": true });
        assert_eq!(admin.put(&org(&team, ""), require.clone()).await.code(), "forbidden");
        // Owners cannot lock themselves out.
        let early = owner.put(&org(&team, ""), require.clone()).await;
        assert_eq!((early.status, early.code()), (409, "mfa_enrol_first"));
        server.run("UPDATE sessions SET second_factor_at = 1 WHERE user_id = $1", &[team.id("owner").as_str()]).await;
        assert_eq!(owner.put(&org(&team, ""), require).await.body["data"]["require_mfa"], true);
        assert_eq!(admin.get(&org(&team, "")).await.code(), "second_factor_required");
        assert_eq!(admin.get("/api/v1/current").await.body["data"]["mfa"]["required"], true);
    }
}

on_both! {
    async fn admins_do_not_touch_owners_and_the_last_owner_stays(server: TestServer) {
        let team = server.team("one").await;
        let (admin, owner) = (team.actor("admin"), team.actor("owner"));
        assert_eq!(set_role(admin, &team, "member", "owner").await.code(), "forbidden");
        assert_eq!(set_role(admin, &team, "owner", "member").await.code(), "forbidden");
        let path = org(&team, &format!("/members/{}", team.id("owner")));
        assert_eq!(admin.delete(&path).await.code(), "forbidden");
        assert_eq!(set_role(admin, &team, "member", "admin").await.status, 200);
        assert_eq!(set_role(owner, &team, "owner", "admin").await.code(), "last_owner");
        assert_eq!(owner.delete(&path).await.code(), "last_owner");
        assert_eq!(owner.post(&org(&team, "/leave"), Value::Null).await.code(), "last_owner");

        // A second owner who is disabled does not count.
        assert_eq!(set_role(owner, &team, "viewer", "owner").await.status, 200);
        server.run("UPDATE users SET disabled_at = 1 WHERE id = $1", &[team.id("viewer").as_str()]).await;
        assert_eq!(owner.post(&org(&team, "/leave"), Value::Null).await.code(), "last_owner");
        server.run("UPDATE users SET disabled_at = NULL WHERE id = $1", &[team.id("viewer").as_str()]).await;
        assert_eq!(owner.post(&org(&team, "/leave"), Value::Null).await.status, 200);
        assert_eq!(owner.get(&org(&team, "")).await.status, 404);
    }
}

on_both! {
    async fn a_removed_member_loses_every_app(server: TestServer) {
        let team = server.team("one").await;
        let path = org(&team, &format!("/members/{}", team.id("developer")));
        let impact = team.actor("admin").get(&format!("{path}/impact")).await;
        assert_eq!(impact.body["data"]["app_count"], 1);
        assert_eq!(impact.body["data"]["apps"][0]["name"], "App");
        assert_eq!(team.actor("admin").delete(&path).await.status, 200);
        assert_eq!(team.actor("developer").get(&format!("/api/v1/apps/{}", team.app_id)).await.status, 404);
        assert_eq!(team.actor("admin").delete(&path).await.status, 404);
        let notices = team.actor("developer").get("/api/v1/current/notifications").await;
        assert_eq!(notices.body["data"]["items"][0]["kind"], "removed_from_org");
    }
}

on_both! {
    async fn an_admin_loses_every_app_of_the_team(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        for name in ["Second", "Third"] {
            let body = json!({ "name": name, "region": "local", "timezone": "UTC" });
            let made = owner.post(&org(&team, "/apps"), body).await;
            assert_eq!(made.status, 200, "{made:?}");
        }
        let impact = |name: &str| org(&team, &format!("/members/{}/impact", team.id(name)));
        let lost = owner.get(&impact("admin")).await.body["data"].clone();
        assert_eq!(lost["app_count"], 3);
        let apps: Vec<_> = lost["apps"].as_array().unwrap().iter()
            .map(|app| (app["name"].as_str().unwrap(), app["role"].as_str().unwrap())).collect();
        assert_eq!(apps, [("App", "管理员"), ("Second", "管理员"), ("Third", "管理员")]);
        // A plain member loses the apps in which they have a role.
        assert_eq!(owner.get(&impact("developer")).await.body["data"]["app_count"], 1);
        assert_eq!(owner.get(&impact("member")).await.body["data"]["app_count"], 0);
    }
}

on_both! {
    async fn ownership_is_handed_over(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        let stranger = server.account("stranger@example.com").await;
        for id in [stranger.as_str(), team.id("owner").as_str()] {
            let answer = owner.post(&org(&team, "/transfer"), json!({ "user_id": id })).await;
            assert_eq!((answer.code(), answer.field()), ("not_a_member", "user_id"));
        }
        let body = json!({ "user_id": team.id("member") });
        assert_eq!(owner.post(&org(&team, "/transfer"), body).await.status, 200);
        assert_eq!(owner.get(&org(&team, "")).await.body["data"]["role"], "admin");
        assert_eq!(team.actor("member").get(&org(&team, "")).await.body["data"]["role"], "owner");
    }
}

on_both! {
    async fn an_organization_goes_once_its_apps_are_purged(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        let wrong = owner.delete_with(&org(&team, ""), json!({ "name": "Teem" })).await;
        assert_eq!((wrong.status, wrong.code(), wrong.field()), (422, "wrong_name", "name"));
        let body = json!({ "name": "Team" });
        let early = owner.delete_with(&org(&team, ""), body.clone()).await;
        assert_eq!((early.status, early.code()), (409, "org_has_apps"));
        server.run("DELETE FROM apps WHERE org_id = $1", &[team.org_id.as_str()]).await;
        assert_eq!(owner.delete_with(&org(&team, ""), body).await.status, 200);
        assert_eq!(owner.get(&org(&team, "")).await.status, 404);
        assert_eq!(server.count("SELECT COUNT(*) FROM invitations").await, 0);
    }
}

/// Sends all of these at once; returns the sorted statuses.
async fn at_once<F: Future<Output = Answer>>(tries: impl Iterator<Item = F>) -> Vec<u16> {
    let mut statuses: Vec<u16> = join_all(tries).await.into_iter().map(|it| it.status).collect();
    statuses.sort_unstable();
    statuses
}

on_both! {
    async fn of_two_admins_who_demote_each_other_one_is_too_late(server: TestServer) {
        let team = server.team("one").await;
        for _ in 0..25 {
            server.restore(&team).await;
            assert_eq!(set_role(team.actor("owner"), &team, "viewer", "admin").await.status, 200);
            let (one, two) = tokio::join!(
                set_role(team.actor("admin"), &team, "viewer", "member"),
                set_role(team.actor("viewer"), &team, "admin", "member"),
            );
            let mut statuses = [one.status, two.status];
            statuses.sort_unstable();
            // The later request may already have arrived from a plain member.
            assert!(matches!(statuses, [200, 409] | [200, 403]), "{one:?} {two:?}");
            assert_eq!(server.count("SELECT COUNT(*) FROM org_members WHERE role = 'admin'").await, 1);
        }
    }
}

on_both! {
    async fn an_owner_always_stays_when_several_leave_or_are_removed_at_once(server: TestServer) {
        let team = server.team("one").await;
        for _ in 0..25 {
            server.restore(&team).await;
            assert_eq!(set_role(team.actor("owner"), &team, "viewer", "owner").await.status, 200);
            let removing = org(&team, &format!("/members/{}", team.id("owner")));
            let leaving = org(&team, "/leave");
            let (left, removed) = tokio::join!(
                team.actor("viewer").delete(&removing),
                team.actor("viewer").post(&leaving, Value::Null),
            );
            let ok = [left.status, removed.status].iter().filter(|status| **status == 200).count();
            assert_eq!(ok, 1, "{left:?} {removed:?}");
            assert_eq!(server.count("SELECT COUNT(*) FROM org_members WHERE role = 'owner'").await, 1);
        }
    }
}

async fn invite(actor: &Actor, team: &Team, body: Value) -> Answer {
    actor.post(&org(team, "/invitations"), body).await
}

on_both! {
    async fn people_are_invited_with_a_result_for_each_address(server: TestServer) {
        let team = server.team("one").await;
        let (known_id, known) = server.person("known@example.com").await;
        let admin = team.actor("admin");
        let member = &team.people["member"].email;
        let emails = json!(["New@Example.com", "known@example.com", member, "nonsense", "new@example.com"]);
        let grants = json!([{ "app_id": team.app_id, "role_id": team.role_id }]);
        let answer = invite(admin, &team, json!({ "emails": emails, "role": "member", "apps": grants })).await;
        let statuses: Vec<&str> = answer.body["data"]["results"].as_array().unwrap().iter()
            .map(|result| result["status"].as_str().unwrap()).collect();
        assert_eq!(statuses, ["invited", "invited", "already_member", "invalid", "already_invited"]);
        assert_eq!(answer.body["data"]["results"][0]["invitation"]["apps"][0]["role_name"], "Custom");

        // A person without an account comes by the link in the mail.
        let token = server.mail_about("New@Example.com", "invited to a team").await.token();
        let browser = server.anonymous();
        let view = browser.get(&format!("/api/v1/register/token?token={token}")).await;
        assert_eq!(view.body["data"], json!({ "email": "New@Example.com", "kind": "invitation", "organization": "Team", "account": null }));
        let body = json!({ "token": token, "name": "New", "password": PASSWORD });
        let joined = browser.post("/api/v1/register/profile", body.clone()).await;
        assert_eq!(joined.status, 200, "{joined:?}");
        assert_eq!(browser.get(&org(&team, "")).await.body["data"]["role"], "member");
        let role = browser.get(&format!("/api/v1/apps/{}/role", team.app_id)).await;
        assert_eq!((&role.body["data"]["role"]["name"], &role.body["data"]["permissions"]), (&json!("Custom"), &json!(["app:view"])));
        let log = admin.get(&format!("/api/v1/apps/{}/audit-logs", team.app_id)).await;
        assert_eq!(log.body["data"]["items"][0]["action"], "app_member.add");
        assert_eq!(browser.post("/api/v1/register/profile", body).await.status, 410);

        // A person with an account finds the invitation in the console.
        let waiting = known.get("/api/v1/current/invitations").await;
        let id = waiting.body["data"]["items"][0]["id"].as_str().unwrap().to_owned();
        assert_eq!(waiting.body["data"]["items"][0]["organization"]["name"], "Team");
        let tries = (0..50).map(|_| {
            let (known, path) = (known.clone(), format!("/api/v1/invitations/{id}/accept"));
            async move { known.post(&path, Value::Null).await }
        });
        let statuses = at_once(tries).await;
        assert_eq!((statuses[0], statuses[1]), (200, 409), "{statuses:?}");
        let count = server.text("SELECT role FROM org_members WHERE user_id = $1", known_id.as_str()).await;
        assert_eq!(count.as_deref(), Some("member"));
    }
}

on_both! {
    async fn an_invitation_is_for_its_address_and_not_for_ever(server: TestServer) {
        let team = server.team("one").await;
        let (_, eve) = server.person("eve@example.com").await;
        let (_, bob) = server.person("bob@example.com").await;
        let answer = invite(team.actor("admin"), &team, json!({ "emails": ["bob@example.com", "new@example.com"], "role": "admin" })).await;
        let results = &answer.body["data"]["results"];
        let id = results[0]["invitation"]["id"].as_str().unwrap().to_owned();
        let accept = format!("/api/v1/invitations/{id}/accept");
        assert_eq!(eve.post(&accept, Value::Null).await.status, 404);
        assert_eq!(eve.post(&format!("/api/v1/invitations/{id}/decline"), Value::Null).await.status, 404);

        let revoke = org(&team, &format!("/invitations/{id}"));
        assert_eq!(team.actor("admin").delete(&revoke).await.status, 200);
        assert_eq!(bob.post(&accept, Value::Null).await.code(), "invitation_closed");
        assert_eq!(team.actor("admin").delete(&revoke).await.code(), "invitation_closed");

        // Revoking an invitation ends the mailed link too.
        let token = server.mail_about("new@example.com", "invited to a team").await.token();
        let id = results[1]["invitation"]["id"].as_str().unwrap();
        assert_eq!(team.actor("admin").delete(&org(&team, &format!("/invitations/{id}"))).await.status, 200);
        assert_eq!(server.anonymous().get(&format!("/api/v1/register/token?token={token}")).await.status, 410);
        let body = json!({ "token": token, "name": "New", "password": PASSWORD });
        assert_eq!(server.anonymous().post("/api/v1/register/profile", body).await.status, 410);

        let again = invite(team.actor("admin"), &team, json!({ "emails": ["bob@example.com"], "role": "member" })).await;
        let id = again.body["data"]["results"][0]["invitation"]["id"].as_str().unwrap().to_owned();
        let resend = org(&team, &format!("/invitations/{id}/resend"));
        assert_eq!(team.actor("admin").post(&resend, Value::Null).await.status, 429);
        server.clock.advance(8 * Millis::DAY);
        assert_eq!(bob.get("/api/v1/current/invitations").await.body["data"]["total"], 0);
        assert_eq!(bob.post(&format!("/api/v1/invitations/{id}/accept"), Value::Null).await.code(), "invitation_closed");
        let list = team.actor("admin").get(&org(&team, "/invitations?search=bob")).await;
        assert_eq!(list.body["data"]["items"][0]["state"], "expired");
        assert_eq!(team.actor("admin").post(&resend, Value::Null).await.body["data"]["state"], "pending");
        assert_eq!(bob.post(&format!("/api/v1/invitations/{id}/decline"), Value::Null).await.status, 200);
        assert_eq!(bob.get(&org(&team, "")).await.status, 404);
    }
}

on_both! {
    async fn nobody_invites_above_themselves_or_into_what_is_not_theirs(server: TestServer) {
        let (team, other) = (server.team("one").await, server.team("two").await);
        let admin = team.actor("admin");
        assert_eq!(invite(admin, &team, json!({ "emails": ["a@example.com"], "role": "owner" })).await.code(), "forbidden");
        for grant in [
            json!({ "app_id": other.app_id, "role_id": other.role_id }),
            json!({ "app_id": team.app_id, "role_id": other.role_id }),
        ] {
            let body = json!({ "emails": ["a@example.com"], "role": "member", "apps": [grant] });
            assert_eq!(invite(admin, &team, body).await.code(), "bad_grant");
        }
        let many: Vec<String> = (0..51).map(|n| format!("a{n}@example.com")).collect();
        assert_eq!(invite(admin, &team, json!({ "emails": many, "role": "member" })).await.code(), "bad_length");
        assert_eq!(invite(admin, &team, json!({ "emails": [], "role": "member" })).await.code(), "bad_length");
        assert_eq!(server.count("SELECT COUNT(*) FROM invitations WHERE state = 'pending' AND email LIKE '%example.com'").await, 0);
    }
}

on_both! {
    async fn colleagues_ask_to_join(server: TestServer) {
        let team = server.team("one").await;
        server.run("UPDATE users SET email = 'boss@acme.test', email_normalized = 'boss@acme.test' WHERE id = $1", &[team.id("owner").as_str()]).await;
        let (_, jane) = server.person("jane@acme.test").await;
        let (_, eve) = server.person("eve@notacme.test").await;
        assert_eq!(eve.get("/api/v1/current/joinable-orgs").await.body["data"]["total"], 0);
        let list = jane.get("/api/v1/current/joinable-orgs").await;
        assert_eq!(list.body["data"]["items"][0]["name"], "Team");
        let ask = org(&team, "/access-requests");
        assert_eq!(eve.post(&ask, json!({})).await.status, 404);
        assert_eq!(jane.post(&ask, json!({ "message": "Hello <b>boss</b>" })).await.status, 200);
        assert_eq!(jane.post(&ask, json!({})).await.status, 429);
        let notices = team.actor("owner").get("/api/v1/current/notifications").await;
        let item = &notices.body["data"]["items"][0];
        assert_eq!(item["kind"], "access_asked");
        assert!(item["link"].as_str().unwrap().ends_with("&invite=jane%40acme%2Etest"), "{item}");
        server.clock.advance(Millis::DAY + 1);
        assert_eq!(jane.post(&ask, json!({})).await.status, 200);
    }
}

on_both! {
    async fn a_body_that_takes_its_time_undoes_nothing(server: TestServer) {
        let team = server.team("one").await;
        server.run("UPDATE sessions SET second_factor_at = 1 WHERE user_id = $1", &[team.id("owner").as_str()]).await;
        let admin = team.actor("admin");
        let (release, held) = tokio::sync::oneshot::channel::<()>();
        let body = reqwest::Body::wrap_stream(futures::stream::once(async move {
            held.await.ok();
            Ok::<_, std::io::Error>(r#"{"timezone":"Asia/Tokyo"}"#)
        }));
        let request = admin.request(reqwest::Method::PUT, &org(&team, ""));
        let request = request.header("content-type", "application/json").body(body);
        let (slow, _) = tokio::join!(admin.send(request), async {
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            let answer = team.actor("owner").put(&org(&team, ""), json!({ "require_mfa": true, "name": "New" })).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            release.send(()).unwrap();
        });
        // The rule applies to the admin too, even in the middle of a request.
        assert_eq!(slow.code(), "second_factor_required");
        let now = team.actor("owner").get(&org(&team, "")).await;
        assert_eq!((&now.body["data"]["require_mfa"], &now.body["data"]["name"]), (&json!(true), &json!("New")));
    }
}

on_both! {
    async fn an_invitation_is_worth_what_its_inviter_still_is(server: TestServer) {
        let team = server.team("one").await;
        let (_, friend) = server.person("friend@example.com").await;
        let (_, other) = server.person("other@example.com").await;
        let invited = |answer: &Answer| answer.body["data"]["results"][0]["invitation"]["id"].as_str().unwrap().to_owned();
        let accept = |actor: &Actor, id: &str| {
            let (actor, path) = (actor.clone(), format!("/api/v1/invitations/{id}/accept"));
            async move { actor.post(&path, Value::Null).await }
        };
        let first = invited(&invite(team.actor("admin"), &team, json!({ "emails": ["friend@example.com"], "role": "admin" })).await);
        assert_eq!(set_role(team.actor("owner"), &team, "admin", "member").await.status, 200);
        assert_eq!(accept(&friend, &first).await.code(), "invitation_closed");

        assert_eq!(set_role(team.actor("owner"), &team, "admin", "admin").await.status, 200);
        let second = invited(&invite(team.actor("admin"), &team, json!({ "emails": ["other@example.com"], "role": "admin" })).await);
        let path = org(&team, &format!("/members/{}", team.id("admin")));
        assert_eq!(team.actor("owner").delete(&path).await.status, 200);
        assert_eq!(accept(&other, &second).await.code(), "invitation_closed");
        // However the inviter lost their rights, the invitation cannot be accepted.
        server.run("UPDATE invitations SET state = 'pending', invited_by = $1 WHERE email = 'other@example.com'", &[team.id("member").as_str()]).await;
        assert_eq!(accept(&other, &second).await.code(), "invitation_closed");
    }
}

on_both! {
    async fn making_owners_wants_a_recent_sign_in_and_someone_able_to_sign_in(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        server.run("UPDATE users SET disabled_at = 1 WHERE id = $1", &[team.id("viewer").as_str()]).await;
        let disabled = owner.post(&org(&team, "/transfer"), json!({ "user_id": team.id("viewer") })).await;
        assert_eq!(disabled.code(), "not_a_member");
        server.clock.advance(16 * Millis::MINUTE);
        let late = [
            set_role(owner, &team, "member", "owner").await,
            invite(owner, &team, json!({ "emails": ["a@example.com"], "role": "owner" })).await,
            owner.post(&org(&team, "/transfer"), json!({ "user_id": team.id("member") })).await,
            owner.delete_with(&org(&team, ""), json!({ "name": "Team" })).await,
        ];
        for answer in late {
            assert_eq!((answer.status, answer.code()), (403, "reauth_required"), "{answer:?}");
        }
        assert_eq!(set_role(owner, &team, "member", "admin").await.status, 200);
    }
}

on_both! {
    async fn nobody_is_written_to_again_and_again(server: TestServer) {
        let team = server.team("one").await;
        let admin = team.actor("admin");
        let mut throttled = false;
        for _ in 0..10 {
            let answer = invite(admin, &team, json!({ "emails": ["stranger@example.com"], "role": "member" })).await;
            if answer.status == 429 {
                throttled = true;
                break;
            }
            let id = answer.body["data"]["results"][0]["invitation"]["id"].as_str().unwrap().to_owned();
            assert_eq!(admin.delete(&org(&team, &format!("/invitations/{id}"))).await.status, 200);
        }
        assert!(throttled);
        assert!(server.count("SELECT COUNT(*) FROM invitations WHERE email = 'stranger@example.com'").await <= 6);
    }
}

on_both! {
    async fn plain_members_see_less_of_each_other(server: TestServer) {
        let team = server.team("one").await;
        let seen = team.actor("member").get(&org(&team, "/members?sort=role")).await;
        assert_eq!(seen.body["data"]["items"][0]["mfa"], Value::Null);
        assert_eq!(seen.body["data"]["items"][0]["last_login_at"], Value::Null);
        // Sorting by a hidden field would reveal it.
        let sorted = "/members?sort=last_login_at";
        assert_eq!(team.actor("member").get(&org(&team, sorted)).await.status, 422);
        assert_eq!(team.actor("admin").get(&org(&team, sorted)).await.status, 200);
        let seen = team.actor("admin").get(&org(&team, "/members?sort=role")).await;
        assert_eq!(seen.body["data"]["items"][0]["mfa"], false);
        assert!(seen.body["data"]["items"][0]["last_login_at"].is_string());
    }
}

on_both! {
    async fn nobody_becomes_owner_on_the_way_out(server: TestServer) {
        for n in 0..5 {
            let team = server.team(&format!("t{n}")).await;
            let member = &team.people["member"];
            let transfer = org(&team, "/transfer");
            let (transferred, deleted) = tokio::join!(
                team.actor("owner").post(&transfer, json!({ "user_id": member.id })),
                member.actor.delete_with("/api/v1/current", json!({ "email": member.email })),
            );
            assert!(transferred.status < 500 && deleted.status < 500, "{transferred:?} {deleted:?}");
            let owners = server.text("SELECT user_id FROM org_members WHERE org_id = $1 AND role = 'owner'", team.org_id.as_str()).await;
            assert!(owners.is_some(), "{transferred:?} {deleted:?}");
        }
    }
}

on_both! {
    async fn what_is_not_there_is_said_before_what_is_wrong(server: TestServer) {
        let team = server.team("one").await;
        let nobody = "01a1dd08-6e8b-7c12-a86d-ab85cdefca48";
        let owner = team.actor("owner");
        let app = format!("/api/v1/apps/{}", team.app_id);
        for path in [org(&team, &format!("/members/{nobody}")), format!("{app}/members/{nobody}"), format!("{app}/roles/{nobody}")] {
            assert_eq!(owner.put(&path, json!({ "role": 7 })).await.status, 404, "{path}");
        }
        let states = |state: &'static str| {
            let (owner, path) = (owner.clone(), org(&team, &format!("/invitations?state={state}")));
            async move { owner.get(&path).await }
        };
        assert_eq!(states("pending").await.body["data"]["total"], 1);
        server.run("UPDATE invitations SET expires_at = 5 WHERE org_id = $1", &[team.org_id.as_str()]).await;
        assert_eq!(states("pending").await.body["data"]["total"], 0);
        assert_eq!(states("expired").await.body["data"]["total"], 1);
        assert_eq!(states("lost").await.status, 422);
        let long = "x".repeat(5_000);
        assert_eq!(owner.get(&org(&team, &format!("/audit-logs?actor={long}"))).await.field(), "actor");
    }
}
