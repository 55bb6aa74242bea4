//! Random choices that leave no choice out.

use std::collections::BTreeMap;
use std::panic::Location;

use crate::support::Dice;

/// At each place in a test, every choice comes once, in random order, before any of them comes again. So a few
/// dozen questions cover what would take hundreds with dice.
pub struct Deck {
    pub dice: Dice,
    /// The choices that are still to come, by the place that asks and how many choices it has.
    left: BTreeMap<(&'static Location<'static>, u64), Vec<u64>>,
}

impl Deck {
    pub fn new(seed: u64) -> Self {
        Self { dice: Dice(seed), left: BTreeMap::new() }
    }

    /// The place is the line that calls this.
    #[track_caller]
    pub fn below(&mut self, limit: u64) -> u64 {
        let left = self.left.entry((Location::caller(), limit)).or_default();
        if left.is_empty() {
            *left = (0..limit).collect();
        }
        left.swap_remove(self.dice.below(left.len() as u64) as usize)
    }
}

#[test]
fn no_choice_comes_again_before_all_of_them_came() {
    let mut deck = Deck::new(7);
    let dealt: Vec<[u64; 2]> = (0..12).map(|_| [deck.below(4), deck.below(3)]).collect();
    for (at, few) in dealt.chunks(4).enumerate() {
        let mut few: Vec<u64> = few.iter().map(|it| it[0]).collect();
        few.sort_unstable();
        assert_eq!(few, [0, 1, 2, 3], "{at}");
    }
    for few in dealt.chunks(3) {
        assert_eq!(few.iter().map(|it| it[1]).sum::<u64>(), 3, "{few:?}");
    }
}
