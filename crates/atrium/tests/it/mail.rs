//! The outbox: nothing is lost while a mail server is down, nothing is sent twice, and what waits
//! is not readable in the database.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::support::{Store, TestServer, on_both};
use atrium::outbound::mail;
use atrium::types::Millis;
use base64::Engine;
use futures::future::join_all;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(20);

struct SmtpServer {
    child: Child,
    orders: ChildStdin,
    lines: Receiver<String>,
    port: u16,
}

impl SmtpServer {
    fn start(mode: &str) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/smtp-server.mjs");
        let mut child = Command::new("node")
            .args([script, mode])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let port = lines.recv_timeout(PATIENCE).unwrap().parse().unwrap();
        let orders = child.stdin.take().unwrap();
        Self { child, orders, lines, port }
    }

    fn become_(&mut self, mode: &str) {
        writeln!(self.orders, "{mode}").unwrap();
        std::thread::sleep(Duration::from_millis(100));
    }

    fn next_mail(&mut self) -> Value {
        serde_json::from_str(&self.lines.recv_timeout(PATIENCE).unwrap()).unwrap()
    }

    async fn atrium(&self, store: Store) -> TestServer {
        let url = format!("smtp://127.0.0.1:{}", self.port);
        TestServer::start_with(store, |raw| raw.smtp_url = Some(url)).await
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn ask(server: &TestServer, email: &str) {
    let answer = server.anonymous().post("/api/v1/register", json!({ "email": email })).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

async fn last_error(server: &TestServer) -> Option<String> {
    let mut db = server.atrium.db.read().await.unwrap();
    let query = sqlx::query_scalar("SELECT last_error FROM mails");
    query.fetch_optional(&mut *db).await.unwrap()
}

async fn waiting(server: &TestServer) -> i64 {
    server.count("SELECT COUNT(*) FROM mails").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_arrives_over_smtp_in_text_and_html() {
    let mut smtp = SmtpServer::start("accept");
    let server = smtp.atrium(Store::Sqlite).await;
    ask(&server, "jane@example.com").await;
    assert_eq!(mail::send_due(&server.atrium).await.unwrap(), 1);
    assert_eq!(last_error(&server).await, None);
    let received = smtp.next_mail();
    assert_eq!(received["to"], json!(["jane@example.com"]));
    let raw = received["raw"].as_str().unwrap();
    let raw = base64::engine::general_purpose::STANDARD.decode(raw).unwrap();
    let message = mail_parser::MessageParser::default().parse(&raw).unwrap();
    assert_eq!(message.subject(), Some("完成 Atrium 注册"));
    assert!(message.body_text(0).unwrap().contains(&format!("{}/emailValidator/", server.url)));
    assert!(message.body_html(0).unwrap().contains("<html lang=\"zh-CN\">"));
    assert_eq!(waiting(&server).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_down_for_an_hour_costs_no_mail() {
    let mut smtp = SmtpServer::start("refuse");
    let server = smtp.atrium(Store::Sqlite).await;
    for n in 0..3 {
        ask(&server, &format!("person{n}@example.com")).await;
    }
    // An hour of trying, as the clock goes.
    for _ in 0..60 {
        mail::send_due(&server.atrium).await.unwrap();
        server.clock.advance(Millis::MINUTE);
    }
    assert_eq!(waiting(&server).await, 3);
    smtp.become_("accept");
    server.clock.advance(15 * Millis::MINUTE);
    mail::send_due(&server.atrium).await.unwrap();
    let mut to: Vec<String> =
        (0..3).map(|_| smtp.next_mail()["to"][0].as_str().unwrap().to_owned()).collect();
    to.sort();
    assert_eq!(to, ["person0@example.com", "person1@example.com", "person2@example.com"]);
    assert_eq!(waiting(&server).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_holds_up_nobody_who_asks() {
    let smtp = SmtpServer::start("hang");
    let server = smtp.atrium(Store::Sqlite).await;
    ask(&server, "jane@example.com").await;
    let atrium = server.atrium.clone();
    let sending = tokio::spawn(async move { mail::send_due(&atrium).await.unwrap() });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let started = Instant::now();
    ask(&server, "john@example.com").await;
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    assert_eq!(waiting(&server).await, 2, "the one being tried is still there");
    sending.abort();
}

on_both! {
    async fn two_instances_send_a_mail_once(server: TestServer) {
        let other = server.second_instance().await;
        for n in 0..8 {
            ask(&server, &format!("person{n}@example.com")).await;
        }
        let rounds = (0..6).map(|n| mail::send_due(if n % 2 == 0 { &server.atrium } else { &other.atrium }));
        join_all(rounds).await;
        assert_eq!(server.mails().len(), 8);
        assert_eq!(waiting(&server).await, 0);
    }
}

on_both! {
    async fn what_waits_is_sealed(server: TestServer) {
        ask(&server, "jane@example.com").await;
        let mut db = server.atrium.db.read().await.unwrap();
        let letter: String = sqlx::query_scalar("SELECT letter FROM mails").fetch_one(&mut *db).await.unwrap();
        drop(db);
        let bytes = base64::engine::general_purpose::STANDARD.decode(&letter).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("jane") && !text.contains("emailValidator"), "{text}");
        mail::send_due(&server.atrium).await.unwrap();
        assert!(server.mails()[0].text.contains("/emailValidator/"));
    }
}

on_both! {
    async fn a_mail_that_never_gets_through_is_given_up_after_three_days(server: TestServer) {
        ask(&server, "jane@example.com").await;
        // A folder in the outbox's place: nothing can be written.
        std::fs::write(server.folder().join("outbox"), "in the way").unwrap();
        for _ in 0..80 {
            mail::send_due(&server.atrium).await.unwrap();
            server.clock.advance(Millis::HOUR);
        }
        assert_eq!(waiting(&server).await, 0);
    }
}
