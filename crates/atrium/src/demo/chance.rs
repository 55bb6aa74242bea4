//! Pseudo-random numbers that are the same for the same seed, which makes a demo repeatable.

/// SplitMix64. Good enough for a demo, and fast; never for secrets.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// A separate stream for these numbers, such as one person on one day.
    pub fn of(names: &[u64]) -> Self {
        let mut chance = Self(0);
        for name in names {
            chance.0 ^= name.wrapping_mul(0xd6e8_feb8_6659_fd93);
            chance.0 = chance.next();
        }
        chance
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to 1, excluded.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn odds(&mut self, odds: f64) -> bool {
        self.unit() < odds
    }

    /// A whole number below the end.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// Randomly rounds down or up, so that the sum of many is right on average.
    pub fn round(&mut self, value: f64) -> u64 {
        (value.max(0.0) + self.unit()).floor() as u64
    }

    /// An exponentially distributed waiting time with this mean.
    pub fn wait(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }

    /// One of a list in which each has a weight.
    pub fn weighted<'a, T>(&mut self, list: &'a [(f64, T)]) -> &'a T {
        let mut left = self.unit() * list.iter().map(|(weight, _)| weight).sum::<f64>();
        let found = list.iter().find(|(weight, _)| {
            left -= weight;
            left < 0.0
        });
        &found.unwrap_or(&list[list.len() - 1]).1
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_names_give_the_same_numbers() {
        let draw = |names: &[u64]| {
            let mut chance = Chance::of(names);
            (0..4).map(|_| chance.next()).collect::<Vec<_>>()
        };
        assert_eq!(draw(&[1, 2]), draw(&[1, 2]));
        assert_ne!(draw(&[1, 2]), draw(&[2, 1]));
        assert_ne!(draw(&[1]), draw(&[1, 0]));
    }

    #[test]
    fn draws_are_spread_as_they_say() {
        let mut chance = Chance::of(&[7]);
        let mean = (0..10_000).map(|_| chance.unit()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        let whole = (0..10_000).map(|_| chance.round(0.3)).sum::<u64>();
        assert!((2_700..3_300).contains(&whole), "{whole}");
        let heavy = (0..10_000).filter(|_| *chance.weighted(&[(9.0, true), (1.0, false)])).count();
        assert!((8_800..9_200).contains(&heavy), "{heavy}");
        assert!((0..1_000).all(|_| chance.below(3) < 3));
    }
}
