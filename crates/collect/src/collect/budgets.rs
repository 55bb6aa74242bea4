//! What one app may send through this instance in a minute. A page that runs wild cannot fill the disk
//! for everyone, and a stranger with the app's public key cannot use up what its own servers need
//! (docs/decisions/0024).
//!
//! Signed and unsigned messages have separate budgets. Unsigned messages are also counted by address, and
//! rejected ones have a budget of their own, so that junk only hurts its sender.

use std::collections::HashMap;
use std::net::IpAddr;

use parking_lot::{Mutex, MutexGuard};
use uuid::Uuid;

use atrium_core::config::BudgetLimits;
use atrium_core::types::Millis;

/// Addresses remembered per minute, some 10 MB.
const ADDRESSES_MAX: usize = 100_000;

/// The share of a limit that one address may use.
fn share(limits: BudgetLimits, limit: u64) -> u64 {
    (limit.saturating_mul(limits.address_percent) / 100).max(1)
}

#[derive(Default)]
struct AppUse {
    unsigned: u64,
    signed: u64,
    rejected: u64,
}

#[derive(Clone, Copy, Default)]
struct AddressUse {
    accepted: u64,
    rejected: u64,
}

#[derive(Default)]
struct Minute {
    number: i64,
    apps: HashMap<Uuid, AppUse>,
    /// What an address sent to an app; with None as the app, what it sent to all apps.
    addresses: HashMap<(Option<Uuid>, IpAddr), AddressUse>,
}

/// Seconds until the next minute begins.
type Wait = u64;

pub struct Budgets {
    limits: BudgetLimits,
    minute: Mutex<Minute>,
}

impl Budgets {
    pub fn new(limits: BudgetLimits) -> Self {
        Self { limits, minute: Mutex::default() }
    }

    /// Whether an address may send at all. Checked before anything of its request is read.
    pub fn check_address(&self, network: IpAddr, now: Millis) -> Result<(), Wait> {
        let minute = self.at(now);
        let used = minute.addresses.get(&(None, network)).map_or(0, |used| used.rejected);
        if over(used, self.limits.rejected) { Err(wait(now)) } else { Ok(()) }
    }

    /// Whether an address may send unsigned messages to an app. Checked before they are read. It may not
    /// once its rejected messages have used up its share. Once the rejected messages of all addresses
    /// have used up the app's budget, only addresses without any are let through.
    pub fn check_sender(&self, app: Uuid, network: IpAddr, now: Millis) -> Result<(), Wait> {
        let (limit, minute) = (self.limits.rejected, self.at(now));
        let own = minute.addresses.get(&(Some(app), network)).map_or(0, |used| used.rejected);
        let all = minute.apps.get(&app).map_or(0, |used| used.rejected);
        let too_many = over(own, share(self.limits, limit)) || (own > 0 && over(all, limit));
        if limit > 0 && too_many { Err(wait(now)) } else { Ok(()) }
    }

    /// Counts an unsigned request: its rejected messages always, the others only if there is room for all
    /// of them.
    pub fn charge_unsigned(
        &self,
        app: Uuid,
        network: IpAddr,
        accepted: u64,
        rejected: u64,
        now: Millis,
    ) -> Result<(), Wait> {
        let limits = self.limits;
        let mut minute = self.at(now);
        if rejected > 0 && limits.rejected > 0 {
            minute.apps.entry(app).or_default().rejected += rejected;
            minute.address(Some(app), network).rejected += rejected;
            minute.address(None, network).rejected += rejected;
        }
        if accepted == 0 || limits.messages == 0 {
            return Ok(());
        }
        let all = minute.apps.get(&app).map_or(0, |used| used.unsigned);
        let own = minute.address(Some(app), network).accepted;
        let fits =
            all + accepted <= limits.messages && own + accepted <= share(limits, limits.messages);
        if !fits {
            return Err(wait(now));
        }
        minute.apps.entry(app).or_default().unsigned += accepted;
        minute.address(Some(app), network).accepted += accepted;
        Ok(())
    }

    /// Counts a signed request, whatever happened to its messages.
    pub fn charge_signed(&self, app: Uuid, messages: u64, now: Millis) -> Result<(), Wait> {
        if self.limits.messages == 0 {
            return Ok(());
        }
        let mut minute = self.at(now);
        let used = &mut minute.apps.entry(app).or_default().signed;
        if *used + messages > self.limits.messages {
            return Err(wait(now));
        }
        *used += messages;
        Ok(())
    }

    /// The counts of the minute that contains `now`.
    fn at(&self, now: Millis) -> MutexGuard<'_, Minute> {
        let number = now.0.div_euclid(Millis::MINUTE);
        let mut minute = self.minute.lock();
        // Two requests at the turn of a minute may arrive in the wrong order.
        if minute.number != number && minute.number != number + 1 {
            *minute = Minute { number, ..Default::default() };
        }
        minute
    }
}

impl Minute {
    fn address(&mut self, app: Option<Uuid>, network: IpAddr) -> &mut AddressUse {
        let key = (app, network);
        if self.addresses.len() >= ADDRESSES_MAX && !self.addresses.contains_key(&key) {
            self.forget_least();
        }
        self.addresses.entry(key).or_default()
    }

    /// Makes room by forgetting the addresses that sent least. They lose least by it, and an attacker
    /// with many addresses cannot push out the one that floods.
    fn forget_least(&mut self) {
        let mut least = 1;
        while self.addresses.len() > ADDRESSES_MAX / 2 {
            self.addresses.retain(|_, used| used.accepted + used.rejected > least);
            least *= 2;
        }
    }
}

fn over(used: u64, limit: u64) -> bool {
    limit > 0 && used >= limit
}

fn wait(now: Millis) -> Wait {
    let left = Millis::MINUTE - now.0.rem_euclid(Millis::MINUTE);
    left.unsigned_abs().div_ceil(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: Uuid = Uuid::from_u128(1);
    const OTHER_APP: Uuid = Uuid::from_u128(2);
    const NOW: Millis = Millis(30_000);

    fn address(number: u32) -> IpAddr {
        IpAddr::V4(number.into())
    }

    fn budgets(messages: u64, rejected: u64, address_percent: u64) -> Budgets {
        Budgets::new(BudgetLimits { messages, rejected, address_percent })
    }

    #[test]
    fn each_app_has_its_own_minute() {
        let budgets = budgets(10, 10, 100);
        let take = |app, count, now| budgets.charge_unsigned(app, address(1), count, 0, now);
        assert_eq!(take(APP, 10, NOW), Ok(()));
        assert_eq!(take(APP, 1, NOW), Err(30));
        assert_eq!(take(OTHER_APP, 10, NOW), Ok(()));
        assert_eq!(take(APP, 1, NOW.plus(30_000)), Ok(()));
    }

    #[test]
    fn unsigned_messages_cannot_use_up_what_signed_ones_have() {
        let budgets = budgets(100, 100, 100);
        assert_eq!(budgets.charge_unsigned(APP, address(1), 100, 0, NOW), Ok(()));
        assert!(budgets.charge_unsigned(APP, address(2), 1, 0, NOW).is_err());
        assert_eq!(budgets.charge_signed(APP, 100, NOW), Ok(()));
        assert_eq!(budgets.charge_signed(APP, 1, NOW), Err(30));
    }

    #[test]
    fn one_address_has_its_share_and_leaves_the_rest_to_others() {
        let budgets = budgets(100, 100, 25);
        assert_eq!(budgets.charge_unsigned(APP, address(1), 25, 0, NOW), Ok(()));
        assert!(budgets.charge_unsigned(APP, address(1), 1, 0, NOW).is_err());
        for other in 2..=4 {
            assert_eq!(budgets.charge_unsigned(APP, address(other), 25, 0, NOW), Ok(()));
        }
        assert!(budgets.charge_unsigned(APP, address(5), 1, 0, NOW).is_err(), "the app's is used");
    }

    #[test]
    fn rejected_messages_cost_nobody_elses_accepted_ones() {
        let budgets = budgets(100, 1_000, 25);
        for sender in 0..500 {
            assert_eq!(budgets.charge_unsigned(APP, address(sender), 0, 100, NOW), Ok(()));
        }
        assert_eq!(budgets.charge_unsigned(APP, address(9_999), 25, 0, NOW), Ok(()));
        assert_eq!(budgets.charge_signed(APP, 100, NOW), Ok(()));
    }

    #[test]
    fn whoever_sends_rubbish_is_refused_and_only_they() {
        let budgets = budgets(100, 1_000, 25);
        assert_eq!(budgets.charge_unsigned(APP, address(1), 0, 250, NOW), Ok(()));
        assert_eq!(budgets.check_sender(APP, address(1), NOW), Err(30));
        assert_eq!(budgets.check_sender(APP, address(2), NOW), Ok(()));
        assert_eq!(budgets.check_sender(OTHER_APP, address(1), NOW), Ok(()), "another app's");
        // Many addresses with few messages each use up the app's budget; then a single rejected message
        // is too many.
        for sender in 10..110 {
            budgets.charge_unsigned(APP, address(sender), 0, 10, NOW).unwrap();
        }
        assert!(budgets.check_sender(APP, address(10), NOW).is_err());
        assert_eq!(budgets.check_sender(APP, address(2), NOW), Ok(()), "clean");
        // Across all apps, an address is refused before its request is read.
        assert_eq!(budgets.check_address(address(1), NOW), Ok(()));
        budgets.charge_unsigned(OTHER_APP, address(1), 0, 750, NOW).unwrap();
        assert_eq!(budgets.check_address(address(1), NOW), Err(30));
        assert_eq!(budgets.check_address(address(2), NOW), Ok(()));
        // The next minute is a new one, and no straggler of this one brings it back.
        let next = NOW.plus(30_000);
        assert_eq!(budgets.check_sender(APP, address(1), next), Ok(()));
        assert_eq!(budgets.charge_unsigned(APP, address(1), 0, 250, next), Ok(()));
        assert_eq!(budgets.check_sender(APP, address(2), NOW), Ok(()));
        assert!(budgets.check_sender(APP, address(1), next).is_err());
    }

    #[test]
    fn without_limits_everything_passes() {
        let budgets = budgets(0, 0, 25);
        let most = u64::MAX;
        for _ in 0..2 {
            assert_eq!(budgets.charge_unsigned(APP, address(1), most, most, NOW), Ok(()));
            assert_eq!(budgets.charge_signed(APP, most, NOW), Ok(()));
        }
        assert_eq!(budgets.check_sender(APP, address(1), NOW), Ok(()));
        assert_eq!(budgets.check_address(address(1), NOW), Ok(()));
    }

    #[test]
    fn many_addresses_cannot_push_out_the_one_that_floods() {
        let budgets = budgets(1_000_000, 1_000_000, 10);
        budgets.charge_unsigned(APP, address(0), 0, 100_000, NOW).unwrap();
        for sender in 1..=u32::try_from(ADDRESSES_MAX).unwrap() * 2 {
            budgets.charge_unsigned(APP, address(sender), 1, 0, NOW).unwrap();
        }
        assert!(budgets.check_sender(APP, address(0), NOW).is_err());
        assert!(budgets.minute.lock().addresses.len() <= ADDRESSES_MAX);
    }
}
