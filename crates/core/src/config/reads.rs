//! How queries share the warehouse.

use std::time::Duration;

use anyhow::ensure;

use super::RawSettings;
use crate::fair_queue::{FairQueue, Limits};

const SLOTS: usize = 6;
/// What the embedded store's own limit leaves room for.
const SLOTS_MAX: usize = 64;
const WAITING: usize = 8;
const WAIT_SECONDS: u64 = 10;
/// About twenty queries on an app with a few million events a month.
const COLUMN_AFTER_ROWS: u64 = 50_000_000;
/// A request is cut off after 30 s whatever it waits for.
const WAIT_SECONDS_MAX: u64 = 25;

#[derive(Clone, Copy, Debug)]
pub struct ReadSettings {
    pub limits: Limits,
    pub longest_wait: Duration,
    /// A property gets a column once queries on it have read this many rows; 0 for never.
    pub column_after_rows: u64,
}

impl ReadSettings {
    pub fn queue(&self) -> FairQueue {
        FairQueue::new(self.limits, self.longest_wait)
    }
}

pub fn check(raw: &RawSettings) -> anyhow::Result<ReadSettings> {
    let slots = raw.read_slots.unwrap_or(SLOTS);
    ensure!((2..=SLOTS_MAX).contains(&slots), "read_slots: {slots} is not between 2 and 64");
    let share = (slots * 2).div_ceil(3);
    let per_org = raw.read_slots_per_organization.unwrap_or(share);
    ensure!(
        (1..=slots).contains(&per_org),
        "read_slots_per_organization: {per_org} is not between 1 and read_slots"
    );
    let per_app = raw.read_slots_per_app.unwrap_or(per_org);
    ensure!(
        (1..=per_org).contains(&per_app),
        "read_slots_per_app: {per_app} is not between 1 and read_slots_per_organization"
    );
    let per_caller = raw.read_slots_per_caller.unwrap_or(per_org);
    ensure!(
        (1..=per_org).contains(&per_caller),
        "read_slots_per_caller: {per_caller} is not between 1 and read_slots_per_organization"
    );
    let waiting = raw.read_queue.unwrap_or(WAITING);
    ensure!((1..=1_000).contains(&waiting), "read_queue: {waiting} is not between 1 and 1000");
    let seconds = raw.read_wait_seconds.unwrap_or(WAIT_SECONDS);
    ensure!(
        (1..=WAIT_SECONDS_MAX).contains(&seconds),
        "read_wait_seconds: {seconds} is not between 1 and {WAIT_SECONDS_MAX}"
    );
    let limits = Limits { slots, per_org, per_app, per_caller, waiting };
    let column_after_rows = raw.column_after_rows.unwrap_or(COLUMN_AFTER_ROWS);
    Ok(ReadSettings { limits, longest_wait: Duration::from_secs(seconds), column_after_rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_the_number_of_slots_and_fit_into_each_other() {
        let limits = |raw: RawSettings| check(&raw).map(|it| it.limits);
        let usual = limits(RawSettings::default()).unwrap();
        assert_eq!((usual.slots, usual.per_org, usual.per_caller, usual.waiting), (6, 4, 4, 8));
        let few = RawSettings { read_slots: Some(2), ..Default::default() };
        assert_eq!(limits(few).unwrap().per_org, 2);
        let wide = RawSettings { read_slots_per_organization: Some(7), ..Default::default() };
        assert!(limits(wide).unwrap_err().to_string().contains("read_slots_per_organization"));
        let app = RawSettings { read_slots_per_app: Some(5), ..Default::default() };
        assert!(limits(app).unwrap_err().to_string().contains("read_slots_per_app"));
        let caller = RawSettings { read_slots_per_caller: Some(5), ..Default::default() };
        assert!(limits(caller).unwrap_err().to_string().contains("read_slots_per_caller"));
        let patient = RawSettings { read_wait_seconds: Some(60), ..Default::default() };
        assert!(limits(patient).is_err());
    }
}
