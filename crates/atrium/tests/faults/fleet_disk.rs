//! One instance of a fleet whose disk fills up.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uuid::Uuid;

use super::fleet::{Instance, Known, messages};

/// The disk of one instance fills up. It reports that and accepts nothing more, the others go on, and once
/// there is space it accepts messages again by itself.
pub async fn fill_a_disk(running: &[Instance], key: &str, known: &Mutex<Known>) {
    let Some(full) = running.iter().find(|instance| instance.disk.is_some()) else { return };
    let ballast = full.disk.as_ref().unwrap().fill();
    until_answered(full, key, known, (503, "disk_full")).await;
    for other in running.iter().filter(|instance| instance.disk.is_none()) {
        until_answered(other, key, known, (200, "")).await;
    }
    let ready = format!("http://{}/readyz", full.address.lock().unwrap().clone().unwrap());
    let ready = http_client::local().get(ready).send().await.unwrap();
    assert_eq!(ready.status(), 503);
    assert_eq!(ready.json::<Value>().await.unwrap()["spool"], "disk_full");
    std::fs::remove_file(ballast).unwrap();
    until_answered(full, key, known, (200, "")).await;
}

/// Sends messages until it gets this answer. A few may still fit into free space inside the files.
async fn until_answered(at: &Instance, key: &str, known: &Mutex<Known>, wanted: (u16, &str)) {
    let url = format!("http://{}/v1/collect", at.address.lock().unwrap().clone().unwrap());
    let (client, begun) = (http_client::local(), Instant::now());
    loop {
        let messages: Vec<Value> = (0..10).flat_map(|_| messages()).collect();
        let ids = messages.iter().map(|it| it["data"]["log_id"].as_str().unwrap().parse().unwrap());
        let ids: Vec<Uuid> = ids.collect();
        known.lock().unwrap().sent.extend(&ids);
        let body = json!({ "app_key": key, "messages": messages });
        let answer = client.post(&url).json(&body).send().await.unwrap();
        let (status, waits) = (answer.status(), answer.headers().contains_key("retry-after"));
        let body: Value = answer.json().await.unwrap_or_default();
        if status == 200 {
            known.lock().unwrap().accepted.extend(&ids);
        } else {
            assert!(status == 503 && waits, "{status} {body}");
        }
        let code = body["errors"][0]["code"].as_str().unwrap_or_default();
        if (status.as_u16(), code) == wanted {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{wanted:?}: {status} {body}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
