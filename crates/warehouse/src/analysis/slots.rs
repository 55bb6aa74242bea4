//! Buckets of time.

use super::Range;
use crate::statement::Statement;

/// Consecutive buckets: the Unix time at which each starts, and at which the last one ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    pub starts: Vec<u64>,
    pub end: u64,
}

impl Slots {
    /// A range as one bucket; None if it does not begin and end with a second.
    pub(super) fn one((from, to): Range) -> Option<Self> {
        let seconds = |ms: i64| u64::try_from(ms / 1_000).ok().filter(|_| ms % 1_000 == 0);
        Some(Self { starts: vec![seconds(from)?], end: seconds(to)? })
    }

    /// Only the bucket at an index.
    pub fn only(&self, place: usize) -> Option<Self> {
        let start = *self.starts.get(place)?;
        let end = self.starts.get(place + 1).copied().unwrap_or(self.end);
        Some(Self { starts: vec![start], end })
    }

    pub(super) fn range(&self) -> Range {
        let from = self.starts.first().copied().unwrap_or(self.end);
        let ms = |seconds: u64| i64::try_from(seconds).unwrap_or(i64::MAX / 1_000) * 1_000;
        (ms(from), ms(self.end))
    }

    /// An expression for the start of the bucket of an event with a `time` in the range. Searching a list for
    /// each event takes longer, so it is done only where buckets are of many lengths.
    pub(super) fn slot(&self, this: &mut Statement) -> String {
        let runs = runs(&self.starts);
        let Some((last, others)) = runs.split_last().filter(|_| runs.len() <= RUNS_MAX) else {
            let starts = this.bind("Array(UInt32)", self.starts.clone().into());
            return format!("toUInt32(roundDown(toUnixTimestamp(time), {starts}))");
        };
        let cases: Vec<String> = others
            .iter()
            .zip(&runs[1..])
            .map(|(run, next)| format!("toUnixTimestamp(time) < {}, {}, ", next.start, run.slot()))
            .collect();
        match cases.is_empty() {
            true => format!("toUInt32({})", last.slot()),
            false => format!("toUInt32(multiIf({}{}))", cases.concat(), last.slot()),
        }
    }

    /// The same with everything earlier as a bucket of its own, the first.
    pub(super) fn with_before(&self) -> Self {
        Self { starts: [&[0], self.starts.as_slice()].concat(), end: self.end }
    }

    /// The index of the bucket that starts at a Unix time.
    pub(super) fn place(&self, start: u32) -> Option<usize> {
        self.starts.binary_search(&u64::from(start)).ok()
    }
}

/// Days of three summers and winters, say.
const RUNS_MAX: usize = 4;

/// Buckets of the same length, apart from the last of them.
struct Run {
    start: u64,
    length: u64,
    count: u64,
}

impl Run {
    fn slot(&self) -> String {
        let Self { start, length, count } = self;
        match count {
            1 => start.to_string(),
            _ => format!(
                "{start} + least(intDiv(toUInt32(toUnixTimestamp(time) - {start}), {length}), {}) \
                 * {length}",
                count - 1
            ),
        }
    }
}

fn runs(starts: &[u64]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (place, start) in starts.iter().enumerate() {
        let length = starts.get(place + 1).map_or(0, |next| next - start);
        match runs.last_mut() {
            Some(run) if run.start + run.count * run.length == *start => run.count += 1,
            _ => runs.push(Run { start: *start, length, count: 1 }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::owners::Whose;

    #[test]
    fn buckets_of_the_same_length_are_calculated() {
        let of = |starts: &[u64]| {
            let mut this = Statement::of(uuid::Uuid::nil(), false, Whose::AsSent);
            Slots { starts: starts.to_vec(), end: 100 }.slot(&mut this)
        };
        let place = |start, count| {
            let since = format!("toUInt32(toUnixTimestamp(time) - {start})");
            format!("{start} + least(intDiv({since}, 10), {count}) * 10")
        };
        assert_eq!(of(&[5]), "toUInt32(5)");
        assert_eq!(of(&[0, 10, 20]), format!("toUInt32({})", place(0, 2)));
        // An hour more in the third.
        assert_eq!(
            of(&[0, 10, 20, 31, 41]),
            format!(
                "toUInt32(multiIf(toUnixTimestamp(time) < 31, {}, {}))",
                place(0, 2),
                place(31, 1)
            )
        );
        assert!(of(&[0, 31, 59, 90, 120, 151, 181, 212, 243, 273]).contains("roundDown"));
    }
}
