//! A stretch of time cut into the longest pieces that counts are kept for: whole days in its middle,
//! half hours towards its ends, quarters of an hour where those do not fit.

/// Pieces of one length, by the Unix time of their start: all from the first up to the second.
type Run = (u32, u32);

/// The pieces of each length, from the longest to the shortest, of which each must be a multiple of
/// the next and the last fit every cut. No piece lies across a cut.
pub(crate) fn pieces<const N: usize>(cuts: &[u32], lengths: [u32; N]) -> [Vec<Run>; N] {
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

/// In order, and those that touch as one.
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

/// Few runs are compared, many are looked up.
const COMPARED: usize = 8;

/// The rows of a table that start a piece of these runs, as a condition; None if there are none.
pub(crate) fn condition(runs: &[Run], length: u32) -> Option<String> {
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

    const DAY: u32 = 86_400;
    const LENGTHS: [u32; 3] = [DAY, 1_800, 900];

    #[test]
    fn a_range_is_days_in_its_middle() {
        // From 16:15 on the first day to 00:30 on the fourth.
        let (from, to) = (16 * 3_600 + 900, 3 * DAY + 1_800);
        let [days, halves, quarters] = pieces(&[from, to], LENGTHS);
        assert_eq!(days, [(DAY, 3 * DAY)]);
        assert_eq!(halves, [(from + 900, DAY), (3 * DAY, to)]);
        assert_eq!(quarters, [(from, from + 900)]);
    }

    #[test]
    fn a_short_range_has_no_long_pieces() {
        let [days, halves, quarters] = pieces(&[900, 2_700], LENGTHS);
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
            for (runs, length) in pieces(&cuts, lengths).iter().zip(lengths) {
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
    fn many_runs_are_a_list() {
        assert_eq!(condition(&[], 900), None);
        assert_eq!(condition(&[(0, 900)], 900).unwrap(), "((bucket >= 0 AND bucket < 900))");
        let many: Vec<Run> = (0..9).map(|n| (n * 3_600, n * 3_600 + 1_800)).collect();
        assert!(condition(&many, 900).unwrap().starts_with("(bucket IN (0, 900, 3600, 4500, "));
    }
}
