//! A backup made beside a server under load, and what it restores after the server is lost.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::crash::{Known, atrium, check, collect_key, create_user, send, serve, wait_until_empty};

const SENDERS: usize = 4;

fn run(mut command: Command) -> Value {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    serde_json::from_slice(&stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_back_up_under_load_has_everything_that_was_acknowledged_before_it() {
    let parent = tempfile::tempdir().unwrap();
    let (first, second) = (parent.path().join("first"), parent.path().join("second"));
    let (file, again) = (parent.path().join("a.tar"), parent.path().join("b.tar"));
    create_user(&first);
    let key = collect_key(&first).await;
    let (mut child, address) = serve(&first);
    let address = Arc::new(Mutex::new(address));
    let known = Arc::new(Mutex::new(Known::default()));
    let stop = Arc::new(AtomicBool::new(false));
    let senders: Vec<_> = (0..SENDERS)
        .map(|_| tokio::spawn(send(address.clone(), key.clone(), known.clone(), stop.clone())))
        .collect();
    // By then some messages are in the event store, and some are still waiting.
    until_loaded(&address, &known).await;
    let accepted = known.lock().unwrap().accepted.clone();
    let backup = |folder: &Path, file: &Path| {
        run(atrium(folder, &["backup", "--output", file.to_str().unwrap()]))
    };
    let made = backup(&first, &file);
    assert!(made["events"].as_u64() > Some(0), "{made}");
    stop.store(true, Ordering::Relaxed);
    for sender in senders {
        sender.await.unwrap();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let master_key = std::fs::read(first.join("master.key")).unwrap();
    std::fs::remove_dir_all(&first).unwrap();

    std::fs::create_dir(&second).unwrap();
    std::fs::write(second.join("master.key"), master_key).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(second.join("master.key"), private).unwrap();
    let restored = run(atrium(&second, &["restore", file.to_str().unwrap()]));
    assert!(restored["audit_entries"].as_u64() > Some(0), "{restored}");
    assert_eq!(restored["events"], made["events"]);
    let (mut child, address) = serve(&second);
    assert_eq!(wait_until_empty(&address).await, 0, "what waited is loaded");
    let login = json!({ "email": "a@b.co", "password": "correct horse battery" });
    let login = http_client::local().post(format!("http://{address}/api/v1/login")).json(&login);
    assert_eq!(login.send().await.unwrap().status(), 200);
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    child.wait().unwrap();
    let sent = std::mem::take(&mut known.lock().unwrap().sent);
    check(&second, &Known { accepted, sent, refused: 0 }).await;
    // Without a server the backup starts an engine of its own, and nothing waits anymore.
    let sum = restored["events"].as_u64().unwrap() + restored["waiting"].as_u64().unwrap();
    let made = backup(&second, &again);
    assert_eq!((made["events"].as_u64(), made["waiting"].as_u64()), (Some(sum), Some(0)), "{made}");
}

/// Waits until the server has loaded something and has more to load.
pub(crate) async fn until_loaded(address: &Mutex<String>, known: &Mutex<Known>) {
    let url = format!("http://{}/readyz", address.lock().unwrap());
    let started = Instant::now();
    loop {
        let ready: Value =
            http_client::local().get(&url).send().await.unwrap().json().await.unwrap();
        let waiting = usize::try_from(ready["waiting"].as_i64().unwrap()).unwrap();
        if waiting > 0 && known.lock().unwrap().accepted.len() > waiting + 2_000 {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "nothing is loaded: {ready}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
