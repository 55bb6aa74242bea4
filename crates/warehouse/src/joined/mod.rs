//! Large apps: the store joins their sets of people and answers with counts, which take little memory
//! here however many people an app has. What the store holds at once is bounded too: for an app with
//! many people, each statement asks for few sets. docs/decisions/0038-large-apps.md says why.

mod first_seen;
mod names;
mod spans;
mod totals;

pub(crate) use names::NameGroup;
pub(crate) use totals::JoinedCounts;

use crate::app_size::AppSize;

/// How many bytes of sets a statement may hold while it joins them.
const SETS_MAX: u64 = 256 << 20;

impl AppSize {
    /// How many answers, of this many sets each, one statement asks for. The store holds each set twice:
    /// joined from the rows of one table, and from all tables.
    fn at_once(self, sets: u64) -> usize {
        let bytes = u64::from(self.people) / 8 + 1;
        usize::try_from(SETS_MAX / (2 * sets * bytes)).unwrap_or(usize::MAX).max(1)
    }
}

fn list(numbers: impl IntoIterator<Item = u32>) -> String {
    let numbers: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    format!("[{}]", numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn of_more_people_less_is_asked_at_once() {
        let at_once = |people| AppSize { id: Uuid::nil(), people }.at_once(2);
        assert!(at_once(0) > 10_000);
        // Ninety days of a million, fifty of ten million, and one set at a time of everybody on earth.
        assert!(at_once(1_000_000) > 90);
        assert!((50..60).contains(&at_once(10_000_000)));
        assert_eq!(at_once(u32::MAX), 1);
    }
}
