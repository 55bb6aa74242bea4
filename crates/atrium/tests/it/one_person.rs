//! Who counts as one person: what a device did before sign-in becomes the user's, wherever people are
//! counted.

use serde_json::{Value, json};

use crate::support::sender::event_at;
use crate::support::{Actor, Store, TestServer, in_both_sizes};
use atrium::collect::loader;
use atrium::erasures::run::run_due;

const MINUTE: i64 = 60 * 1_000;

/// Sends and loads these events (device and user), each a minute after the one before.
async fn send(server: &TestServer, key: &str, from: i64, sent: &[(&str, &str)]) {
    let messages = sent.iter().zip(0..).map(|((device, user), place)| {
        let mut event = event_at(from + place * MINUTE, "look");
        event["data"]["device_id"] = json!(device);
        event["data"]["user_id"] = json!(user);
        if user.is_empty() {
            event["data"].as_object_mut().unwrap().remove("user_id");
        }
        event
    });
    let messages: Vec<Value> = messages.collect();
    let answer = server.collect(key, json!(messages)).await;
    assert_eq!(answer.body["data"]["accepted"], sent.len(), "{answer:?}");
    let spool = &server.atrium.collector.spool;
    while loader::turn(&server.atrium, spool).await.unwrap() != loader::Turn::Idle {}
}

struct Asked<'a> {
    actor: &'a Actor,
    org: String,
    app: String,
    today: String,
}

impl Asked<'_> {
    /// The number of people today, according to each part of the console.
    async fn people(&self) -> Vec<u64> {
        let Self { actor, org, app, today } = self;
        let body = json!({ "start": today, "end": today, "granularity": "day", "timezone": "UTC" });
        let overall = actor.post(&format!("/api/v1/orgs/{org}/data-overall"), body).await;
        let overall = &overall.body["data"];
        let body = json!({ "start": today, "end": today, "measure": "users", "timezone": "UTC" });
        let explored = actor.post(&format!("/api/v1/apps/{app}/explore"), body).await;
        let path = format!("/api/v1/apps/{app}/engagement?start={today}&end={today}&timezone=UTC");
        let engagement = actor.get(&path).await;
        let os = overall["breakdowns"]["os"].as_array().unwrap();
        vec![
            overall["totals"]["active_users"]["value"].as_u64().unwrap(),
            overall["series"][0]["active_users"].as_u64().unwrap(),
            overall["top_events"][0]["users"].as_u64().unwrap(),
            os[0]["users"].as_u64().unwrap(),
            explored.body["data"]["total"].as_f64().unwrap() as u64,
            engagement.body["data"]["days"][0]["dau"].as_u64().unwrap(),
            engagement.body["data"]["days"][0]["new_users"].as_u64().unwrap(),
        ]
    }

    async fn events_of(&self, user: &str) -> u64 {
        let path = format!("/api/v1/apps/{}/profile?kind=user&ref={user}", self.app);
        let profile = self.actor.get(&path).await;
        let path = format!("/api/v1/apps/{}/profile/events?kind=user&ref={user}", self.app);
        let events = self.actor.get(&path).await;
        let (count, listed) = (&profile.body["data"]["events"], &events.body["data"]["items"]);
        assert_eq!(count.as_u64(), listed.as_array().map(|items| items.len() as u64), "{events:?}");
        count.as_u64().unwrap()
    }
}

in_both_sizes! {
    async fn what_a_device_did_before_sign_in_becomes_the_users(server: TestServer) {
        let day = 24 * 60 * MINUTE;
        // Before anybody signs in, because an erasure needs a recent sign-in.
        if server.atrium.now().0 % day < 2 * 60 * MINUTE {
            server.clock.advance(2 * 60 * MINUTE);
        }
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let from = server.atrium.now().0 / day * day;
        let today = jiff::Timestamp::from_millisecond(from).unwrap();
        let asked = Asked {
            actor: team.actor("owner"),
            org: team.org_id.to_string(),
            app: team.app_id.to_string(),
            today: today.to_string()[..10].to_owned(),
        };
        send(&server, &key, from + 10 * MINUTE, &[("phone", ""), ("phone", ""), ("desk", "")]).await;
        assert_eq!(asked.people().await, [2; 7]);

        // Anna signs in on both devices, and Ben uses her phone after her.
        let sign_ins = [("phone", "anna"), ("desk", "anna"), ("phone", "ben"), ("phone", "")];
        send(&server, &key, from + 20 * MINUTE, &sign_ins).await;
        assert_eq!(asked.people().await, [2; 7], "anna and ben");
        assert_eq!((asked.events_of("anna").await, asked.events_of("ben").await), (6, 1));

        // A late message shows that Carl was there first: what the phone did without a user is now his.
        send(&server, &key, from, &[("phone", "carl")]).await;
        assert_eq!(asked.people().await, [3; 7]);
        assert_eq!((asked.events_of("anna").await, asked.events_of("carl").await), (3, 4));

        // Carl is erased with everything that was his; the phone is Anna's again.
        let path = format!("/api/v1/apps/{}/erasures", team.app_id);
        let body = json!({ "kind": "user", "subject": "carl" });
        assert_eq!(asked.actor.post(&path, body).await.status, 200);
        assert_eq!(run_due(&server.atrium).await.unwrap(), 1);
        assert_eq!(asked.actor.get(&path).await.body["data"]["items"][0]["events"], 4);
        assert_eq!(asked.people().await, [2; 7]);
        assert_eq!((asked.events_of("anna").await, asked.events_of("ben").await), (3, 1));
        send(&server, &key, from + 30 * MINUTE, &[("phone", "")]).await;
        assert_eq!(asked.events_of("anna").await, 4);
        assert_eq!(asked.people().await, [2; 7]);
    }
}
