//! Passwords from leaks, 620,000 of them, as hashes (scripts/make-common-passwords.mjs).

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// For each 16-bit prefix the number of hashes, then the other 16 bits of every hash.
static LIST: &[u8] = include_bytes!("../../data/common-passwords.bin");
const BUCKETS: usize = 1 << 16;
const STEP: usize = 256;

/// How many hashes come before every 256th bucket: adding them all up each time took longer than the
/// rest of the lookup.
static BEFORE: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let sums = LIST[..BUCKETS].chunks_exact(STEP).map(sum);
    sums.scan(0, |before, sum| Some(std::mem::replace(before, *before + sum))).collect()
});

fn sum(counts: &[u8]) -> usize {
    counts.iter().map(|count| usize::from(*count)).sum()
}

/// Whether a lowercase password is on the list.
pub fn contains(password: &str) -> bool {
    let hash = Sha256::digest(password.as_bytes());
    let bucket = usize::from(u16::from_be_bytes([hash[0], hash[1]]));
    let (counts, rest) = LIST.split_at(BUCKETS);
    let start = BEFORE[bucket / STEP] + sum(&counts[bucket / STEP * STEP..bucket]);
    let hashes = &rest[start * 2..][..usize::from(counts[bucket]) * 2];
    hashes.chunks_exact(2).any(|found| found == &hash[2..4])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaked_passwords_are_known_and_others_are_not() {
        // Includes passwords from the end of the lists, and the file's first and last hash.
        for known in ["password", "12345678", "cerberus", "zxasqw12", "1qaz2wsx3edc", "woaini520"] {
            assert!(contains(known), "{known}");
        }
        let taken = (0..20_000).filter(|n| contains(&format!("nobody chose this {n}"))).count();
        assert!(taken <= 12, "{taken} of 20,000 were taken for known ones");
    }

    #[test]
    fn the_file_is_whole() {
        let (counts, rest) = LIST.split_at(BUCKETS);
        let hashes: usize = counts.iter().map(|count| usize::from(*count)).sum();
        assert_eq!(rest.len(), hashes * 2);
        assert!(hashes > 600_000, "{hashes}");
    }
}
