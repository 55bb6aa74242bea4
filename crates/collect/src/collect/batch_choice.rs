//! Chooses the groups of a batch. Every app has an equal share, so that a fresh message of one app is in
//! the very next batch, whatever the others have sent. A group larger than a share waits for its turn:
//! each batch takes one of these, from the app served longest ago. Remaining room is then filled up.

use std::collections::VecDeque;

use uuid::Uuid;

use super::batch_cost::Cost;
use super::record::{self, Record};
use super::spool::{FORMAT, Group};

/// What a batch may take.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub messages: u64,
    pub cost: u64,
}

impl Room {
    fn holds(&self, used: Self) -> bool {
        used.messages <= self.messages && used.cost <= self.cost
    }

    fn plus(self, other: Self) -> Self {
        Self { messages: self.messages + other.messages, cost: self.cost + other.cost }
    }
}

/// What is waiting for one app.
struct Queue {
    groups: VecDeque<Group>,
    cost: Cost,
    used: Room,
    /// The records of the next group, and the room they need.
    next: Option<(Vec<Record>, Room)>,
}

impl Queue {
    /// The room the next group needs. None at the end, and at an unreadable group.
    fn look(&mut self) -> Option<Room> {
        if self.next.is_none() {
            let group = self.groups.front()?;
            let mut records = Vec::new();
            if group.format != FORMAT || record::decode(&group.data, &mut records).is_err() {
                return None;
            }
            let before = self.cost.total();
            self.cost.add(&records, &group.data);
            let room = Room {
                messages: u64::try_from(group.messages).unwrap_or(0).max(1),
                cost: self.cost.total() - before,
            };
            self.next = Some((records, room));
        }
        self.next.as_ref().map(|(_, room)| *room)
    }
}

pub struct Choice {
    queues: Vec<Queue>,
    room: Room,
    used: Room,
}

impl Choice {
    /// `groups` must be in the order of the apps' turns.
    pub fn new(seed: u64, groups: Vec<Group>, room: Room) -> Self {
        let mut queues = Vec::<(Uuid, Queue)>::new();
        for group in groups {
            if queues.last().is_none_or(|(app, _)| *app != group.app) {
                let used = Room { messages: 0, cost: 0 };
                let (groups, cost) = (VecDeque::new(), Cost::new(seed));
                queues.push((group.app, Queue { groups, cost, used, next: None }));
            }
            if let Some((_, queue)) = queues.last_mut() {
                queue.groups.push_back(group);
            }
        }
        let queues = queues.into_iter().map(|(_, queue)| queue).collect();
        Self { queues, room, used: Room { messages: 0, cost: 0 } }
    }

    /// Passes on the chosen groups; returning false ends an app's part of the batch.
    pub fn each(mut self, mut take: impl FnMut(Group, Vec<Record>) -> bool) -> Vec<Group> {
        let apps = self.queues.len().max(1) as u64;
        let share = Room { messages: self.room.messages / apps, cost: self.room.cost / apps };
        for place in 0..self.queues.len() {
            self.fill(place, |queue, _, next| share.holds(queue.plus(next)), &mut take);
        }
        let heavy = (0..self.queues.len()).find(|place| {
            self.queues[*place].used.messages == 0 && self.queues[*place].look().is_some()
        });
        if let Some(place) = heavy {
            self.fill(place, |queue, _, _| queue.messages == 0, &mut take);
        }
        let room = self.room;
        for place in 0..self.queues.len() {
            self.fill(place, |_, all, next| room.holds(all.plus(next)), &mut take);
        }
        // Unreadable groups at the head of apps from which nothing was taken.
        let stuck = self.queues.into_iter().filter(|it| it.used.messages == 0 && it.next.is_none());
        stuck.filter_map(|mut queue| queue.groups.pop_front()).collect()
    }

    /// Takes an app's groups while they fit, given what the app and all apps have used so far and what
    /// the next group adds.
    fn fill(
        &mut self,
        place: usize,
        fits: impl Fn(Room, Room, Room) -> bool,
        take: &mut impl FnMut(Group, Vec<Record>) -> bool,
    ) {
        let queue = &mut self.queues[place];
        while let Some(next) = queue.look() {
            if !fits(queue.used, self.used, next) {
                return;
            }
            let (Some((records, _)), Some(group)) = (queue.next.take(), queue.groups.pop_front())
            else {
                return;
            };
            if !take(group, records) {
                queue.groups.clear();
                return;
            }
            queue.used = queue.used.plus(next);
            self.used = self.used.plus(next);
        }
    }
}
