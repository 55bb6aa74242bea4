//! Collects in memory how many rows questions read for the properties they are about.

use std::collections::HashMap;

use parking_lot::Mutex;
use warehouse::{PROPERTY_DEPTH_MAX, Property};

use atrium_core::types::Id;

/// How many properties are collected between two writes; further ones go unrecorded.
const GATHERED_MAX: usize = 5_000;
/// The same limit for one app, so that no app crowds out the others.
const OF_APP_MAX: usize = 100;

pub type Path = Vec<String>;
type Uses = HashMap<(Id, Path), f64>;

#[derive(Default)]
pub struct GatheredUses(Mutex<Uses>);

impl GatheredUses {
    /// Records that rows were read for a question about these properties.
    pub fn note(&self, app_id: &Id, properties: &[Property], rows: u64) {
        let mut gathered = self.0.lock();
        for property in properties {
            let Property::Path(path) = property else { continue };
            if path.is_empty() || path.len() > PROPERTY_DEPTH_MAX {
                continue;
            }
            let key = (app_id.clone(), path.clone());
            let has_room = || {
                let of_app = gathered.keys().filter(|(app, _)| app == app_id).count();
                gathered.len() < GATHERED_MAX && of_app < OF_APP_MAX
            };
            if gathered.contains_key(&key) || has_room() {
                *gathered.entry(key).or_default() += rows as f64;
            }
        }
    }

    /// The uses since the last call, sorted so that all writers use the same order.
    pub fn take(&self) -> Vec<((Id, Path), f64)> {
        let mut uses: Vec<_> = std::mem::take(&mut *self.0.lock()).into_iter().collect();
        uses.sort_by(|(a, _), (b, _)| (a.0.as_str(), &a.1).cmp(&(b.0.as_str(), &b.1)));
        uses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_app_does_not_keep_out_the_others() {
        let uses = GatheredUses::default();
        let id = |text: &str| Id::parse(text).unwrap();
        let (noisy, quiet) = (
            id("0192f0c4-5cb3-71e7-907b-a6006ad3dba0"),
            id("0192f0c4-5cb3-71e7-907b-a6006ad3dba1"),
        );
        for number in 0..OF_APP_MAX + 10 {
            uses.note(&noisy, &[Property::Path(vec![number.to_string()])], 1);
        }
        uses.note(&noisy, &[Property::Path(vec!["0".to_owned()])], 5);
        let deep = Property::Path(vec!["a".to_owned(); PROPERTY_DEPTH_MAX + 1]);
        uses.note(&quiet, &[Property::Path(vec!["plan".to_owned()]), deep], 7);
        let taken = uses.take();
        assert_eq!(taken.len(), OF_APP_MAX + 1);
        assert_eq!(taken[0], ((noisy, vec!["0".to_owned()]), 6.0));
        assert_eq!(taken[OF_APP_MAX], ((quiet, vec!["plan".to_owned()]), 7.0));
        assert!(uses.take().is_empty());
    }
}
