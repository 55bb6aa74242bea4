//! How events are selected: by name, by fields and properties, and by person.

use std::sync::Arc;

use roaring::RoaringBitmap;

use crate::rows::Kind;

/// What a filter or a grouping looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    Column(Column),
    /// A property name, followed by one name for each nested level.
    Path(Vec<String>),
}

/// What a question is broken down by.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupBy {
    Event(Property),
    /// The value under a path in the profile of the event's user, or of its device.
    Profile(Kind, Vec<String>),
    /// Whether the event's person is in a cohort (`IN_COHORT`, `NOT_IN_COHORT`).
    Cohort(People),
}

/// The group names of people in a cohort and of everyone else.
pub const IN_COHORT: &str = "in";
pub const NOT_IN_COHORT: &str = "out";

/// A field that every event has; empty means not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Os,
    Browser,
    BrowserVersion,
    DeviceType,
    Language,
    UrlPath,
    ClientVersion,
    SdkVersion,
    Source,
    UserId,
    DeviceId,
    /// The site of the page view's `referrer`.
    ReferringSite,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// One of the elements is one of these; numbers compare as numbers.
    Is(Vec<String>),
    Contains(Vec<String>),
    Above(f64),
    AtLeast(f64),
    Below(f64),
    AtMost(f64),
    /// At this moment or later, in milliseconds; a time without a zone is taken to be in UTC.
    Since(i64),
    Before(i64),
    Set,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub property: Property,
    pub test: Test,
    /// Selects events that fail the test.
    pub negated: bool,
}

/// People of an app, by their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct People(pub(crate) Arc<RoaringBitmap>);

impl People {
    pub(crate) fn of(numbers: RoaringBitmap) -> Self {
        Self(Arc::new(numbers))
    }

    pub fn count(&self) -> u64 {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The intersection of both.
    pub fn and(&self, other: &Self) -> Self {
        Self::of(&*self.0 & &*other.0)
    }

    /// The union of both.
    pub fn or(&self, other: &Self) -> Self {
        Self::of(&*self.0 | &*other.0)
    }

    /// The people of this set who are not in the other.
    pub fn without(&self, other: &Self) -> Self {
        Self::of(&*self.0 - &*other.0)
    }
}

/// A combination of tests.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    Test(Filter),
    /// The event's person is one of these.
    Among(People),
    /// The event's device is one of these.
    FromDevice(People),
    /// Holds where the inner condition does not.
    Not(Box<Self>),
    /// Holds for everything if empty.
    All(Vec<Self>),
    /// Holds for nothing if empty.
    Any(Vec<Self>),
}

impl Default for Condition {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

/// Events that count as one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventChoice {
    /// Any, if there is no list; none, if it is empty.
    pub names: Option<Vec<String>>,
    pub condition: Condition,
}
