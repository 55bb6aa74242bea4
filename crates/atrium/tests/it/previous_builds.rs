//! The previous build's files of the console: served for a day after an upgrade.

use std::path::{Path, PathBuf};

use crate::process::Server;
use crate::support::{Answer, Store, TestServer};
use atrium::console;
use atrium::http::CLIENT_VERSION;
use atrium::types::Millis;
use reqwest::Method;
use serde_json::{Value, json};

const BEFORE: &str = "0123456789abcdef0123456789abcdef";

/// A build folder, as a server of that version would have written it.
fn lay_down(data_dir: &Path, id: &str, version: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = data_dir.join("assets").join(id);
    let mut manifest = json!({ "version": version, "files": {} });
    for (name, content) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        manifest["files"][name] = json!({ "size": content.len(), "sha256": "ab".repeat(32) });
    }
    std::fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    folder
}

fn files() -> [(&'static str, &'static str); 5] {
    [
        ("assets/Old-AAAAAAAA.js", "export const old = 1"),
        ("assets/Old-AAAAAAAA.js.br", "packed by br"),
        ("assets/Old-AAAAAAAA.js.gz", "packed by gzip"),
        ("assets/old-BBBBBBBB.css", "a{}"),
        ("locale/zh-CN.json", "{\"old\":\"旧\"}"),
    ]
}

async fn server() -> TestServer {
    TestServer::start(Store::Sqlite).await
}

async fn get(server: &TestServer, path: &str, encoding: &str) -> Answer {
    let caller = server.anonymous();
    caller.send(caller.request(Method::GET, path).header("accept-encoding", encoding)).await
}

#[tokio::test]
async fn the_files_of_the_version_before_stay_for_a_day() {
    let server = server().await;
    let folder = lay_down(server.folder(), BEFORE, "v25.9.1", &files());
    let script = "/v25.9.1/assets/Old-AAAAAAAA.js";
    server.atrium.previous_builds.clone().take_over(server.atrium.now()).await;
    for (accepted, sent, body) in [
        ("gzip, br", "br", "packed by br"),
        ("gzip", "gzip", "packed by gzip"),
        ("identity", "", "export const old = 1"),
    ] {
        let answer = get(&server, script, accepted).await;
        assert_eq!(answer.status, 200);
        assert_eq!((answer.header("content-encoding"), &answer.body), (sent, &json!(body)));
        assert_eq!(answer.header("content-type"), "text/javascript; charset=utf-8");
        assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        let caller = server.anonymous();
        let again =
            caller.request(Method::GET, script).header("if-none-match", answer.header("etag"));
        assert_eq!(caller.send(again).await.status, 304);
    }
    let pack = get(&server, "/v25.9.1/locale/zh-CN.json", "").await;
    assert_eq!((pack.status, &pack.body), (200, &json!({ "old": "旧" })));
    assert_eq!(pack.header("cache-control"), "no-cache");
    let style = get(&server, "/v25.9.1/assets/old-BBBBBBBB.css", "").await;
    assert_eq!(style.header("content-type"), "text/css; charset=utf-8");
    // Another version never had this file, and nothing else in the folder is served.
    for nothing in [
        "/v25.9.2/assets/Old-AAAAAAAA.js",
        &format!("/{CLIENT_VERSION}/assets/Old-AAAAAAAA.js"),
        "/v25.9.1/manifest.json",
        "/v25.9.1/assets/Old-AAAAAAAA.js.br",
        "/v25.9.1/../master.key",
        "/v25.9.1/..%2f..%2fmaster.key",
        "/v25.9.1/%2e%2e/%2e%2e/master.key",
        "/v25.9.1/assets/",
        "/v25.9.1/",
    ] {
        let answer = get(&server, nothing, "").await;
        let is_page = answer.header("content-type").starts_with("text/html");
        assert!(answer.status == 404 || is_page, "{nothing}: {answer:?}");
        assert!(!answer.body.to_string().contains("export"), "{nothing}");
    }
    let caller = server.anonymous();
    assert_eq!(caller.post(script, Value::Null).await.status, 404);

    server.clock.advance(Millis::DAY - Millis::MINUTE);
    assert_eq!(
        server.atrium.previous_builds.clone().clean_up(server.atrium.now()).await.unwrap(),
        0
    );
    assert_eq!(get(&server, script, "").await.status, 200);
    server.clock.advance(2 * Millis::MINUTE);
    assert_eq!(get(&server, script, "").await.status, 404, "it ends with the day");
    assert!(folder.exists());
    assert_eq!(
        server.atrium.previous_builds.clone().clean_up(server.atrium.now()).await.unwrap(),
        1
    );
    assert!(!folder.exists(), "and is removed");
}

#[tokio::test]
async fn another_build_of_the_same_version_is_answered_beside_this_one() {
    let server = server().await;
    lay_down(server.folder(), BEFORE, CLIENT_VERSION, &files());
    server.atrium.previous_builds.clone().take_over(server.atrium.now()).await;
    let old = get(&server, &format!("/{CLIENT_VERSION}/assets/Old-AAAAAAAA.js"), "").await;
    assert_eq!((old.status, &old.body), (200, &json!("export const old = 1")));
    // A file that both builds have comes from this one.
    let pack = get(&server, &format!("/{CLIENT_VERSION}/locale/zh-CN.json"), "").await;
    assert_eq!(pack.status, 200);
    assert_eq!(pack.body["old"], Value::Null);
}

#[tokio::test]
async fn an_upgrade_is_noted_once_and_a_return_takes_it_back() {
    let server = server().await;
    lay_down(server.folder(), BEFORE, "v25.9.1", &files());
    server.atrium.previous_builds.clone().take_over(server.atrium.now()).await;
    server.clock.advance(20 * Millis::HOUR);
    // A restart in between does not extend the day.
    server.atrium.previous_builds.clone().take_over(server.atrium.now()).await;
    server.clock.advance(5 * Millis::HOUR);
    assert_eq!(get(&server, "/v25.9.1/assets/Old-AAAAAAAA.js", "").await.status, 404);

    // This build's own folder is there too, complete, with no end noted: it is not its own predecessor.
    let root = server.folder().join("assets");
    let own = own_build(&root);
    assert!(root.join(&own).join("manifest.json").exists());
    assert!(!root.join(format!("{own}.ended")).exists());
    // Another build ran for a while and was rolled back: the end noted for this build no longer counts.
    std::fs::write(root.join(format!("{own}.ended")), "1").unwrap();
    server.atrium.previous_builds.clone().clean_up(server.atrium.now()).await.unwrap();
    assert!(!root.join(format!("{own}.ended")).exists());
    assert!(root.join(&own).exists());
}

fn own_build(root: &Path) -> String {
    let names = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names = names.map(|name| name.into_string().unwrap());
    names.find(|name| name.len() == 32 && name != BEFORE).unwrap()
}

#[tokio::test]
async fn what_two_instances_lay_down_in_one_folder_is_there_for_both() {
    let (one, other) = {
        let one = server().await;
        let other = one.second_instance().await;
        (one, other)
    };
    tokio::join!(
        one.atrium.previous_builds.clone().take_over(one.atrium.now()),
        other.atrium.previous_builds.clone().take_over(other.atrium.now())
    );
    let root = one.folder().join("assets");
    let left: Vec<_> = std::fs::read_dir(&root).unwrap().collect();
    assert_eq!(left.len(), 1, "one build, nothing half-made: {left:?}");
    // A newer build starts on the same folder. The others serve its files without a restart.
    lay_down(one.folder(), BEFORE, "v25.11.0", &files());
    one.clock.advance(10 * Millis::SECOND);
    assert_eq!(get(&one, "/v25.11.0/assets/Old-AAAAAAAA.js", "").await.status, 200);
}

#[tokio::test]
async fn what_is_broken_or_strange_in_the_folder_does_no_harm() {
    let server = server().await;
    let folder = lay_down(server.folder(), BEFORE, "v25.9.1", &files());
    // Files only half written, a name that leads outside, a link that leads elsewhere, and no build at all.
    std::fs::write(folder.join("assets/old-BBBBBBBB.css"), "").unwrap();
    let mut manifest: Value =
        serde_json::from_slice(&std::fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let key = std::fs::metadata(server.folder().join("master.key")).unwrap().len();
    for name in ["../../master.key", "assets/link.js"] {
        manifest["files"][name] = json!({ "size": key, "sha256": "ab".repeat(32) });
    }
    std::fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    std::os::unix::fs::symlink(server.folder().join("master.key"), folder.join("assets/link.js"))
        .unwrap();
    let root = server.folder().join("assets");
    std::fs::create_dir_all(root.join("ffffffffffffffffffffffffffffffff")).unwrap();
    std::fs::write(root.join("note.txt"), "x").unwrap();
    server.atrium.previous_builds.clone().take_over(server.atrium.now()).await;
    assert_eq!(get(&server, "/v25.9.1/assets/Old-AAAAAAAA.js", "").await.status, 200);
    for nothing in ["old-BBBBBBBB.css", "link.js"] {
        assert_eq!(
            get(&server, &format!("/v25.9.1/assets/{nothing}"), "").await.status,
            404,
            "{nothing}"
        );
    }
    assert!(root.join("note.txt").exists());
}

/// Root may write anywhere, so a file stands where the folder should be.
#[tokio::test]
async fn a_folder_that_cannot_be_written_costs_the_old_files_only() {
    let server = server().await;
    std::fs::write(server.folder().join("assets"), "in the way").unwrap();
    server.atrium.previous_builds.clone().take_over(server.atrium.now()).await;
    let caller = server.anonymous();
    assert_eq!(caller.get("/login").await.status, 200);
    assert_eq!(get(&server, "/v25.9.1/assets/Old-AAAAAAAA.js", "").await.status, 404);
    assert_eq!(
        server.atrium.previous_builds.clone().clean_up(server.atrium.now()).await.unwrap(),
        0
    );
}

#[test]
fn the_program_lays_its_files_down_and_the_next_build_answers_them() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |server: &Server, path: &str| {
        server.request(&format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"))
    };
    let first = Server::start(folder.path(), &[]);
    first.signal("-TERM");
    first.finish();
    let root = folder.path().join("assets");
    let own = own_build(&root);
    // Turn this server's own folder into that of another build, with a file that only that build has.
    std::fs::rename(root.join(&own), root.join(BEFORE)).unwrap();
    let manifest = root.join(BEFORE).join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let only = "assets/OnlyThere-CCCCCCCC.js";
    let entry =
        format!("\"files\":{{\"{only}\":{{\"size\":1,\"sha256\":\"{}\"}},", "cd".repeat(32));
    std::fs::write(&manifest, text.replacen("\"files\":{", &entry, 1)).unwrap();
    std::fs::write(root.join(BEFORE).join(only), "1").unwrap();

    let second = Server::start(folder.path(), &[]);
    let answer = ask(&second, &format!("/{CLIENT_VERSION}/{only}"));
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("immutable"), "{answer}");
    assert!(root.join(&own).exists(), "and lays its own down again");
    second.signal("-TERM");
    second.finish();
    // After a day it is gone with the next start.
    std::fs::write(root.join(format!("{BEFORE}.ended")), "1000").unwrap();
    let third = Server::start(folder.path(), &[]);
    assert!(ask(&third, &format!("/{CLIENT_VERSION}/{only}")).starts_with("HTTP/1.1 404"));
    assert!(!root.join(BEFORE).exists());
    third.signal("-TERM");
    third.finish();
}

/// Open consoles compare this version with the one they loaded, so another build of the same version must
/// have another one.
#[tokio::test]
async fn a_build_is_announced_by_version_and_content() {
    let server = server().await;
    let browser = server.anonymous();
    let build = browser.get("/api/v1/build-info").await.body["data"]["build_version"].clone();
    let started_with = browser.get("/api/v1/envs").await.body["data"]["build_version"].clone();
    assert_eq!(build, started_with);
    let id = console::build_id().expect("a built console");
    assert_eq!(build, format!("{CLIENT_VERSION}+{}", &id[..8]));
}
