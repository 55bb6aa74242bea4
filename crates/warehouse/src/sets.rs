//! Turns sets of numbers into numbers of people: in Rust for sets that are joined here, and in SQL for
//! those that the store joins.

use roaring::RoaringBitmap;

use crate::owners::Whose;
use crate::rollup_cache::Owners;

/// How many people the numbers of a set stand for.
pub(crate) fn people_in(set: &RoaringBitmap, owners: &Owners) -> u64 {
    owners.people(set)
}

/// A statement that counts the people in the joined sets `who` of rows with the same `key`, and, if
/// there are any, the devices in their sets `what`. `app` is the app's id as a literal.
pub(crate) fn people_by(
    key: &str,
    rows: &str,
    has_devices: bool,
    whose: Whose,
    app: &str,
) -> String {
    let devices = if has_devices { ", toUInt64(groupBitmapMerge(what)) AS devices" } else { "" };
    if whose == Whose::AsSent {
        return format!(
            "SELECT {key}, toUInt64(groupBitmapMerge(who)){devices} FROM {rows} GROUP BY {key}"
        );
    }
    let (carried, selected) = if has_devices { (", devices", ", any(devices)") } else { ("", "") };
    let numbers = format!(
        "(SELECT {key}{carried}, arrayJoin(bitmapToArray(joined)) AS person_no FROM (\
             SELECT {key}, groupBitmapMergeState(who) AS joined{devices} FROM {rows} GROUP BY {key}))"
    );
    let people = whose.of(app, &format!("{key}{carried}"), &numbers);
    format!("SELECT {key}, toUInt64(groupBitmap(person)){selected} FROM {people} GROUP BY {key}")
}
