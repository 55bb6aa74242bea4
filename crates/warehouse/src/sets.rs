//! Where a set of people becomes their number: once for sets that are joined here, and once for those that
//! the store joins.

use roaring::RoaringBitmap;

/// How many people the set has.
pub(crate) fn people_in(set: &RoaringBitmap) -> u64 {
    set.len()
}

/// How many people are in the sets of a group together, in a statement that groups rows with a state of
/// `groupBitmap`.
pub(crate) fn people_in_group(state: &str) -> String {
    numbers_in_group(state)
}

/// How many numbers, whoever has them.
pub(crate) fn numbers_in_group(state: &str) -> String {
    format!("toUInt64(groupBitmapMerge({state}))")
}
