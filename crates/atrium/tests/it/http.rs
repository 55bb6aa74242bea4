//! What all calls share: the envelope, languages, headers, the cross-site rule, and how they deal with input
//! that no honest client sends.

use crate::support::{Answer, Store, TestServer};
use reqwest::Method;
use reqwest::header::{ACCEPT_LANGUAGE, CONTENT_TYPE, ORIGIN};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn server() -> TestServer {
    TestServer::start(Store::Sqlite).await
}

fn assert_envelope(answer: &Answer) {
    assert_eq!(answer.header("content-type"), "application/json", "{answer:?}");
    assert!(answer.body["message"].is_string(), "{answer:?}");
    assert!(answer.body["errors"][0]["error"].is_string(), "{answer:?}");
    assert!(!answer.code().is_empty(), "{answer:?}");
    assert_eq!(answer.header("x-request-id").len(), 16);
}

#[tokio::test]
async fn failures_answer_in_the_envelope() {
    let server = server().await;
    let caller = server.anonymous();
    for path in ["/api/v1/nope", "/api/v1/", "/api/v1", "/api/v2/envs", "/api", "/api/"] {
        let answer = caller.get(path).await;
        assert_eq!((answer.status, answer.code()), (404, "not_found"), "{path}");
        assert_envelope(&answer);
    }
    let answer = caller.send(caller.request(Method::DELETE, "/api/v1/envs")).await;
    assert_eq!((answer.status, answer.code()), (405, "method_not_allowed"));
    assert!(answer.header("allow").contains("GET"), "{answer:?}");
    assert_envelope(&answer);
}

#[tokio::test]
async fn texts_follow_the_language_and_codes_do_not() {
    let server = server().await;
    let caller = server.anonymous();
    for (language, text) in [
        ("en-US", "Please sign in."),
        ("zh-CN,zh;q=0.9", "请先登录。"),
        ("de", "请先登录。"),
        ("de, en;q=0.5", "Please sign in."),
    ] {
        let request = caller.request(Method::GET, "/api/v1/current");
        let answer = caller.send(request.header(ACCEPT_LANGUAGE, language)).await;
        assert_eq!(answer.body["errors"][0]["error"], text, "{language}");
        assert_eq!(answer.code(), "not_signed_in");
    }
    assert_eq!(caller.get("/api/v1/current").await.body["message"], "请先登录。");
}

#[tokio::test]
async fn bad_bodies_get_clear_answers() {
    let server = server().await;
    let caller = server.anonymous();
    let json = "application/json";
    let good = br#"{"email":"a@b.co","password":"x"}"#.to_vec();
    let cases: Vec<(&str, Vec<u8>, u16, &str, &str)> = vec![
        (json, b"{\"email\":".to_vec(), 400, "malformed_json", ""),
        (json, b"".to_vec(), 400, "malformed_json", ""),
        (json, b"\xff\xfe{}".to_vec(), 400, "malformed_json", ""),
        (json, b"{\"email\":\"\xc3\x28\",\"password\":\"x\"}".to_vec(), 400, "malformed_json", ""),
        (json, b"[1,2]".to_vec(), 422, "wrong_type", ""),
        (json, b"null".to_vec(), 422, "wrong_type", ""),
        (json, br#"{"email":1,"password":"x"}"#.to_vec(), 422, "wrong_type", "email"),
        (json, br#"{"email":"a@b.co"}"#.to_vec(), 422, "required", "password"),
        (
            json,
            b"{\"email\":\"a\\u0000\",\"password\":\"x\"}".to_vec(),
            422,
            "nul_character",
            "email",
        ),
        (
            json,
            format!("{}1{}", "[".repeat(5000), "]".repeat(5000)).into_bytes(),
            400,
            "malformed_json",
            "",
        ),
        (json, vec![b' '; 300 * 1024], 413, "too_large", ""),
        ("text/plain", good.clone(), 415, "unsupported_type", ""),
        ("application/x-www-form-urlencoded", b"email=a".to_vec(), 415, "unsupported_type", ""),
        ("", good.clone(), 415, "unsupported_type", ""),
    ];
    for (mime, body, status, code, field) in cases {
        let label = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        let request = caller.request(Method::POST, "/api/v1/login").header(CONTENT_TYPE, mime);
        let answer = caller.send(request.body(body)).await;
        assert_eq!((answer.status, answer.code()), (status, code), "{label}");
        assert_eq!(answer.field(), field, "{label}");
        assert_envelope(&answer);
    }
    let request = caller.request(Method::POST, "/api/v1/login");
    let request = request.header(CONTENT_TYPE, "Application/JSON; charset=utf-8").body(good);
    assert_eq!(caller.send(request).await.status, 401, "the type may carry a parameter");
}

#[tokio::test]
async fn bad_queries_get_clear_answers() {
    let server = server().await;
    let caller = server.anonymous();
    for (query, code, field) in [
        ("", "required", "token"),
        ("?token", "", ""),
        ("?token=%00", "nul_character", ""),
        ("?token=%ff", "", ""),
        ("?tok%", "required", "token"),
    ] {
        let answer = caller.get(&format!("/api/v1/register/token{query}")).await;
        assert!(answer.status == 422 || answer.status == 410, "{query}: {answer:?}");
        if !code.is_empty() {
            assert_eq!((answer.code(), answer.field()), (code, field), "{query}");
        }
        assert_envelope(&answer);
    }
}

#[tokio::test]
async fn absurd_headers_do_no_harm() {
    let server = server().await;
    let caller = server.anonymous();
    let long = "x".repeat(10_000);
    for name in [
        "accept-language",
        "cookie",
        "user-agent",
        "x-request-id",
        "x-forwarded-for",
        "authorization",
        "x-anything",
    ] {
        let answer =
            caller.send(caller.request(Method::GET, "/api/v1/envs").header(name, &long)).await;
        assert_eq!(answer.status, 200, "{name}");
        assert_eq!(answer.header("x-request-id").len(), 16, "{name}");
    }
    let cookie = format!("atrium_session={long}");
    let answer =
        caller.send(caller.request(Method::GET, "/api/v1/current").header("cookie", cookie)).await;
    assert_eq!(answer.status, 401);
    let answer = raw(
        &server,
        &format!("GET /healthz HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "x".repeat(1_000_000)),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
}

/// Sends these bytes unchanged and returns the answer until the server closes or a second passes.
async fn raw(server: &TestServer, text: &str) -> String {
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).await.unwrap();
    // The server may answer and close before it has read everything.
    let _ = stream.write_all(text.as_bytes()).await;
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    let _ = tokio::time::timeout(std::time::Duration::from_secs(1), read).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn broken_requests_never_reach_a_500() {
    let server = server().await;
    for (text, expected) in [
        ("GET /api/v1/envs HTTP/1.1\r\nhost: a\r\n\r\n", "HTTP/1.1 200"),
        ("GET /api/v1/current HTTP/1.1\r\nhost: \u{7f}\r\n\r\n", "HTTP/1.1 400"),
        ("nonsense\r\n\r\n", "HTTP/1.1 400"),
        ("GET /%00/%ff/..%2f.. HTTP/1.1\r\nhost: a\r\n\r\n", "HTTP/1.1 "),
        ("GET /v25.10.202/..%2f..%2fCargo.toml HTTP/1.1\r\nhost: a\r\n\r\n", "HTTP/1.1 404"),
        ("GET /v25.10.202/../../Cargo.toml HTTP/1.1\r\nhost: a\r\n\r\n", "HTTP/1.1 404"),
        (
            "POST /api/v1/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: -1\r\n\r\n",
            "HTTP/1.1 400",
        ),
        (
            "POST /api/v1/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 400",
        ),
    ] {
        let answer = raw(&server, text).await;
        assert!(answer.starts_with(expected), "{text:?} → {answer}");
        assert!(!answer.starts_with("HTTP/1.1 5"), "{text:?} → {answer}");
    }
    // A body that breaks off fails its own request and nothing else.
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).await.unwrap();
    stream
        .write_all(b"POST /api/v1/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"em")
        .await
        .unwrap();
    drop(stream);
    assert_eq!(server.anonymous().get("/healthz").await.status, 200);
}

#[tokio::test]
async fn other_sites_cannot_make_a_browser_write() {
    let server = server().await;
    let jane = server.owner("jane@example.com").await;
    let post = |name: &'static str, value: String| {
        let jane = jane.clone();
        async move {
            let request = jane.request(Method::POST, "/api/v1/logout").header(name, value);
            jane.send(request).await
        }
    };
    for (name, value) in
        [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example"), ("origin", "null")]
    {
        let answer = post(name, value.to_owned()).await;
        assert_eq!((answer.status, answer.code()), (403, "cross_site"), "{name}: {value}");
    }
    assert_eq!(jane.get("/api/v1/current").await.status, 200, "nothing happened");
    // Reading is allowed: the browser itself keeps the answer from the other site.
    let request =
        jane.request(Method::GET, "/api/v1/current").header(ORIGIN, "https://evil.example");
    let answer = jane.send(request).await;
    assert_eq!(answer.status, 200);
    assert!(answer.headers.get("access-control-allow-origin").is_none());
    assert_eq!(post("origin", server.url.clone()).await.status, 200);
}

/// Answered to every site, like the collector's path beside it.
#[tokio::test]
async fn what_is_not_there_under_v1_is_404_for_every_site() {
    let server = server().await;
    let caller = server.anonymous();
    let request = caller.request(Method::POST, "/v1/other").header(ORIGIN, "https://any.example");
    let answer = caller.send(request).await;
    assert_eq!((answer.status, answer.code()), (404, "not_found"));
    assert_envelope(&answer);
}

#[tokio::test]
async fn every_answer_carries_the_security_headers() {
    let server = server().await;
    let caller = server.anonymous();
    for path in ["/", "/login", "/api/v1/envs", "/api/v1/nope", "/healthz", "/v25.10.202/nope.js"] {
        let answer = caller.get(path).await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "same-origin", "{path}");
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert!(answer.headers.get("strict-transport-security").is_none(), "only on HTTPS");
    }
    assert_eq!(caller.get("/login").await.header("x-frame-options"), "DENY");
    assert_eq!(caller.get("/api/v1/envs").await.header("cache-control"), "no-store");
}

#[tokio::test]
async fn https_brings_hsts_and_host_bound_cookies() {
    let server = TestServer::start_with(Store::Sqlite, |raw| {
        raw.public_url = Some("https://atrium.example.com".into());
    })
    .await;
    server.account("jane@example.com").await;
    let answer = server.anonymous().login("jane@example.com", crate::support::PASSWORD).await;
    assert!(answer.header("strict-transport-security").contains("max-age=31536000"));
    for cookie in answer.headers.get_all("set-cookie") {
        let cookie = cookie.to_str().unwrap();
        assert!(cookie.starts_with("__Host-") && cookie.contains("; Secure"), "{cookie}");
    }
}

#[tokio::test]
async fn hsts_says_what_the_setting_says() {
    for (mode, expected) in [
        (None, "max-age=31536000"),
        (Some("on"), "max-age=31536000"),
        (Some("off"), ""),
        (Some("subdomains"), "max-age=31536000; includeSubDomains"),
        (Some("preload"), "max-age=63072000; includeSubDomains; preload"),
    ] {
        for (address, is_https) in
            [("https://atrium.example.com", true), ("http://atrium.example.com", false)]
        {
            let server = TestServer::start_with(Store::Sqlite, |raw| {
                raw.public_url = Some(address.into());
                raw.hsts = mode.map(str::to_owned);
            })
            .await;
            for path in ["/", "/api/v1/envs", "/api/v1/nope", "/healthz"] {
                let answer = server.anonymous().get(path).await;
                let expected = if is_https { expected } else { "" };
                let header = answer.header("strict-transport-security");
                assert_eq!(header, expected, "{mode:?} {address} {path}");
            }
        }
    }
}

#[tokio::test]
async fn the_console_page_has_a_fresh_nonce_each_time() {
    let server = server().await;
    let caller = server.anonymous();
    let nonce = |answer: &Answer| {
        let policy = answer.header("content-security-policy").to_owned();
        policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap().to_owned()
    };
    let first = caller.get("/emailValidator/secret-token").await;
    let second = caller.get("/any/page/at/all").await;
    assert_eq!((first.status, second.status), (200, 200));
    assert_ne!(nonce(&first), nonce(&second));
    let html = first.body.as_str().unwrap();
    assert!(html.contains(&nonce(&first)) && !html.contains("__ATRIUM_NONCE__"));
    assert_eq!(first.header("cache-control"), "no-store");
    let post = caller.post("/login", json!({})).await;
    assert_eq!(post.status, 405);
}

#[tokio::test]
async fn the_console_page_says_whether_a_session_came_with_it() {
    let server = server().await;
    let says = |answer: Answer, word: &str| {
        let mark = format!("<meta name=\"atrium-session\" content=\"{word}\"");
        answer.body.as_str().unwrap().contains(&mark)
    };
    let caller = server.anonymous();
    assert!(says(caller.get("/login").await, "none"));
    let request = caller.request(Method::GET, "/login").header("cookie", "atrium_session=any");
    assert!(says(caller.send(request).await, "some"));
}

#[tokio::test]
async fn assets_are_compressed_cached_and_versioned() {
    let server = server().await;
    let caller = server.anonymous();
    let page = caller.get("/login").await;
    let html = page.body.as_str().unwrap();
    let script = html.split("src=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(script.starts_with("/v25.10.202/assets/"), "{script}");

    let fetch = |path: String, name: &'static str, value: String| {
        let caller = caller.clone();
        async move { caller.send(caller.request(Method::GET, &path).header(name, value)).await }
    };
    let encodings = [("br", "br"), ("gzip", "gzip"), ("identity", ""), ("gzip, deflate, br", "br")];
    for (accepted, sent) in encodings {
        let answer = fetch(script.clone(), "accept-encoding", accepted.into()).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-encoding"), sent);
        assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(answer.header("vary"), "accept-encoding");
    }
    for code in ["zh-CN", "en-US"] {
        let path = format!("/v25.10.202/locale/{code}.json");
        let answer = caller.get(&path).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("cache-control"), "no-cache");
        let tag = answer.header("etag").to_owned();
        assert_eq!(fetch(path, "if-none-match", tag).await.status, 304);
    }
    for hidden in [
        "/v25.10.201/assets/old.js",
        "/v25.10.202/index.html",
        "/v25.10.202/locale/en-US.json.br",
        "/v25.10.202/nope",
    ] {
        assert_eq!(caller.get(hidden).await.status, 404, "{hidden}");
    }
}

#[tokio::test]
async fn figures_are_for_this_machine_or_for_the_token() {
    let server = server().await;
    let caller = server.anonymous();
    caller.get("/api/v1/envs").await;
    caller.get("/emailValidator/secret-token").await;
    let answer = caller.get("/metrics").await;
    let text = answer.body.as_str().unwrap();
    assert!(text.contains("atrium_http_requests_total"), "{text}");
    assert!(text.contains("route=\"{page}\""), "{text}");
    assert!(!text.contains("secret-token"));

    let guarded = TestServer::start_with(Store::Sqlite, |raw| {
        raw.metrics_token = Some("a token of some length".into());
    })
    .await;
    let caller = guarded.anonymous();
    assert_eq!(caller.get("/metrics").await.status, 404);
    let with = |token: &str| caller.request(Method::GET, "/metrics").bearer_auth(token);
    assert_eq!(caller.send(with("wrong")).await.status, 404);
    assert_eq!(caller.send(with("a token of some length")).await.status, 200);

    // Any word can be a method, but made-up ones share one label in the metrics.
    for n in 0..20 {
        let method = Method::from_bytes(format!("MADE-UP-{n}").as_bytes()).unwrap();
        caller.send(caller.request(method, "/healthz")).await;
    }
    let text = caller.send(with("a token of some length")).await;
    assert!(!text.body.as_str().unwrap().contains("MADE-UP"));

    // Behind a proxy no request counts as local, whatever the client or the proxy claims.
    let proxied = TestServer::start_with(Store::Sqlite, |raw| {
        raw.trusted_proxies = Some(vec!["127.0.0.1".into()]);
    })
    .await;
    let caller = proxied.anonymous();
    for forwarded in ["203.0.113.9", "203.0.113.9:4242", "garbage", "127.0.0.1", "\u{ff}, 8.8.8.8"]
    {
        let request = caller.request(Method::GET, "/metrics");
        let value = reqwest::header::HeaderValue::from_bytes(forwarded.as_bytes()).unwrap();
        let answer = caller.send(request.header("x-forwarded-for", value)).await;
        assert_eq!(answer.status, 404, "{forwarded}");
    }
}

#[tokio::test]
async fn readiness_tells_about_the_database() {
    let server = server().await;
    let caller = server.anonymous();
    let ready = caller.get("/readyz").await;
    assert_eq!((ready.status, &ready.body["ready"]), (200, &json!(true)));
    server.atrium.db.close().await;
    let ready = caller.get("/readyz").await;
    assert_eq!((ready.status, &ready.body["ready"]), (503, &json!(false)));
    assert_eq!(caller.get("/healthz").await.status, 200);
    let answer = caller.login("jane@example.com", "whatever it is").await;
    assert_eq!((answer.status, answer.code()), (503, "unavailable"));
    assert!(!answer.header("retry-after").is_empty());
}
