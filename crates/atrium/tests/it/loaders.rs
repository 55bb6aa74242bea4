//! Several instances that load side by side, and one that does not notice that it has lost its lease.

use std::time::Duration;

use serde_json::{Value, json};

use crate::ingest::{drain, number};
use crate::support::sender::event;
use crate::support::world::Team;
use crate::support::{Store, TestServer, in_both_sizes, on_both};
use atrium::clock_sync;
use atrium::collect::loader::{self, Turn};
use atrium::lease::Lease;
use atrium::types::Id;

const SECOND: i64 = 1_000;
const HOUR: i64 = 60 * 60 * SECOND;

/// The lease of an app's partition: there are sixteen, by the last digit of its id.
pub fn lease_of(app: &Id) -> String {
    let digit = app.as_str().chars().last().unwrap().to_digit(16).unwrap();
    format!("loader/{digit}")
}

/// An event of a person who has never signed in.
fn event_of(server: &TestServer, name: &str, device: &str) -> Value {
    let mut event = event(server, name);
    event["data"]["device_id"] = json!(device);
    event["data"]["user_id"] = json!("");
    event
}

/// Two teams whose apps are in different partitions.
async fn two_teams(server: &TestServer) -> (Team, Team) {
    let one = server.team("one").await;
    for name in ["two", "three", "four", "five", "six"] {
        let other = server.team(name).await;
        if lease_of(&other.app_id) != lease_of(&one.app_id) {
            return (one, other);
        }
    }
    panic!("ids are not random");
}

async fn turn(server: &TestServer) -> Turn {
    loader::turn(&server.atrium, &server.atrium.collector.spool).await.unwrap()
}

async fn take(server: &TestServer, name: &str, holder: &str) -> Option<Lease> {
    Lease::take(&server.atrium, name, holder).await.unwrap()
}

fn fence(lease: &Lease) -> i64 {
    *lease.fences().values().next().unwrap()
}

on_both! {
    async fn a_lease_of_an_instance_that_is_gone_is_free_after_half_a_minute(server: TestServer) {
        let gone = take(&server, "work", "gone").await.unwrap();
        server.clock.advance(29 * SECOND);
        assert!(take(&server, "work", "other").await.is_none());
        server.clock.advance(2 * SECOND);
        let other = take(&server, "work", "other").await.unwrap();
        assert!(fence(&other) > fence(&gone), "what the first still sends can be told from the second's");
        let same = fence(&other);
        other.release(&server.atrium).await.unwrap();
        let third = take(&server, "work", "third").await.unwrap();
        assert_eq!(fence(&third), same, "nobody was superseded");
    }
}

on_both! {
    async fn the_one_who_has_waited_for_long_is_next(server: TestServer) {
        let names = ["work".to_owned()];
        let wait = |holder: &'static str| Lease::take_some(&server.atrium, holder, &names, 1, &names);
        let busy = wait("busy").await.unwrap().unwrap();
        assert!(wait("patient").await.unwrap().is_none());
        assert!(wait("third").await.unwrap().is_none());
        busy.release(&server.atrium).await.unwrap();
        assert!(wait("busy").await.unwrap().is_none(), "it is the other's turn");
        assert!(wait("third").await.unwrap().is_none(), "who came later");
        let patient = wait("patient").await.unwrap().unwrap();
        assert!(wait("busy").await.unwrap().is_none());
        patient.release(&server.atrium).await.unwrap();
        server.clock.advance(6 * SECOND);
        assert!(wait("third").await.unwrap().is_some(), "who was next has not come back");
    }
}

on_both! {
    async fn a_clock_that_is_wrong_takes_nothing_from_others(server: TestServer) {
        let other = server.second_instance().await;
        other.clock.skew(HOUR);
        let held = take(&server, "work", "first").await.unwrap();
        assert!(take(&other, "work", "second").await.is_none());
        held.renew(&server.atrium).await.unwrap();
        // Instances that share a database server use its clock.
        clock_sync::sync(&other.atrium.db, &other.atrium.clock).await.unwrap();
        let ahead = other.atrium.now().since(server.atrium.now());
        match server.store {
            Store::Postgres => assert!(ahead.abs() < 5 * SECOND, "{ahead}"),
            Store::Sqlite => assert!(ahead > HOUR - 5 * SECOND, "{ahead}"),
        }
        other.clock.skew(0);
        clock_sync::sync(&other.atrium.db, &other.atrium.clock).await.unwrap();
        assert!(other.atrium.now().since(server.atrium.now()).abs() < 5 * SECOND);
    }
}

in_both_sizes! {
    async fn a_partition_that_another_holds_delays_only_its_apps(server: TestServer) {
        let (one, two) = two_teams(&server).await;
        let held = take(&server, &lease_of(&one.app_id), "somebody").await.unwrap();
        for team in [&one, &two] {
            let key = server.collect_key(team.app_id.as_str()).await;
            server.collect(&key, json!([event(&server, "a")])).await;
        }
        assert_eq!(turn(&server).await, Turn::Loaded(1));
        assert_eq!(turn(&server).await, Turn::NotMine);
        let of = |team: &Team| format!("(SELECT count() FROM events WHERE app_id = '{}')", team.app_id);
        assert_eq!((number(&server, &of(&one)).await, number(&server, &of(&two)).await), (0, 1));
        held.release(&server.atrium).await.unwrap();
        drain(&server).await;
        assert_eq!(number(&server, &of(&one)).await, 1);
    }
}

in_both_sizes! {
    async fn instances_load_side_by_side(server: TestServer) {
        let other = server.second_instance_on_same_engine().await;
        let mut sent = 0;
        for name in ["one", "two", "three", "four"] {
            let team = server.team(name).await;
            let key = server.collect_key(team.app_id.as_str()).await;
            other.catch_up().await;
            for round in 0..5 {
                // The same people on both instances, and some messages that both receive.
                let some: Vec<Value> = (0..40)
                    .map(|person| event_of(&server, "a", &format!("device {}", person + round)))
                    .collect();
                sent += some.len();
                server.collect(&key, json!(some[..25])).await;
                other.collect(&key, json!(some[15..])).await;
            }
        }
        let (first, second) = tokio::join!(drain_counting(&server), drain_counting(&other));
        assert!(first > 0 && second > 0, "{first} {second}");
        let sent = i64::try_from(sent).unwrap();
        for sum in [
            "(SELECT count() FROM events)",
            "(SELECT uniqExact(app_id, log_id) FROM events)",
            "(SELECT sum(events) FROM totals_15m)",
        ] {
            assert_eq!(number(&server, sum).await, sent, "{sum}");
        }
        let people = "(SELECT sum(n) FROM (SELECT app_id, groupBitmapMerge(people) AS n FROM totals_15m GROUP BY app_id))";
        assert_eq!(number(&server, people).await, 4 * 44, "nobody has two numbers");
        assert_eq!(server.count("SELECT COUNT(*) FROM leases WHERE held_until > 0 AND name LIKE 'loader/%'").await, 0);
    }
}

async fn drain_counting(server: &TestServer) -> usize {
    let mut batches = 0;
    loop {
        match turn(server).await {
            Turn::Idle => return batches,
            Turn::Loaded(_) => batches += 1,
            Turn::NotMine => tokio::time::sleep(Duration::from_millis(20)).await,
            turn => panic!("{turn:?}"),
        }
    }
}

in_both_sizes! {
    async fn a_loader_that_was_superseded_stores_nothing(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        server.collect(&key, json!([event(&server, "a")])).await;
        assert_eq!(turn(&server).await, Turn::Loaded(1));
        // Another instance takes over in the middle of the next batch. The store learns of it first.
        let higher = (lease_of(&team.app_id), 1_000);
        server.atrium.warehouse.raise_fences(&[(higher.0.as_str(), higher.1)]).await.unwrap();
        server.collect(&key, json!([event(&server, "b"), event_of(&server, "b", "new")])).await;
        let error = loader::turn(&server.atrium, &server.atrium.collector.spool).await.unwrap_err();
        assert!(error.to_string().contains("another instance"), "{error:#}");
        assert_eq!(number(&server, "(SELECT count() FROM events)").await, 1, "nothing of it");
        // With a still higher fence it resumes the batch that it had begun.
        loop {
            match turn(&server).await {
                Turn::Later(wait) => tokio::time::sleep(wait).await,
                turn => break assert_eq!(turn, Turn::Loaded(2)),
            }
        }
        assert_eq!(number(&server, "(SELECT count() FROM events)").await, 3);
        assert_eq!(number(&server, "(SELECT sum(events) FROM totals_15m)").await, 3);
        let fences = server.atrium.warehouse.fences().await.unwrap();
        assert!(fences[&higher.0] > higher.1);
    }
}
