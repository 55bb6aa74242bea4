//! Bins as a person would choose them.

use super::answer::SpreadBin;

/// Edges for how often a person did something.
pub const TIMES: &[f64] = &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 11.0, 21.0, 51.0, 101.0];

/// About how many bins a numeric property gets.
const NUMBERS: f64 = 10.0;

/// Edges for the number of days on which a person did something, out of `count`.
pub fn days(count: usize) -> Vec<f64> {
    const MANY: &[f64] = &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 15.0, 22.0, 31.0, 61.0, 91.0];
    match count {
        0..=14 => (1..=count.max(1)).map(|day| day as f64).collect(),
        _ => MANY.iter().copied().filter(|edge| *edge <= count as f64).collect(),
    }
}

/// Edges from the smallest to the largest value, in steps of 1, 2 or 5 times a power of ten.
pub fn numbers(least: f64, most: f64) -> Vec<f64> {
    let width = (most - least) / NUMBERS;
    if !width.is_finite() || width <= 0.0 {
        return vec![least];
    }
    let power = 10_f64.powf(width.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|it| it * power).find(|step| *step >= width);
    let step = step.unwrap_or(10.0 * power);
    let first = (least / step).floor();
    let count = ((most / step).floor() - first) as usize;
    // Multiplied instead of added up: ten times 0.1 is not 1 when added.
    (0..=count.min(20)).map(|place| rounded((first + place as f64) * step, step)).collect()
}

/// Removes the digits that come from binary arithmetic.
fn rounded(number: f64, step: f64) -> f64 {
    let digits = (-step.log10().floor()).max(0.0) as usize;
    format!("{number:.digits$}").parse().unwrap_or(number)
}

/// Edges for the time to convert, in seconds.
const SPREAD: &[i64] = &[
    0, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 172_800, 259_200,
    604_800, 1_209_600, 2_592_000, 5_184_000, 7_776_001,
];

/// How many people took how long, from the fastest to the slowest.
pub fn spread(durations_ms: &[i64]) -> Vec<SpreadBin> {
    let bin = |edges: &[i64]| {
        let within = |ms: &&i64| (edges[0] * 1_000..edges[1] * 1_000).contains(*ms);
        let people = durations_ms.iter().filter(within).count() as u64;
        SpreadBin { from_seconds: edges[0], to_seconds: edges[1], people }
    };
    let mut bins: Vec<SpreadBin> = SPREAD.windows(2).map(bin).collect();
    let last = bins.iter().rposition(|bin| bin.people > 0).map_or(0, |place| place + 1);
    bins.truncate(last);
    let first = bins.iter().position(|bin| bin.people > 0).unwrap_or(0);
    bins.drain(..first);
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fall_into_round_ranges() {
        assert_eq!(numbers(0.0, 100.0), (0..=10).map(|n| f64::from(n) * 10.0).collect::<Vec<_>>());
        assert_eq!(numbers(3.0, 3.0), [3.0]);
        assert_eq!(numbers(-1.0, 0.05).first(), Some(&-1.0));
        assert_eq!(numbers(0.0, 0.95)[3], 0.3);
        for (least, most) in [(1.0, 2.0), (-7.5, 1e9), (0.001, 0.002), (1e300, 1.7e308)] {
            let edges = numbers(least, most);
            assert!(edges[0] <= least && edges.len() <= 21, "{least} {most} {edges:?}");
            assert!(edges.windows(2).all(|pair| pair[0] < pair[1]), "{edges:?}");
        }
    }

    #[test]
    fn a_spread_begins_and_ends_with_somebody() {
        let bins = spread(&[0, 4_999, 5_000, 61_000]);
        assert_eq!(bins[0], SpreadBin { from_seconds: 0, to_seconds: 5, people: 2 });
        assert_eq!(bins.iter().map(|bin| bin.people).sum::<u64>(), 4);
        assert_eq!(bins.last().unwrap().to_seconds, 120);
        assert!(spread(&[]).is_empty());
        // Ninety days are the longest window.
        assert_eq!(spread(&[7_776_000_000]).len(), 1);
    }

    #[test]
    fn days_are_told_one_by_one_where_there_are_few() {
        assert_eq!(days(0), [1.0]);
        assert_eq!(days(3), [1.0, 2.0, 3.0]);
        assert_eq!(days(30).last(), Some(&22.0));
    }
}
