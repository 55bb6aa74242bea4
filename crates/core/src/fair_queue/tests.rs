//! Tests the rules by the order in which statements run; no clock is involved.

use super::schedule::Schedule;
use super::*;

const LIMITS: Limits = Limits { slots: 6, per_org: 4, per_app: 4, per_caller: 4, waiting: 8 };

fn caller(class: Class, org: u8, who: u8) -> Caller {
    Caller { class, org: Id::fixed(org), who: Id::fixed(who), app: None }
}

/// A queue with a log of names in the order they began to run.
struct Trial {
    schedule: Schedule,
    tickets: u64,
    running: Vec<(String, Caller)>,
    names: HashMap<u64, String>,
}

impl Trial {
    fn new(limits: Limits) -> Self {
        let (running, names) = (Vec::new(), HashMap::new());
        Self { schedule: Schedule::new(limits), tickets: 0, running, names }
    }

    /// Asks with a new call of one statement.
    fn ask(&mut self, name: &str, caller: &Caller) -> bool {
        let call = self.tickets + 1_000;
        self.ask_in(name, caller, call)
    }

    fn ask_in(&mut self, name: &str, caller: &Caller, call: u64) -> bool {
        self.tickets += 1;
        self.names.insert(self.tickets, name.to_owned());
        self.schedule.push(caller, call, self.tickets)
    }

    /// Who begins to run now, in order.
    fn serve(&mut self) -> String {
        let mut served = Vec::new();
        while let Some((ticket, caller)) = self.schedule.next() {
            let name = self.names[&ticket].clone();
            served.push(name.clone());
            self.running.push((name, caller));
        }
        served.join(" ")
    }

    fn finish(&mut self, name: &str) -> String {
        let place = self.running.iter().position(|(running, _)| running == name).unwrap();
        let (_, caller) = self.running.remove(place);
        self.schedule.finish(&caller);
        self.serve()
    }
}

#[test]
fn one_query_key_leaves_room_for_everybody_else() {
    for many in [12, 40] {
        let mut trial = Trial::new(LIMITS);
        let key = caller(Class::QueryKey, 1, 1);
        let taken = (0..many).filter(|n| trial.ask(&format!("k{n}"), &key)).count();
        assert_eq!(trial.serve(), "k0 k1", "two of six slots, and half for all keys together");
        // The calls that did not begin were queued when the others came.
        assert_eq!(taken, 8, "what is beyond the caller's own bound is refused");
        let dashboard = caller(Class::Dashboard, 2, 2);
        for n in 0..4 {
            assert!(trial.ask(&format!("d{n}"), &dashboard));
        }
        assert_eq!(trial.serve(), "d0 d1 d2 d3", "another team's dashboard waits for nothing");
        // A third team's dashboard goes before the key's next call.
        assert!(trial.ask("e0", &caller(Class::Dashboard, 3, 3)));
        assert_eq!(trial.serve(), "");
        assert_eq!(trial.finish("k0"), "e0");
        assert_eq!(trial.finish("k1"), "k2");
    }
}

#[test]
fn keys_together_have_half_and_one_slot_is_kept_for_dashboards() {
    let mut trial = Trial::new(LIMITS);
    for n in 1..=5 {
        trial.ask(&format!("k{n}"), &caller(Class::QueryKey, n, n));
    }
    assert_eq!(trial.serve(), "k1 k2 k3");
    for n in 6..=9 {
        trial.ask(&format!("q{n}"), &caller(Class::AdHoc, n, n));
    }
    assert_eq!(trial.serve(), "q6 q7", "five of six");
    trial.ask("d", &caller(Class::Dashboard, 10, 10));
    assert_eq!(trial.serve(), "d");
    // A waiting query does not take the dashboard's slot.
    assert_eq!(trial.finish("d"), "");
    assert_eq!(trial.finish("k1"), "q8");
    assert_eq!(trial.finish("q6"), "k4", "each kind in its proportion");
    let counts = |class| (trial.schedule.running(class), trial.schedule.waiting(class));
    assert_eq!(counts(Class::QueryKey), (3, 1));
    assert_eq!(counts(Class::AdHoc), (2, 1));
    assert_eq!(counts(Class::Dashboard), (0, 0));
}

#[test]
fn a_waiting_caller_can_see_how_many_came_before() {
    let mut trial = Trial::new(LIMITS);
    let (anna, ben) = (caller(Class::AdHoc, 1, 1), caller(Class::AdHoc, 2, 2));
    for n in 0..5 {
        trial.ask(&format!("a{n}"), &anna);
    }
    // A call with two statements counts once.
    trial.ask_in("b", &ben, 1);
    trial.ask_in("b", &ben, 1);
    let carl = caller(Class::AdHoc, 3, 3);
    trial.ask("c", &carl);
    let ahead = |trial: &Trial, caller: &Caller| trial.schedule.ahead(caller);
    assert_eq!((ahead(&trial, &anna), ahead(&trial, &ben)), (Some(0), Some(5)));
    assert_eq!(ahead(&trial, &carl), Some(6));
    assert_eq!(ahead(&trial, &caller(Class::Dashboard, 1, 1)), None);
    trial.serve();
    assert_eq!(ahead(&trial, &carl), None, "it runs");
}

#[test]
fn organizations_and_callers_take_turns() {
    let mut trial = Trial::new(LIMITS);
    let (anna, ben) = (caller(Class::AdHoc, 1, 1), caller(Class::AdHoc, 1, 2));
    let carl = caller(Class::AdHoc, 2, 3);
    for n in 0..6 {
        trial.ask(&format!("a{n}"), &anna);
    }
    // Three of the organization's four slots; one is kept for its dashboards.
    assert_eq!(trial.serve(), "a0 a1 a2");
    for n in 0..3 {
        trial.ask(&format!("b{n}"), &ben);
        trial.ask(&format!("c{n}"), &carl);
    }
    assert_eq!(trial.serve(), "c0 c1");
    // Within an organization, whoever runs less goes first, however long the other's line is.
    assert_eq!(trial.finish("a0"), "b0");
    // Both run two now, and the other organization was served longer ago.
    assert_eq!(trial.finish("a1"), "c2");
    assert_eq!(trial.finish("b0"), "b1");
    assert_eq!(trial.finish("b1"), "b2");
    assert_eq!(trial.finish("b2"), "a3");
    // The organization's own dashboard gets the reserved slot.
    trial.ask("d", &caller(Class::Dashboard, 1, 1));
    assert_eq!(trial.serve(), "d");
}

#[test]
fn nobody_starves() {
    // Of the two slots one is kept for dashboards, so one is left.
    let mut trial =
        Trial::new(Limits { slots: 2, per_org: 2, per_app: 2, per_caller: 2, waiting: 8 });
    trial.ask("first", &caller(Class::AdHoc, 1, 1));
    assert_eq!(trial.serve(), "first");
    trial.ask("patient", &caller(Class::AdHoc, 2, 2));
    let mut last = "first".to_owned();
    for n in 10..14 {
        // New organizations keep coming.
        trial.ask(&format!("new{n}"), &caller(Class::AdHoc, n, n));
        last = trial.finish(&last);
        if last == "patient" {
            return;
        }
    }
    panic!("those who came later were all served before");
}

#[test]
fn dashboards_do_not_shut_the_others_out() {
    let mut trial = Trial::new(LIMITS);
    for n in 1..=3 {
        for part in 0..20 {
            trial.ask(&format!("d{n}.{part}"), &caller(Class::Dashboard, n, n));
        }
    }
    trial.serve();
    trial.ask("question", &caller(Class::AdHoc, 7, 7));
    trial.ask("key", &caller(Class::QueryKey, 8, 8));
    let mut served = Vec::new();
    for _ in 0..12 {
        let name = trial.running[0].0.clone();
        served.push(trial.finish(&name));
    }
    assert!(served.iter().any(|name| name == "question"), "{served:?}");
    assert!(served.iter().any(|name| name == "key"), "{served:?}");
}

#[test]
fn statements_of_one_call_wait_together_and_others_beyond_the_bound_are_refused() {
    let mut trial = Trial::new(Limits { waiting: 2, ..LIMITS });
    let (key, other) = (caller(Class::QueryKey, 1, 1), caller(Class::QueryKey, 1, 2));
    for part in 0..10 {
        assert!(trial.ask_in(&format!("one{part}"), &key, 1));
    }
    assert!(trial.ask_in("two", &key, 2));
    assert!(!trial.ask_in("three", &key, 3));
    assert!(trial.ask_in("one more", &key, 1), "a call that waits may go on");
    assert!(trial.ask_in("theirs", &other, 4), "only that caller is refused");
    // Withdrawing a ticket makes room.
    assert!(trial.schedule.withdraw(11));
    assert!(!trial.schedule.withdraw(11));
    assert!(trial.ask_in("three", &key, 3));
}

fn queue() -> FairQueue {
    FairQueue::new(LIMITS, Duration::from_secs(60))
}

#[tokio::test]
async fn a_slot_goes_to_the_next_and_leaving_gives_it_up() {
    let queue = queue();
    let key = caller(Class::QueryKey, 1, 1);
    let reader = || queue.reader(key.clone());
    let (first, second) = (reader().enter().await.unwrap(), reader().enter().await.unwrap());
    let (third, fourth) = (reader(), reader());
    let mut waits = third.enter();
    let mut waits_too = fourth.enter();
    assert!(futures_util::poll!(&mut waits).is_pending());
    assert!(futures_util::poll!(&mut waits_too).is_pending());
    assert_eq!(queue.counts(Class::QueryKey), (2, 2));
    drop(waits);
    assert_eq!(queue.counts(Class::QueryKey), (2, 1));
    drop(first);
    // The slot is already granted; leaving before taking it frees it.
    assert_eq!(queue.counts(Class::QueryKey), (2, 0));
    drop(waits_too);
    assert_eq!(queue.counts(Class::QueryKey), (1, 0));
    drop(second);
    assert_eq!(queue.counts(Class::QueryKey), (0, 0));
}

#[tokio::test]
async fn a_caller_who_waits_too_long_is_sent_away_and_leaves_nothing_behind() {
    let queue = FairQueue::new(LIMITS, Duration::from_millis(20));
    let reader = queue.reader(caller(Class::QueryKey, 1, 1));
    let held = (reader.enter().await.unwrap(), reader.enter().await.unwrap());
    assert_eq!(reader.enter().await.err(), Some(Denied::WaitedTooLong));
    assert_eq!(queue.counts(Class::QueryKey), (2, 0));
    drop(held);
    assert!(reader.enter().await.is_ok());
}

#[test]
fn one_app_leaves_room_for_the_others() {
    let mut trial = Trial::new(Limits { per_app: 2, ..LIMITS });
    let asks = |who: u8, app: u8| caller(Class::AdHoc, 1, who).in_app(&Id::fixed(app));
    // One of an app's two slots is kept for dashboards, whoever asks.
    for (name, who) in [("a", 1), ("b", 2), ("c", 3)] {
        assert!(trial.ask(name, &asks(who, 50)));
    }
    assert_eq!(trial.serve(), "a");
    assert!(trial.ask("d", &asks(4, 51)));
    assert_eq!(trial.serve(), "d");
    assert_eq!(trial.finish("a"), "b");
    assert_eq!(trial.finish("d"), "");
    assert_eq!(trial.finish("b"), "c");
}

#[test]
fn who_asks_in_many_apps_has_no_more_calls_waiting() {
    let mut trial = Trial::new(Limits { per_caller: 1, waiting: 2, ..LIMITS });
    let asks = |app: u8| caller(Class::AdHoc, 1, 1).in_app(&Id::fixed(app));
    assert!(trial.ask("a", &asks(50)));
    assert_eq!(trial.serve(), "a");
    assert!(trial.ask("b", &asks(51)));
    assert!(trial.ask("c", &asks(52)));
    assert!(!trial.ask("d", &asks(53)));
}
