//! The program itself, started the way an operator starts it.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::support::running::Running;

const ATRIUM: &str = env!("CARGO_BIN_EXE_atrium");

pub(crate) fn atrium(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(ATRIUM);
    command.args(arguments).args(["--data-dir", folder.to_str().unwrap()]);
    command
}

pub(crate) fn output(folder: &Path, arguments: &[&str]) -> Output {
    atrium(folder, arguments).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) struct Server {
    child: Running,
    address: String,
    printed: Vec<String>,
    /// Read while it is written: a full pipe would block the server.
    log: JoinHandle<String>,
}

impl Server {
    pub(crate) fn start(folder: &Path, extra: &[&str]) -> Self {
        let mut arguments = vec!["serve", "--listen", "127.0.0.1:0"];
        arguments.extend(extra);
        let mut child = Running::start(
            atrium(folder, &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()),
        );
        let mut stderr = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut log = String::new();
            stderr.read_to_string(&mut log).unwrap();
            log
        });
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address = first.rsplit("http://").next().unwrap().to_owned();
        let printed = vec![first];
        let mut server = Self { child, address, printed, log };
        // The setup link, if any, comes right after.
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        while let Ok(line) = receiver.recv_timeout(Duration::from_millis(500)) {
            server.printed.push(line);
        }
        server
    }

    pub(crate) fn printed(&self) -> &[String] {
        &self.printed
    }

    pub(crate) fn setup_link(&self) -> Option<&str> {
        self.printed.iter().map(|line| line.trim()).find(|line| line.contains("/emailValidator/"))
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).unwrap()
    }

    pub(crate) fn request(&self, head_and_body: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(head_and_body.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Waits for the process to end; returns the exit code and the log.
    pub(crate) fn finish(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().unwrap().code();
        (code, self.log.join().unwrap())
    }
}

pub(crate) fn profile(token: &str) -> String {
    format!(
        r#"{{"token":"{token}","email":"jane@example.com","name":"J","password":"seven blue herons","organization_name":"T"}}"#
    )
}

pub(crate) fn post(path: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn a_request_in_flight_is_finished_before_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let request = post("/api/v1/login", r#"{"email":"a@b.co","password":"x"}"#);
    let (first, rest) = request.split_at(request.len() - 5);
    let mut stream = server.connect();
    stream.write_all(first.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(200));

    server.signal("-TERM");
    std::thread::sleep(Duration::from_millis(300));
    assert!(TcpStream::connect(&server.address).is_err(), "no new connections");
    stream.write_all(rest.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    assert_eq!(server.finish().0, Some(0));
}

/// The tests above run on SQLite. On PostgreSQL a connection that never returns to the pool would keep the
/// process running, too.
#[test]
fn it_ends_on_postgresql_as_well() {
    let server_url = std::env::var("TEST_POSTGRES_URL").unwrap();
    let name = format!("process_{}", std::process::id());
    let make = format!("CREATE DATABASE {name}");
    let made =
        Command::new("psql").args([&format!("{server_url}/postgres"), "-qc", &make]).status();
    assert!(made.unwrap().success());
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{server_url}/{name}");
    let server = Server::start(folder.path(), &["--database-url", &url]);
    let token = server.setup_link().unwrap().rsplit('/').next().unwrap().to_owned();
    let answer = server.request(&post("/api/v1/register/profile", &profile(&token)));
    let cookie = answer.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
    let request = format!(
        "GET /api/v1/current HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncookie: {cookie}\r\n\r\n"
    );
    assert!(server.request(&request).starts_with("HTTP/1.1 200"));
    let signaled = std::time::Instant::now();
    server.signal("-TERM");
    assert_eq!(server.finish().0, Some(0));
    assert!(signaled.elapsed() < Duration::from_secs(5), "{:?}", signaled.elapsed());
}

/// An existing folder keeps its permissions; the files that we put into it are private.
#[test]
fn the_database_is_private_in_an_open_folder() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let server = Server::start(folder.path(), &[]);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{:?} has mode {mode:o}", file.file_name());
    }
    server.signal("-TERM");
    server.finish();
}

#[test]
fn strange_environments_are_no_obstacle() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let broken = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    let mut command = atrium(folder.path(), &["doctor"]);
    let output = command.env("SOMETHING", broken).env("ATRIUM_SERVICE_HOST", "10.0.0.1").output();
    assert!(output.unwrap().status.success());
}

/// Browsers keep connections open after an answer, and open some before they need them.
#[test]
fn idle_connections_do_not_delay_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let silent = server.connect();
    let mut idle = server.connect();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    let mut answer = [0_u8; 512];
    assert!(idle.read(&mut answer).unwrap() > 0);
    let signaled = std::time::Instant::now();
    server.signal("-TERM");
    assert_eq!(server.finish().0, Some(0));
    assert!(signaled.elapsed() < Duration::from_secs(5), "{:?}", signaled.elapsed());
    drop((silent, idle));
}

/// The terminal that read the setup link may be closed right after.
#[test]
fn a_closed_terminal_does_not_take_the_server_down() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Running::start(
        atrium(folder.path(), &["serve", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null()),
    );
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let address = first.trim().rsplit("http://").next().unwrap().to_owned();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_log_holds_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--log", "debug", "--log-format", "json"]);
    let link = server.setup_link().unwrap().to_owned();
    let token = link.rsplit('/').next().unwrap().to_owned();
    let get = |path: &str| {
        server.request(&format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"))
    };
    get(&format!("/emailValidator/{token}"));
    get(&format!("/pwdReset/{token}"));
    get(&format!("/api/v1/register/token?token={token}"));
    get(&format!("/api/v1/no/such/{token}"));
    let body = profile(&token);
    let answer = server.request(&post("/api/v1/register/profile", &body));
    let cookie =
        answer.split("atrium_session=").nth(1).unwrap().split(';').next().unwrap().to_owned();
    server.request(&post(
        "/api/v1/login",
        r#"{"email":"jane@example.com","password":"seven blue cranes"}"#,
    ));
    let signed_in = |request: String| {
        let cookie = format!("host: a\r\ncookie: atrium_session={cookie}\r\n");
        let answer = server.request(&request.replace("host: a\r\n", &cookie));
        let body = answer.split("\r\n\r\n").nth(1).unwrap();
        serde_json::from_str::<serde_json::Value>(body).unwrap()["data"].clone()
    };
    let current = "GET /api/v1/current HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let app = signed_in(current.to_owned())["last_app"]["app_id"].as_str().unwrap().to_owned();
    let made = signed_in(post(&format!("/api/v1/apps/{app}/access-keys"), r#"{"name":"K"}"#));
    let (key_id, secret) = (made["id"].as_str().unwrap(), made["secret"].as_str().unwrap());
    signed_in(format!(
        "DELETE /api/v1/apps/{app}/access-keys/{key_id} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
    ));
    server.signal("-INT");
    let (code, log) = server.finish();
    assert_eq!(code, Some(0));
    for secret in [&token, "seven blue", &cookie, "jane@example.com", key_id, secret] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
    assert!(log.contains(r#""route":"{page}""#), "{log}");
    assert!(log.contains(r#""route":"/api/v1/register/token""#), "{log}");
    for line in log.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}

#[test]
fn killed_at_once_it_starts_again_with_everything() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let token = server.setup_link().unwrap().rsplit('/').next().unwrap().to_owned();
    let body = profile(&token);
    assert!(server.request(&post("/api/v1/register/profile", &body)).starts_with("HTTP/1.1 200"));
    server.signal("-KILL");
    server.finish();
    let server = Server::start(folder.path(), &[]);
    assert!(server.setup_link().is_none(), "{:?}", server.printed);
    let login =
        post("/api/v1/login", r#"{"email":"jane@example.com","password":"seven blue herons"}"#);
    assert!(server.request(&login).starts_with("HTTP/1.1 200"));
    server.signal("-TERM");
    assert_eq!(server.finish().0, Some(0));
}

/// Nothing exists yet: no folder, no file, no key.
#[test]
fn six_that_start_at_once_in_an_empty_folder_agree() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data");
    let starting: Vec<Child> = (0..6)
        .map(|_| atrium(&folder, &["migrate"]).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    for child in starting {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let doctor = output(&folder, &["doctor"]);
    assert!(doctor.status.success(), "{}", text(&doctor.stdout));
}

#[test]
fn the_command_line_makes_an_account_beside_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let create = |password: &str| {
        let mut child = atrium(
            folder.path(),
            &[
                "admin",
                "create-user",
                "--email",
                "jane@example.com",
                "--name",
                "Jane",
                "--organization",
                "Team",
                "--password-stdin",
            ],
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
        child.stdin.take().unwrap().write_all(password.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let weak = create("12345678\n");
    assert!(!weak.status.success());
    assert!(text(&weak.stderr).contains("too common"), "{}", text(&weak.stderr));

    let made = create("seven blue herons\n");
    let printed: serde_json::Value = serde_json::from_slice(&made.stdout).unwrap();
    assert!(printed["user_id"].is_string() && printed["org_id"].is_string(), "{printed}");
    let login =
        post("/api/v1/login", r#"{"email":"jane@example.com","password":"seven blue herons"}"#);
    assert!(server.request(&login).starts_with("HTTP/1.1 200"));
    // The other tests use almost no work for a hash; the program must use the full amount.
    let database = rusqlite::Connection::open(folder.path().join("atrium.db")).unwrap();
    let hash: String =
        database.query_row("SELECT password_hash FROM users", [], |row| row.get(0)).unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");

    let again = create("seven blue herons\n");
    assert!(!again.status.success());
    assert!(text(&again.stderr).contains("already has an account"), "{}", text(&again.stderr));
    server.signal("-TERM");
    server.finish();
}

#[test]
fn the_command_line_disables_and_enables_an_account() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let token = server.setup_link().unwrap().rsplit('/').next().unwrap().to_owned();
    let answer = server.request(&post("/api/v1/register/profile", &profile(&token)));
    let cookie_in = |answer: &str| {
        answer.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap().to_owned()
    };
    let cookie = RefCell::new(cookie_in(&answer));
    let current = || {
        let cookie = cookie.borrow();
        server.request(&format!(
            "GET /api/v1/current HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncookie: {cookie}\r\n\r\n"
        ))
    };
    let admin =
        |command: &str, email: &str| output(folder.path(), &["admin", command, "--email", email]);
    let login =
        post("/api/v1/login", r#"{"email":"jane@example.com","password":"seven blue herons"}"#);

    let listed: serde_json::Value =
        serde_json::from_slice(&admin("list-sessions", "Jane@example.com").stdout).unwrap();
    assert_eq!(listed["ip"], "127.0.0.1");
    assert!(current().starts_with("HTTP/1.1 200"));
    let session = listed["id"].as_str().unwrap();
    let ended = &["admin", "end-sessions", "--email", "jane@example.com", "--session", session];
    assert!(output(folder.path(), ended).status.success());
    assert!(current().starts_with("HTTP/1.1 401"));
    let none = output(folder.path(), ended);
    assert!(text(&none.stderr).contains("has no session"), "{}", text(&none.stderr));
    let answer = server.request(&login);
    *cookie.borrow_mut() = cookie_in(&answer);
    assert!(current().starts_with("HTTP/1.1 200"));
    let all: serde_json::Value =
        serde_json::from_slice(&admin("end-sessions", "jane@example.com").stdout).unwrap();
    assert_eq!(all["ended"], 1);
    assert!(current().starts_with("HTTP/1.1 401"));
    *cookie.borrow_mut() = cookie_in(&server.request(&login));
    // A new master key, while the server is running.
    let rotated = output(folder.path(), &["admin", "rotate-key", "--settle", "0"]);
    assert!(rotated.status.success(), "{}", text(&rotated.stderr));
    assert!(current().starts_with("HTTP/1.1 200"));
    assert!(admin("disable-user", "jane@example.com").status.success());
    assert!(current().starts_with("HTTP/1.1 401"));
    assert!(server.request(&login).starts_with("HTTP/1.1 401"));
    assert!(admin("enable-user", "jane@example.com").status.success());
    assert!(current().starts_with("HTTP/1.1 401"), "ended is ended");
    assert!(server.request(&login).starts_with("HTTP/1.1 200"));
    let printed: serde_json::Value =
        serde_json::from_slice(&admin("sign-in-link", "jane@example.com").stdout).unwrap();
    let link = printed["link"].as_str().unwrap();
    let token = link.split_once("/login#link=").unwrap().1;
    let by_link = post("/api/v1/login/link", &format!(r#"{{"token":"{token}"}}"#));
    assert!(server.request(&by_link).starts_with("HTTP/1.1 200"));
    assert!(server.request(&by_link).starts_with("HTTP/1.1 410"), "once is once");
    assert!(admin("reset-second-factor", "jane@example.com").status.success());
    let unknown = admin("disable-user", "nobody@example.com");
    assert!(!unknown.status.success());
    assert!(text(&unknown.stderr).contains("has no account"), "{}", text(&unknown.stderr));
    let doctor = text(&output(folder.path(), &["doctor"]).stdout);
    assert!(doctor.contains("all chains verified"), "{doctor}");
    server.signal("-TERM");
    server.finish();
}

#[test]
fn wrong_settings_are_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let run = |variable: Option<(&str, &str)>, arguments: &[&str]| {
        let mut command = atrium(folder.path(), &[&["serve"], arguments].concat());
        command.envs(variable);
        let output = command.output().unwrap();
        assert!(!output.status.success());
        text(&output.stderr)
    };
    let error = run(None, &["--listen", "everywhere"]);
    assert!(error.contains("listen: \"everywhere\" is not an address and a port"), "{error}");
    let error = run(Some(("ATRIUM_REGISTRATION", "closed")), &[]);
    assert!(error.contains("registration: \"closed\""), "{error}");
    let error = run(Some(("ATRIUM_LISTN", "127.0.0.1:1")), &[]);
    assert!(error.contains("ATRIUM_LISTN is not a setting"), "{error}");
    let error = run(None, &["--config", "/no/such/file.toml"]);
    assert!(error.contains("/no/such/file.toml"), "{error}");
    let error = run(None, &["--master-key", "c2hvcnQ="]);
    assert!(error.contains("master_key") && error.contains("32 bytes"), "{error}");
    let error = run(None, &["--database-url", "postgres://u:hunter2@127.0.0.1:1/x"]);
    assert!(error.contains("database_url") && !error.contains("hunter2"), "{error}");
    let blocker = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = blocker.local_addr().unwrap().to_string();
    let error = run(None, &["--listen", &taken]);
    assert!(error.contains(&taken), "{error}");
}

#[test]
fn the_help_names_every_setting_with_its_variable() {
    let folder = tempfile::tempdir().unwrap();
    let help = text(&output(folder.path(), &["serve", "--help"]).stdout);
    for setting in [
        "LISTEN",
        "PUBLIC_URL",
        "TRUSTED_PROXIES",
        "MAX_CONNECTIONS",
        "METRICS_TOKEN",
        "DATA_DIR",
        "DATABASE_URL",
        "DATABASE_CONNECTIONS",
        "COLLECT_QUOTA",
        "COLLECT_REJECTED_QUOTA",
        "COLLECT_ADDRESS_SHARE",
        "MASTER_KEY",
        "BACKUP_FOLDER",
        "BACKUP_EVERY_HOURS",
        "BACKUP_KEEP",
        "ENVIRONMENT",
        "BUILD_VERSION",
        "BUILD_MESSAGE",
        "REGISTRATION",
        "SMTP_URL",
        "MAIL_FROM",
        "WECHATWORK_CORP_ID",
        "WECHATWORK_AGENT_ID",
        "WECHATWORK_SECRET",
        "WECHATWORK_LOGIN_URL",
        "WECHATWORK_API_URL",
        "FEISHU_APP_ID",
        "FEISHU_APP_SECRET",
        "FEISHU_ACCOUNTS_URL",
        "FEISHU_API_URL",
        "FEISHU_TOKEN_URL",
        "WATERMARK",
        "REGIONS",
        "LOG",
        "LOG_FORMAT",
        "CONFIG",
    ] {
        assert!(help.contains(&format!("ATRIUM_{setting}")), "{setting} in {help}");
        let flag = setting.to_lowercase().replace('_', "-");
        assert!(help.contains(&format!("--{flag} <")), "{flag} in {help}");
    }
}

#[test]
fn a_health_check_says_whether_the_server_answers() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let check = |address: &str| output(folder.path(), &["healthcheck", "--listen", address]);
    let healthy = check(&server.address);
    assert!(healthy.status.success(), "{}", text(&healthy.stderr));
    let address = server.address.clone();
    server.signal("-TERM");
    server.finish();
    let gone = check(&address);
    assert!(!gone.status.success());
    assert!(text(&gone.stderr).contains("does not answer"), "{}", text(&gone.stderr));
    assert!(text(&check("127.0.0.1:0").stderr).contains("port 0"));
}

/// It signs off, so that nobody searches for an instance that was stopped on purpose.
#[test]
fn a_server_that_is_stopped_is_not_missing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let seen = || {
        let db = rusqlite::Connection::open(folder.path().join("atrium.db")).unwrap();
        db.query_row("SELECT COUNT(*) FROM instances", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    while seen() == 0 {
        assert!(std::time::Instant::now() < deadline, "it gives a sign of life at its start");
        std::thread::sleep(Duration::from_millis(20));
    }
    server.signal("-TERM");
    assert_eq!(server.finish().0, Some(0));
    assert_eq!(seen(), 0);
}

#[test]
fn the_doctor_says_what_it_sees() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let before = output(folder.path(), &["doctor"]);
    assert!(before.status.success());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "a doctor leaves no trace");

    assert!(output(folder.path(), &["migrate"]).status.success());
    let healthy = output(folder.path(), &["doctor"]);
    assert!(healthy.status.success(), "{}", text(&healthy.stdout));
    assert!(text(&healthy.stdout).contains("all chains verified"), "{}", text(&healthy.stdout));

    let key = folder.path().join("master.key");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let open = output(folder.path(), &["doctor"]);
    assert!(!open.status.success());
    assert!(text(&open.stdout).contains("can be read by other users"), "{}", text(&open.stdout));
}
