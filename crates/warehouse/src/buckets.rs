//! Cuts a range of time into the longest buckets that counts are kept for: whole days in its middle,
//! hours toward its ends, quarters of an hour where those do not fit.

use std::collections::BTreeSet;

use uuid::Uuid;

use crate::params::literals;

pub(crate) const QUARTER: u32 = 900;
pub(crate) const HALF_HOUR: u32 = 2 * QUARTER;
pub(crate) const HOUR: u32 = 4 * QUARTER;
pub(crate) const FOUR_HOURS: u32 = 4 * HOUR;
pub(crate) const DAY: u32 = 24 * HOUR;
pub(crate) const WEEK: u32 = 7 * DAY;

/// Consecutive buckets of one length, by the Unix times of their starts: from the first, up to but
/// without the second.
type Run = (u32, u32);

/// A span of time that counts are kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Bucket {
    pub start: u32,
    pub length: u32,
}

impl Bucket {
    pub fn end(self) -> u32 {
        self.start + self.length
    }
}

/// All buckets between the cuts, ordered by time.
pub(crate) fn between<const N: usize>(cuts: &[u32], lengths: [u32; N]) -> Vec<Bucket> {
    let runs = buckets(cuts, lengths).into_iter().zip(lengths);
    let mut all: Vec<Bucket> = runs
        .flat_map(|(runs, length)| {
            let step = usize::try_from(length).unwrap_or(1);
            let starts = runs.into_iter().flat_map(move |(start, end)| (start..end).step_by(step));
            starts.map(move |start| Bucket { start, length })
        })
        .collect();
    all.sort_unstable();
    all
}

/// The index of the bucket that contains a moment; the buckets are ordered by time.
pub(crate) fn holder(buckets: &[Bucket], at: u32) -> Option<usize> {
    let index = buckets.partition_point(|bucket| bucket.start <= at).checked_sub(1)?;
    (at < buckets[index].end()).then_some(index)
}

/// A table of counts, and how long its buckets are.
#[derive(Clone, Copy)]
pub(crate) struct RollupTable {
    table: &'static str,
    pub length: u32,
    /// Whether its rows are sorted by time of day, so that the same hours of many days are stored
    /// together.
    by_time_of_day: bool,
}

impl RollupTable {
    pub const fn by_time(table: &'static str, length: u32) -> Self {
        Self { table, length, by_time_of_day: false }
    }

    pub const fn by_time_of_day(table: &'static str, length: u32) -> Self {
        Self { table, length, by_time_of_day: true }
    }

    /// A condition for its rows of these buckets; None if there are none.
    fn rows_of(&self, buckets: &[Bucket]) -> Option<String> {
        let condition = rows_of(buckets, self.length)?;
        if !self.by_time_of_day {
            return Some(condition);
        }
        let own = buckets.iter().filter(|bucket| bucket.length == self.length);
        Some(format!("{} AND {condition}", times_of_day(own.map(|bucket| bucket.start))))
    }
}

/// A statement that reads the counts of these apps and buckets, each by app and start. A table that is
/// not fully counted yet (`is_counted`) is replaced by the last one, of the quarters of an hour; a
/// bucket then has the rows of all the quarters in it.
pub(crate) fn statement(
    tables: &[RollupTable; 4],
    is_counted: impl Fn(&str) -> bool,
    columns: &str,
    apps: &[Uuid],
    buckets: &[Bucket],
) -> String {
    let apps = literals(apps.iter().copied());
    let select = |(table, condition): (&str, String)| {
        format!(
            "SELECT app_id, toUnixTimestamp(bucket), {columns} FROM {table} \
             WHERE app_id IN ({apps}) AND {condition}"
        )
    };
    let selects: Vec<String> =
        rows_about(tables, is_counted, buckets).into_iter().map(select).collect();
    selects.join(" UNION ALL ")
}

/// The tables to read for the buckets, each with a condition for its rows.
pub(crate) fn rows_about(
    tables: &[RollupTable; 4],
    is_counted: impl Fn(&str) -> bool,
    buckets: &[Bucket],
) -> Vec<(&'static str, String)> {
    let rows = tables.iter().filter_map(|table| {
        let condition = table.rows_of(buckets)?;
        Some(match is_counted(table.table) {
            true => (table.table, condition),
            false => (tables[3].table, quarters_of(buckets, table.length)),
        })
    });
    rows.collect()
}

/// A condition for the rows of these buckets in a table of this length; None if there are none.
fn rows_of(buckets: &[Bucket], length: u32) -> Option<String> {
    let own = buckets.iter().filter(|bucket| bucket.length == length);
    condition(&joined(own.map(|bucket| (bucket.start, bucket.end())).collect()), length)
}

/// A condition for the quarters of an hour within the buckets of this length.
fn quarters_of(buckets: &[Bucket], length: u32) -> String {
    let own = buckets.iter().filter(|bucket| bucket.length == length);
    let runs = joined(own.map(|bucket| (bucket.start, bucket.end())).collect());
    condition(&runs, QUARTER).unwrap_or_else(|| "0".to_owned())
}

/// A condition for the quarters of an hour within the buckets. Where there are many separate stretches
/// the gaps between them are read too, except for times of day that no bucket covers.
pub(crate) fn stretches(buckets: &[Bucket]) -> String {
    let stretches = joined(buckets.iter().map(|bucket| (bucket.start, bucket.end())).collect());
    if stretches.len() <= COMPARED {
        return condition(&stretches, QUARTER).unwrap_or_else(|| "0".to_owned());
    }
    let (from, to) = (stretches[0].0, stretches[stretches.len() - 1].1);
    let quarters = |bucket: &Bucket| (bucket.start..bucket.end()).step_by(QUARTER as usize);
    let times = times_of_day(buckets.iter().flat_map(quarters));
    format!("(bucket >= {from} AND bucket < {to} AND {times})")
}

/// A condition for rows that start at the same times of day as these moments.
fn times_of_day(moments: impl Iterator<Item = u32>) -> String {
    let times: BTreeSet<u32> = moments.map(|moment| moment % DAY).collect();
    let times: Vec<String> = times.iter().map(ToString::to_string).collect();
    format!("toUnixTimestamp(bucket) % {DAY} IN ({})", times.join(", "))
}

/// The buckets of each length, from the longest to the shortest. Each length must be a multiple of the
/// next, and the last must fit every cut. No bucket crosses a cut.
fn buckets<const N: usize>(cuts: &[u32], lengths: [u32; N]) -> [Vec<Run>; N] {
    let mut runs = [const { Vec::new() }; N];
    for pair in cuts.windows(2) {
        split(pair[0], pair[1], &lengths, &mut runs);
    }
    runs.map(joined)
}

fn split(from: u32, to: u32, lengths: &[u32], runs: &mut [Vec<Run>]) {
    let ([length, shorter @ ..], [run, rest @ ..]) = (lengths, runs) else { return };
    let (start, end) = (from.next_multiple_of(*length), to / length * length);
    if from >= to {
        return;
    }
    if start >= end {
        return split(from, to, shorter, rest);
    }
    run.push((start, end));
    split(from, start, shorter, rest);
    split(end, to, shorter, rest);
}

/// Sorts runs and merges those that touch.
fn joined(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_unstable();
    let mut joined: Vec<Run> = Vec::new();
    for (start, end) in runs {
        match joined.last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// Up to this many runs are compared as ranges; more are looked up in a list.
const COMPARED: usize = 8;

/// A condition for the rows of a table that start a bucket of these runs; None if there are none.
fn condition(runs: &[Run], length: u32) -> Option<String> {
    if runs.is_empty() {
        return None;
    }
    let texts: Vec<String> = if runs.len() <= COMPARED {
        runs.iter().map(|(start, end)| format!("(bucket >= {start} AND bucket < {end})")).collect()
    } else {
        let starts = runs
            .iter()
            .flat_map(|(start, end)| (*start..*end).step_by(usize::try_from(length).unwrap_or(1)));
        vec![format!(
            "bucket IN ({})",
            starts.map(|it| it.to_string()).collect::<Vec<_>>().join(", ")
        )]
    };
    Some(format!("({})", texts.join(" OR ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: [u32; 3] = [DAY, 1_800, 900];

    #[test]
    fn a_range_is_days_in_its_middle() {
        // From 16:15 on the first day to 00:30 on the fourth.
        let (from, to) = (16 * 3_600 + 900, 3 * DAY + 1_800);
        let [days, halves, quarters] = buckets(&[from, to], LENGTHS);
        assert_eq!(days, [(DAY, 3 * DAY)]);
        assert_eq!(halves, [(from + 900, DAY), (3 * DAY, to)]);
        assert_eq!(quarters, [(from, from + 900)]);
    }

    #[test]
    fn a_short_range_has_no_long_pieces() {
        let [days, halves, quarters] = buckets(&[900, 2_700], LENGTHS);
        assert_eq!((days.len(), halves.len()), (0, 0));
        assert_eq!(quarters, [(900, 2_700)]);
    }

    #[test]
    fn pieces_cover_every_bucket_once_and_cross_no_cut() {
        let mut seed = 7_u64;
        let mut dice = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..500 {
            let mut cuts = vec![u32::try_from(dice(200)).unwrap() * 900];
            for _ in 0..=dice(6) {
                cuts.push(cuts[cuts.len() - 1] + u32::try_from(1 + dice(300)).unwrap() * 900);
            }
            let lengths = [14_400, 1_800, 900];
            let mut covered: Vec<(u32, u32)> = Vec::new();
            for (runs, length) in buckets(&cuts, lengths).iter().zip(lengths) {
                for (start, end) in runs {
                    covered.extend((*start..*end).step_by(length as usize).map(|at| (at, length)));
                }
            }
            covered.sort_unstable();
            let mut at = cuts[0];
            for (start, length) in covered {
                assert_eq!(start, at);
                let bucket = |at: u32| cuts.iter().rposition(|cut| *cut <= at);
                assert_eq!(
                    bucket(start),
                    bucket(start + length - 900),
                    "{cuts:?} {start} {length}"
                );
                at += length;
            }
            assert_eq!(at, cuts[cuts.len() - 1]);
        }
    }

    #[test]
    fn a_moment_lies_in_one_piece_or_none() {
        let all = between(&[0, 2_700], [1_800, 900]);
        let [half, quarter] =
            [(0, 1_800), (1_800, 900)].map(|(start, length)| Bucket { start, length });
        assert_eq!(all, [half, quarter]);
        let found = [0, 1_799, 1_800, 2_699, 2_700].map(|at| holder(&all, at));
        assert_eq!(found, [Some(0), Some(0), Some(1), Some(1), None]);
        assert_eq!(holder(&all[1..], 900), None);
        assert_eq!(rows_of(&all, 900).unwrap(), "((bucket >= 1800 AND bucket < 2700))");
        assert_eq!(rows_of(&all, 14_400), None);
    }

    #[test]
    fn rows_by_the_time_of_day_are_looked_up_by_it() {
        let all: Vec<Bucket> =
            (0..2).map(|day| Bucket { start: day * DAY + HOUR, length: HOUR }).collect();
        let condition = RollupTable::by_time_of_day("t", HOUR).rows_of(&all).unwrap();
        let by_time = RollupTable::by_time("t", HOUR).rows_of(&all).unwrap();
        assert_eq!(condition, format!("toUnixTimestamp(bucket) % 86400 IN (3600) AND {by_time}"));
        assert_eq!(RollupTable::by_time_of_day("t", DAY).rows_of(&all), None);
    }

    #[test]
    fn quarters_take_the_place_of_what_is_not_counted_through() {
        let tables = [("w", WEEK), ("d", DAY), ("h", HOUR), ("q", QUARTER)]
            .map(|(table, length)| RollupTable::by_time(table, length));
        let buckets = between(&[DAY - HOUR, 2 * DAY + QUARTER], tables.map(|it| it.length));
        let sql = |is_counted: fn(&str) -> bool| {
            statement(&tables, is_counted, "n", &[Uuid::nil()], &buckets)
        };
        let of = |table: &str, from: u32, to: u32| {
            let app = Uuid::nil();
            format!(
                "SELECT app_id, toUnixTimestamp(bucket), n FROM {table} WHERE app_id IN ('{app}') \
                 AND ((bucket >= {from} AND bucket < {to}))"
            )
        };
        let (day, last) = (of("d", DAY, 2 * DAY), of("q", 2 * DAY, 2 * DAY + QUARTER));
        let hour = of("h", DAY - HOUR, DAY);
        assert_eq!(sql(|_| true), [&*day, &*hour, &*last].join(" UNION ALL "));
        let quarters = of("q", DAY - HOUR, DAY);
        assert_eq!(sql(|table| table != "h"), [&*day, &*quarters, &*last].join(" UNION ALL "));
    }

    #[test]
    fn of_many_stretches_the_times_of_day_are_looked_up() {
        let bucket = |start| Bucket { start, length: 1_800 };
        let few = stretches(&[bucket(0), bucket(1_800), bucket(7_200)]);
        assert_eq!(few, "((bucket >= 0 AND bucket < 3600) OR (bucket >= 7200 AND bucket < 9000))");
        let many: Vec<Bucket> = (0..9).map(|day| bucket(day * DAY + HOUR)).collect();
        let expected = "(bucket >= 3600 AND bucket < 696600 AND \
                        toUnixTimestamp(bucket) % 86400 IN (3600, 4500))";
        assert_eq!(stretches(&many), expected);
        assert_eq!(stretches(&[]), "0");
    }

    #[test]
    fn many_runs_are_a_list() {
        assert_eq!(condition(&[], 900), None);
        assert_eq!(condition(&[(0, 900)], 900).unwrap(), "((bucket >= 0 AND bucket < 900))");
        let many: Vec<Run> = (0..9).map(|n| (n * 3_600, n * 3_600 + 1_800)).collect();
        assert!(condition(&many, 900).unwrap().starts_with("(bucket IN (0, 900, 3600, 4500, "));
    }
}
