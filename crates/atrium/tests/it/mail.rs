//! The outbox: nothing is lost while a mail server is down, nothing is sent twice, and waiting mails cannot
//! be read in the database.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::process::Server;
use crate::support::{Store, TestServer, on_both};
use atrium::config::{RawSettings, Settings};
use atrium::instance::doctor::{self, Verdict};
use atrium::outbox::{self, mail};
use atrium::types::Millis;
use axum::extract::FromRef;
use base64::Engine;
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

const PATIENCE: Duration = Duration::from_secs(20);

struct SmtpServer {
    child: Child,
    orders: ChildStdin,
    lines: Receiver<String>,
    kept: Vec<Value>,
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
        Self { child, orders, lines, kept: Vec::new(), port }
    }

    fn become_(&mut self, mode: &str) {
        writeln!(self.orders, "{mode}").unwrap();
        self.next(|line| line["done"] == mode);
    }

    /// The next line that matches; skipped lines are kept for later.
    fn next(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&wanted) {
            return self.kept.remove(at);
        }
        loop {
            let line: Value =
                serde_json::from_str(&self.lines.recv_timeout(PATIENCE).unwrap()).unwrap();
            if wanted(&line) {
                return line;
            }
            self.kept.push(line);
        }
    }

    /// Waits until this many senders are waiting for an answer.
    fn until_hanging(&mut self, senders: usize) {
        for _ in 0..senders {
            self.next(|line| line["hanging"] == true);
        }
    }

    /// The recipients of the mails that were not looked at yet.
    fn recipients(&mut self) -> Vec<String> {
        // Mails still on their way are printed before the server confirms the change of mode.
        self.become_("accept");
        let mails = self.kept.extract_if(.., |line| line["to"].is_array());
        let mut to: Vec<_> = mails.map(|mail| mail["to"][0].as_str().unwrap().to_owned()).collect();
        to.sort();
        to
    }

    fn next_mail(&mut self) -> Value {
        self.next(|line| line["to"].is_array())
    }

    fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    async fn atrium(&self, store: Store) -> TestServer {
        TestServer::start_with(store, |raw| raw.smtp_url = Some(self.url())).await
    }

    /// Another instance that uses the same mail server.
    async fn second(&self, first: &TestServer) -> TestServer {
        first.second_instance_with(|raw| raw.smtp_url = Some(self.url())).await
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends what is due, in the background.
fn start_sending(server: &TestServer) -> JoinHandle<usize> {
    let atrium = server.atrium.clone();
    tokio::spawn(async move { mail::send_due(&atrium).await.unwrap() })
}

async fn ask(server: &TestServer, email: &str) {
    let answer = server.anonymous().post("/api/v1/register", json!({ "email": email })).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

fn message_id(received: &Value) -> String {
    parsed(received).message_id().unwrap().to_owned()
}

fn parsed(received: &Value) -> mail_parser::Message<'static> {
    let raw = received["raw"].as_str().unwrap();
    let raw = base64::engine::general_purpose::STANDARD.decode(raw).unwrap();
    mail_parser::MessageParser::default().parse(&raw).unwrap().into_owned()
}

async fn last_error(server: &TestServer) -> Option<String> {
    let mut db = server.atrium.db.read().await.unwrap();
    let query = sqlx::query_scalar("SELECT last_error FROM outbox");
    query.fetch_optional(&mut *db).await.unwrap()
}

async fn waiting(server: &TestServer) -> i64 {
    server.count("SELECT COUNT(*) FROM outbox").await
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
    let message = parsed(&received);
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
    // An hour of retries, on the test's clock.
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
    let mut smtp = SmtpServer::start("hang");
    let server = smtp.atrium(Store::Sqlite).await;
    ask(&server, "jane@example.com").await;
    let sending = start_sending(&server);
    smtp.until_hanging(1);
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
        let letter: String = sqlx::query_scalar("SELECT body FROM outbox").fetch_one(&mut *db).await.unwrap();
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
        // A file where the outbox folder should be: nothing can be written.
        std::fs::write(server.folder().join("outbox"), "in the way").unwrap();
        for _ in 0..80 {
            mail::send_due(&server.atrium).await.unwrap();
            server.clock.advance(Millis::HOUR);
        }
        assert_eq!(waiting(&server).await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_mails_in_a_row_are_each_leased_for_themselves() {
    let mut smtp = SmtpServer::start("hold");
    let server = smtp.atrium(Store::Postgres).await;
    let other = smtp.second(&server).await;
    for n in 0..8 {
        ask(&server, &format!("person{n}@example.com")).await;
    }
    let sending = start_sending(&server);
    let mut taken: BTreeSet<_> = (0..4).map(|_| message_id(&smtp.next_mail())).collect();
    // The first four take almost as long as a try may, and then the next four begin.
    for instance in [&server, &other] {
        instance.clock.advance(outbox::LEASE - 10 * Millis::SECOND);
    }
    smtp.become_("release");
    taken.extend((0..4).map(|_| message_id(&smtp.next_mail())));
    other.clock.advance(20 * Millis::SECOND);
    assert_eq!(mail::send_due(&other.atrium).await.unwrap(), 0, "they are being sent");
    smtp.become_("release");
    assert_eq!(sending.await.unwrap(), 8);
    assert_eq!((taken.len(), waiting(&server).await), (8, 0));
    assert!(smtp.recipients().is_empty(), "nothing came twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_lost_its_lease_leaves_the_mail_to_the_other() {
    let mut smtp = SmtpServer::start("hang");
    let server = smtp.atrium(Store::Postgres).await;
    let other = smtp.second(&server).await;
    ask(&server, "jane@example.com").await;
    let lost = start_sending(&server);
    smtp.until_hanging(1);
    // As if this instance had been frozen for longer than its lease.
    for instance in [&server, &other] {
        instance.clock.advance(outbox::LEASE);
    }
    smtp.become_("hold");
    let sending = start_sending(&other);
    smtp.next_mail();
    smtp.become_("drop");
    assert_eq!(lost.await.unwrap(), 1);
    for instance in [&server, &other] {
        instance.clock.advance(Millis::MINUTE);
        assert_eq!(mail::send_due(&instance.atrium).await.unwrap(), 0, "it is being sent");
    }
    smtp.become_("release");
    assert_eq!(sending.await.unwrap(), 1);
    assert_eq!(waiting(&server).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_recipient_holds_up_nobody_else() {
    let slow: Vec<_> = (0..4).map(|n| format!("slow{n}@example.com")).collect();
    let mut smtp = SmtpServer::start(&format!("slow {}", slow.join(" ")));
    let server = smtp.atrium(Store::Postgres).await;
    for email in &slow {
        ask(&server, email).await;
    }
    server.run("UPDATE outbox SET tries = 1", &[]).await;
    let job = tokio::spawn(mail::run(FromRef::from_ref(&server.atrium)));
    smtp.until_hanging(3);
    // The fourth waits: the last place is reserved for first tries.
    for n in 0..5 {
        ask(&server, &format!("person{n}@example.com")).await;
    }
    let mut to: Vec<_> =
        (0..5).map(|_| smtp.next_mail()["to"][0].as_str().unwrap().to_owned()).collect();
    to.sort();
    assert_eq!(to, (0..5).map(|n| format!("person{n}@example.com")).collect::<Vec<_>>());
    job.abort();
}

/// A second instance as its own process, on the same database and with the same key.
fn process_beside(server: &TestServer, smtp: &SmtpServer) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(server.folder().join("master.key"), folder.path().join("master.key")).unwrap();
    let url = smtp.url();
    let database = server.raw_settings().database_url.unwrap();
    let settings = ["--database-url", &database, "--smtp-url", &url];
    let process = Server::start(folder.path(), &settings);
    (folder, process)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_whose_sender_was_killed_is_sent_by_another() {
    let mut smtp = SmtpServer::start("hang");
    let server = smtp.atrium(Store::Postgres).await;
    ask(&server, "jane@example.com").await;
    let (_folder, process) = process_beside(&server, &smtp);
    smtp.until_hanging(1);
    process.signal("-KILL");
    process.finish();
    smtp.become_("accept");
    assert_eq!(mail::send_due(&server.atrium).await.unwrap(), 0, "its lease outlives it");
    server.clock.advance(outbox::LEASE);
    assert_eq!(mail::send_due(&server.atrium).await.unwrap(), 1);
    assert_eq!(smtp.recipients(), ["jane@example.com"]);
    assert_eq!(waiting(&server).await, 0);
}

/// The one case in which a mail arrives twice: no one can tell whether it was sent.
#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_was_taken_without_an_answer_comes_again_under_its_id() {
    let mut smtp = SmtpServer::start("hold");
    let server = smtp.atrium(Store::Postgres).await;
    ask(&server, "jane@example.com").await;
    let (_folder, process) = process_beside(&server, &smtp);
    let first = message_id(&smtp.next_mail());
    process.signal("-KILL");
    process.finish();
    smtp.become_("accept");
    server.clock.advance(outbox::LEASE);
    assert_eq!(mail::send_due(&server.atrium).await.unwrap(), 1);
    assert_eq!(message_id(&smtp.next_mail()), first);
}

#[tokio::test(flavor = "multi_thread")]
async fn that_a_mail_is_out_is_written_down_although_the_database_falters() {
    let mut smtp = SmtpServer::start("accept");
    let server = smtp.atrium(Store::Postgres).await;
    ask(&server, "jane@example.com").await;
    // A rollback does not reset a sequence.
    for statement in [
        "CREATE SEQUENCE marks",
        "CREATE FUNCTION falter() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN IF nextval('marks') < 3 THEN RAISE EXCEPTION 'not now'; END IF; RETURN OLD; END $$",
        "CREATE TRIGGER falter BEFORE DELETE ON outbox FOR EACH ROW EXECUTE FUNCTION falter()",
    ] {
        server.run(statement, &[]).await;
    }
    assert_eq!(mail::send_due(&server.atrium).await.unwrap(), 1);
    assert_eq!(server.count("SELECT last_value FROM marks").await, 3);
    server.clock.advance(outbox::LEASE);
    assert_eq!(mail::send_due(&server.atrium).await.unwrap(), 0);
    assert_eq!(smtp.recipients(), ["jane@example.com"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_and_for_how_long_is_measured() {
    let server = TestServer::start(Store::Sqlite).await;
    for email in ["jane@example.com", "john@example.com"] {
        ask(&server, email).await;
        server.clock.advance(Millis::MINUTE);
    }
    outbox::measure(&server.atrium).await.unwrap();
    let figures = server.atrium.metrics.render();
    for line in [
        "atrium_outbox_messages{channel=\"mail\"} 2",
        "atrium_outbox_oldest_seconds{channel=\"mail\"} 120",
        "atrium_outbox_oldest_seconds{channel=\"feishu\"} 0",
    ] {
        assert!(figures.contains(line), "{line} in {figures}");
    }
}

/// What the doctor says about a mail server, without sending a mail through it.
#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_tries_the_mail_server() {
    let mut smtp = SmtpServer::start("accept");
    let folder = tempfile::tempdir().unwrap();
    let examine = async |url: String| {
        let data_dir = Some(folder.path().to_owned());
        let raw = RawSettings { smtp_url: Some(url), data_dir, ..Default::default() };
        let findings = doctor::examine(&Settings::check(raw).unwrap()).await;
        findings.into_iter().find(|finding| finding.what == "mail").unwrap()
    };
    let at = |scheme: &str, user: &str, port: u16| format!("{scheme}://{user}127.0.0.1:{port}");
    let port = smtp.port;
    for user in ["", "atrium:right@"] {
        let finding = examine(at("smtp", user, port)).await;
        assert!(
            finding.verdict == Verdict::Ok && finding.text.contains("accepts mail"),
            "{finding}"
        );
    }
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for (url, words, advice) in [
        (at("smtp", "atrium:wrong@", port), "refuses", "password"),
        (at("smtps", "", port), "TLS", "certificate"),
        (at("smtp", "", closed), "127.0.0.1", "firewall"),
    ] {
        let finding = examine(url).await;
        assert_eq!(finding.verdict, Verdict::Failure, "{finding}");
        assert!(finding.text.contains(words) && finding.advice.contains(advice), "{finding}");
        assert!(!finding.to_string().contains("wrong@"), "no password is told: {finding}");
    }
    assert!(smtp.recipients().is_empty(), "no mail was sent");
}

on_both! {
    async fn what_waits_outlives_the_move_into_one_outbox(server: TestServer) {
        ask(&server, "jane@example.com").await;
        // As in the earlier version: the mail in a table of its own, and a waiting message beside it.
        for statement in [
            "CREATE TABLE mails (id TEXT PRIMARY KEY, letter TEXT NOT NULL, created_at BIGINT NOT NULL,
                next_try_at BIGINT NOT NULL, tries BIGINT NOT NULL, leased_until BIGINT NOT NULL, last_error TEXT)",
            "CREATE TABLE chat_messages (id TEXT PRIMARY KEY, provider TEXT NOT NULL, message TEXT NOT NULL,
                created_at BIGINT NOT NULL, next_try_at BIGINT NOT NULL, tries BIGINT NOT NULL,
                leased_until BIGINT NOT NULL, last_error TEXT)",
            "INSERT INTO mails SELECT id, body, created_at, next_try_at, 3, leased_until, 'down' FROM outbox",
            "INSERT INTO chat_messages VALUES ('waiting', 'feishu', 'sealed', 1, 2, 4, 5, 'busy')",
            "DROP TABLE outbox",
        ] {
            server.run(statement, &[]).await;
        }
        let mut tx = server.atrium.db.write().await.unwrap();
        sqlx::raw_sql(include_str!("../../migrations/0020_outbox.sql")).execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
        let carried = "SELECT COUNT(*) FROM outbox WHERE id = 'waiting' AND channel = 'feishu' AND body = 'sealed'
            AND created_at = 1 AND next_try_at = 2 AND tries = 4 AND leased_until = 5 AND last_error = 'busy'";
        assert_eq!(server.count(carried).await, 1);
        let carried = "SELECT COUNT(*) FROM outbox WHERE channel = 'mail' AND tries = 3 AND last_error = 'down'";
        assert_eq!(server.count(carried).await, 1);
        assert_eq!(mail::send_due(&server.atrium).await.unwrap(), 1);
        assert!(server.mails()[0].text.contains("/emailValidator/"));
    }
}
