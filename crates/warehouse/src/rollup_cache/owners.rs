//! The owners of an app's devices, for `owners`.

use std::sync::Arc;

use roaring::RoaringBitmap;
use uuid::Uuid;

use super::by_app::{AsOf, Weighs};
use crate::versions::Versions;

/// The devices of one app.
#[derive(Clone, Default)]
pub(crate) struct Owners {
    /// The versions this was read at; None before anything was read.
    pub as_of: Option<AsOf>,
    /// The devices that have an owner.
    devices: RoaringBitmap,
    /// The owner's number, indexed by the device's; 0 if there is none.
    owners: Vec<u32>,
    highest: u32,
}

impl Weighs for Arc<Owners> {
    fn bytes(&self) -> usize {
        self.owners.capacity() * size_of::<u32>() + self.devices.serialized_size()
    }
}

impl Owners {
    pub fn stale_from(&self, app: Uuid, versions: &Versions) -> Option<u32> {
        AsOf::stale_from(self.as_of.as_ref(), app, versions)
    }

    pub fn note(&mut self, device: u32, owner: u32) {
        let index = usize::try_from(device).unwrap_or(usize::MAX);
        if index >= self.owners.len() {
            self.owners.resize(index + 1, 0);
        }
        self.owners[index] = owner;
        self.devices.insert(device);
        self.highest = self.highest.max(owner);
    }

    pub fn owner_of(&self, device: u32) -> Option<u32> {
        let owner = self.owners.get(usize::try_from(device).ok()?).copied();
        owner.filter(|owner| *owner > 0)
    }

    /// How many distinct people these numbers stand for.
    pub fn people(&self, numbers: &RoaringBitmap) -> u64 {
        let owned = numbers & &self.devices;
        if owned.is_empty() {
            return numbers.len();
        }
        // Users and devices are numbered in one sequence, so no owner is also an owned device.
        numbers.len() - owned.len() + self.owners_of(&owned).difference_len(numbers)
    }

    /// The people that these numbers stand for.
    pub fn resolve(&self, numbers: RoaringBitmap) -> RoaringBitmap {
        let owned = &numbers & &self.devices;
        if owned.is_empty() {
            return numbers;
        }
        (numbers - &owned) | self.owners_of(&owned)
    }

    fn owners_of(&self, owned: &RoaringBitmap) -> RoaringBitmap {
        let owners =
            owned.iter().map(|device| self.owners.get(device as usize).copied().unwrap_or(0));
        // A bit for each possible owner: adding them to a bitmap one by one takes ten times as long, but
        // clearing all bits takes longer than adding a few.
        if owned.len() < u64::from(self.highest) / 1_024 {
            return owners.collect();
        }
        let mut bits = vec![0_u8; usize::try_from(self.highest / 8).unwrap_or(0) + 1];
        owners.for_each(|owner| bits[(owner / 8) as usize] |= 1 << (owner % 8));
        RoaringBitmap::from_lsb0_bytes(0, &bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_counts_as_its_owner() {
        let mut owners = Owners::default();
        // Two devices of one person, one of another, and one that changed hands.
        for (device, owner) in [(1, 10), (2, 10), (3, 70_000), (4, 10), (4, 11)] {
            owners.note(device, owner);
        }
        let people = |numbers: &[u32]| {
            let numbers: RoaringBitmap = numbers.iter().copied().collect();
            assert_eq!(owners.resolve(numbers.clone()).len(), owners.people(&numbers));
            owners.people(&numbers)
        };
        assert_eq!(people(&[]), 0);
        assert_eq!(people(&[5, 6]), 2);
        assert_eq!(people(&[1, 2]), 1);
        assert_eq!(people(&[1, 2, 10]), 1);
        assert_eq!(people(&[1, 2, 3, 4, 5]), 4);
        assert_eq!(people(&[1, 3, 70_000, 11, 4]), 3);
        let resolved = owners.resolve([1, 2, 5].into_iter().collect());
        assert_eq!(resolved.iter().collect::<Vec<_>>(), [5, 10]);

        // Many more than a few, out of all numbers.
        let mut owners = Owners::default();
        (0..1_000).for_each(|device| owners.note(device, 1_000 + device / 2));
        let resolved = owners.resolve((0..1_000).collect());
        assert_eq!(resolved, (1_000..1_500).collect());
    }
}
