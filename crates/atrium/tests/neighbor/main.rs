//! The noisy neighbor: an app and its query key do their worst, and another team notices nothing. In a binary
//! of its own because it measures: nothing else may run at the same time.
//!
//! Thirty seconds of attack here, sixty with `LONG_TESTS=1`.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod attack;
mod instance;
mod victim;

use std::sync::LazyLock;
use std::time::Duration;

use attack::Attack;
use instance::Instance;
use support::Store;
use victim::Victim;

/// The limits that everyone else is promised.
const VISIBLE_WITHIN: Duration = Duration::from_secs(5);
const SLOWER_AT_MOST: f64 = 2.0;

/// The two sizes run one after the other, because each one measures.
static ALONE: LazyLock<tokio::sync::Mutex<()>> = LazyLock::new(tokio::sync::Mutex::default);

async fn nobody_else_notices(store: Store) {
    let _alone = ALONE.lock().await;
    let long = std::env::var_os("LONG_TESTS").is_some();
    let lasting = Duration::from_secs(if long { 60 } else { 30 });
    let instance = Instance::start(store).await;
    let mut victim = Victim::of(&instance).await;
    victim.fill().await;
    let quiet = victim.watch(Duration::from_secs(15)).await;
    let attack = Attack::start(&instance).await;
    let attacked = victim.watch(lasting).await;
    let done = attack.stop().await;
    println!("{store:?}: quiet {quiet:?}, attacked {attacked:?}, by {done:?}");
    assert!(done.accepted > 10_000 && done.explored > 10, "an attack worth the name: {done:?}");
    assert!(attacked.visible_max <= VISIBLE_WITHIN, "events became visible late: {attacked:?}");
    assert_eq!(attacked.refused, 0, "the neighbor was refused: {attacked:?}");
    let ratio = attacked.dashboard.as_secs_f64() / quiet.dashboard.as_secs_f64();
    assert!(ratio <= SLOWER_AT_MOST, "the dashboard took {ratio:.1} times its quiet time");
    victim.counts_exactly().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_one_machine() {
    nobody_else_notices(Store::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_the_network() {
    nobody_else_notices(Store::Postgres).await;
}
