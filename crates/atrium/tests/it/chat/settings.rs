//! What is configured and what is not, and which ways to sign in are left.

use super::*;
use crate::process::{Server, atrium, output, text};
use crate::support::on_both;

on_both! {
    async fn what_is_not_set_up_is_not_there(server: TestServer) {
        let owner = server.owner("owner@acme.test").await;
        let providers = &owner.get("/api/v1/envs").await.body["data"]["providers"];
        assert_eq!(providers, &json!({ "sso": false, "wechatwork": false, "feishu": false }));
        for (provider, _, _) in PEOPLE {
            let path = format!("/api/v1/{provider}");
            for answer in [
                owner.get(&format!("{path}/authorize/url?purpose=bind")).await,
                server.anonymous().get(&format!("{path}/authorize/url?purpose=login")).await,
                server.anonymous().get(&format!("{path}/callback?code=x&state=y")).await,
                owner.post(&format!("{path}/authorize/cancel"), json!({})).await,
            ] {
                assert_eq!((answer.status, answer.code()), (404, "provider_not_configured"));
            }
        }
    }
}

with_chat! {
    async fn what_is_set_up_shows(chat: Chat) {
        let envs = chat.server.anonymous().get("/api/v1/envs").await;
        assert_eq!(envs.body["data"]["providers"], json!({ "sso": false, "wechatwork": true, "feishu": true }));
    }
}

/// The ways to sign in that a person has, and whether they may unbind Feishu then.
const WAYS: [(&str, &[&str], bool); 11] = [
    ("nothing else", &[], false),
    ("a password", &["UPDATE users SET password_hash = 'x' WHERE id = $1"], true),
    (
        "a passkey",
        &["INSERT INTO passkeys (id, user_id, credential_id, credential, name, created_at)
           VALUES ('p', $1, 'c', '{}', 'Key', 1)"],
        true,
    ),
    (
        "the other chat",
        &["INSERT INTO chat_bindings (provider, tenant, subject, user_id, name, bound_at)
           VALUES ('wechatwork', 'ww-atrium', 'lilei', $1, 'Li Lei', 1)"],
        true,
    ),
    (
        "the other chat, of another company",
        &["INSERT INTO chat_bindings (provider, tenant, subject, user_id, name, bound_at)
           VALUES ('wechatwork', 'ww-old', 'lilei', $1, 'Li Lei', 1)"],
        false,
    ),
    ("an organization's provider", &[LINKED, SSO_ON], true),
    ("one that is switched off", &[LINKED, SSO_OFF], false),
    ("one that was replaced", &[LINKED, SSO_OTHER], false),
    ("one that is gone", &[LINKED], false),
    (
        "one of an organization that they left",
        &[LINKED, SSO_ON, "DELETE FROM org_members WHERE user_id = $1"],
        false,
    ),
    (
        "an authenticator app, which is only a second step",
        &[
            "INSERT INTO totp_factors (user_id, secret, created_at, confirmed_at, last_step)
           VALUES ($1, 'x', 1, 1, 0)",
            "UPDATE sessions SET second_factor_at = 1 WHERE user_id = $1",
        ],
        false,
    ),
];
const LINKED: &str =
    "INSERT INTO sso_identities (org_id, issuer, subject, user_id, name, linked_at, last_used_at)
    SELECT org_id, 'https://id.test', 's', user_id, 'N', 1, 1 FROM org_members WHERE user_id = $1";
const SSO_ON: &str = "INSERT INTO org_sso (org_id, issuer, client_id, client_secret, default_role, enabled_at, updated_at)
    SELECT org_id, 'https://id.test', 'c', 's', 'member', 1, 1 FROM org_members WHERE user_id = $1";
const SSO_OFF: &str =
    "INSERT INTO org_sso (org_id, issuer, client_id, client_secret, default_role, updated_at)
    SELECT org_id, 'https://id.test', 'c', 's', 'member', 1 FROM org_members WHERE user_id = $1";
const SSO_OTHER: &str = "INSERT INTO org_sso (org_id, issuer, client_id, client_secret, default_role, enabled_at, updated_at)
    SELECT org_id, 'https://other.test', 'c', 's', 'member', 1, 1 FROM org_members WHERE user_id = $1";

/// A person who has signed in and has nothing but Feishu and the given ways.
async fn someone(chat: &Chat, has: &[&'static str]) -> Actor {
    let owner = chat.server.owner("owner@acme.test").await;
    let id = current(&owner).await["id"].as_str().unwrap().to_owned();
    let feishu = "INSERT INTO chat_bindings (provider, tenant, subject, user_id, name, bound_at)
        VALUES ('feishu', 'tenant_atrium', 'ou_lilei', $1, '李雷', 1)";
    let bare = "UPDATE users SET password_hash = NULL WHERE id = $1";
    for statement in [feishu, bare].iter().chain(has) {
        chat.server.execute(statement, &id).await;
    }
    owner
}

async fn forget(chat: &Chat) {
    for statement in [
        "DELETE FROM org_sso WHERE org_id <> $1",
        "DELETE FROM apps WHERE id <> $1",
        "DELETE FROM org_members WHERE org_id <> $1",
        "DELETE FROM organizations WHERE id <> $1",
        "DELETE FROM users WHERE id <> $1",
    ] {
        chat.server.execute(statement, "").await;
    }
}

with_chat! {
    async fn the_last_way_in_stays(chat: Chat) {
        for (what, has, may) in WAYS {
            let owner = someone(&chat, has).await;
            let answer = chat.unbind(&owner, "feishu").await;
            let expected = if may { (200, "") } else { (409, "last_way_in") };
            assert_eq!((answer.status, answer.code()), expected, "{what}");
            assert_eq!(current(&owner).await["bindings"]["feishu"].is_null(), may, "{what}");
            forget(&chat).await;
        }
    }
}

with_chat! {
    async fn of_two_bound_accounts_one_stays(chat: Chat) {
        let owner = someone(&chat, WAYS[3].1).await;
        let (one, other) = tokio::join!(chat.unbind(&owner, "feishu"), chat.unbind(&owner, "wechatwork"));
        let mut both = [(one.status, one.code()), (other.status, other.code())];
        both.sort_unstable();
        assert_eq!(both, [(200, ""), (409, "last_way_in")]);
        assert_eq!(chat.bindings().await, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_by_mail_is_a_way_in_where_mails_leave() {
    let chat =
        Chat::start_with(Store::Sqlite, |raw| raw.smtp_url = Some("smtp://127.0.0.1:9".into()))
            .await;
    let owner = someone(&chat, &[]).await;
    assert_eq!(chat.unbind(&owner, "feishu").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_work_here_is_no_way_in() {
    // A passkey at an address where passkeys cannot work, and a chat that was removed from the settings.
    let chat = Chat::start_with(Store::Sqlite, |raw| {
        raw.public_url = Some("http://203.0.113.9".into());
        raw.wechatwork_corp_id = None;
        raw.wechatwork_agent_id = None;
        raw.wechatwork_secret = None;
    })
    .await;
    let owner = someone(&chat, &[WAYS[2].1[0], WAYS[3].1[0]]).await;
    assert_eq!(chat.unbind(&owner, "feishu").await.code(), "last_way_in");
    // A binding to the removed chat can still be unbound.
    assert_eq!(chat.unbind(&owner, "wechatwork").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_secret_is_the_providers_error() {
    let chat = Chat::start_with(Store::Sqlite, |raw| {
        raw.wechatwork_secret = "wrong".parse().ok();
        raw.feishu_app_secret = "wrong".parse().ok();
    })
    .await;
    let owner = chat.server.owner("owner@acme.test").await;
    for (provider, who, _) in PEOPLE {
        assert_eq!(chat.bind(&owner, provider, who).await, not_bound(provider, "provider_error"));
    }
}

#[test]
fn half_a_provider_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| {
        let mut command = atrium(folder.path(), &[&["serve"], arguments].concat());
        let output = command.output().unwrap();
        assert!(!output.status.success());
        text(&output.stderr)
    };
    let error = refused(&["--feishu-app-id", "cli_x"]);
    assert!(error.contains("feishu_app_secret: "), "{error}");
    let error = refused(&["--wechatwork-corp-id", "ww", "--wechatwork-secret", "hunter2"]);
    assert!(error.contains("wechatwork_agent_id: ") && !error.contains("hunter2"), "{error}");
}

fn arguments(standins: &Standins) -> Vec<String> {
    let (wechatwork, feishu) = (standins.place("wechatwork"), standins.place("feishu"));
    [
        ("--wechatwork-corp-id", "ww-atrium"),
        ("--wechatwork-agent-id", "1000002"),
        ("--wechatwork-secret", "wechat-secret"),
        ("--wechatwork-login-url", wechatwork),
        ("--wechatwork-api-url", wechatwork),
        ("--feishu-app-id", "cli_atrium"),
        ("--feishu-app-secret", "feishu-secret"),
        ("--feishu-accounts-url", feishu),
        ("--feishu-api-url", feishu),
    ]
    .iter()
    .flat_map(|(name, value)| [(*name).to_owned(), (*value).to_owned()])
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_asks_for_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let standins = Standins::start("wechatwork,feishu").await;
    let examine = |change: &dyn Fn(&mut Vec<String>)| {
        let mut all = vec!["doctor".to_owned()];
        all.extend(arguments(&standins));
        change(&mut all);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let output = output(folder.path(), &all);
        (output.status.success(), text(&output.stdout))
    };
    let (well, said) = examine(&|_| {});
    assert!(well, "{said}");
    assert!(said.contains("ok       wechatwork   ww-atrium, 127.0.0.1 issues a token"), "{said}");
    assert!(said.contains("ok       feishu       cli_atrium, 127.0.0.1 issues a token"), "{said}");
    let replace = |from: &'static str, to: &'static str| {
        move |all: &mut Vec<String>| {
            all.iter_mut().filter(|text| text.as_str() == from).for_each(|text| *text = to.into());
        }
    };
    for (secret, code) in [("wechat-secret", "40001"), ("feishu-secret", "10014")] {
        let (well, said) = examine(&replace(secret, "wrong-secret"));
        assert!(!well && said.contains("FAILURE") && said.contains(code), "{said}");
        assert!(!said.contains("wrong-secret"), "{said}");
    }
    // Nothing listens there.
    let place = Box::leak(standins.place("feishu").to_owned().into_boxed_str());
    let (well, said) = examine(&replace(place, "http://127.0.0.1:9"));
    assert!(
        well && said.contains("warning  feishu       127.0.0.1: it cannot be reached"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_holds_nothing_of_a_trip() {
    let folder = tempfile::tempdir().unwrap();
    let standins = Standins::start("wechatwork,feishu").await;
    let mut all = arguments(&standins);
    all.extend(["--log", "debug"].map(str::to_owned));
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let server = Server::start(folder.path(), &all);
    let get = |path: &str, cookie: &str| {
        server.request(&format!(
            "GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncookie: {cookie}\r\n\r\n"
        ))
    };
    let mut secrets = vec!["wechat-secret".to_owned(), "feishu-secret".to_owned()];
    for (provider, who, _) in PEOPLE {
        let begun = get(&format!("/api/v1/{provider}/authorize/url?purpose=login"), "");
        let cookie = begun.split("atrium_flow=").nth(1).unwrap().split(';').next().unwrap();
        let page = begun.split("\"url\":\"").nth(1).unwrap().split('"').next().unwrap();
        let back = standins.opened(&format!("{page}&as={who}")).await;
        let back = url::Url::parse(&back).unwrap();
        secrets.extend(back.query_pairs().map(|(_, value)| value.into_owned()));
        secrets.push(cookie.to_owned());
        let path = &back[url::Position::BeforePath..];
        let arrived = get(path, &format!("atrium_flow={cookie}"));
        assert!(arrived.contains(&not_let_in(provider, "not_bound")), "{arrived}");
    }
    let gettoken = format!(
        "{}/cgi-bin/gettoken?corpid=ww-atrium&corpsecret=wechat-secret",
        standins.place("wechatwork")
    );
    let token: Value =
        http_client::local().get(gettoken).send().await.unwrap().json().await.unwrap();
    secrets.push(token["access_token"].as_str().unwrap().to_owned());
    server.signal("-INT");
    let (_, log) = server.finish();
    assert!(log.contains("/api/v1/feishu/callback"), "{log}");
    for secret in secrets {
        assert!(!log.contains(&secret), "{secret} in {log}");
    }
}
