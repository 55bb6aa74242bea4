//! Decides which values are counted separately. Each field of an app has a number of places. A value
//! keeps its place while it is used: until the day after it was last seen, or for a week if it was seen
//! on more than one day. So a flood at the start of a day finds the app's own names already in place.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use sha2::{Digest as _, Sha256};

use super::{Limit, Limits};

/// How many days after it was last seen a value keeps its place.
const ONCE_SEEN_DAYS: i32 = 1;
const OFTEN_SEEN_DAYS: i32 = 7;
/// After this many days a row is of no use in any time zone.
pub const KEPT_DAYS: i32 = OFTEN_SEEN_DAYS + 2;
/// Longer values are hashed each time instead of being remembered.
const REMEMBERED_MAX: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Event,
    Os,
    Browser,
    DeviceType,
    Language,
    Property,
    Page,
    Site,
}

impl Field {
    const ALL: [Self; 8] = [
        Self::Event,
        Self::Os,
        Self::Browser,
        Self::DeviceType,
        Self::Language,
        Self::Property,
        Self::Page,
        Self::Site,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Os => "os",
            Self::Browser => "browser",
            Self::DeviceType => "device_type",
            Self::Language => "language",
            Self::Property => "property",
            Self::Page => "page",
            Self::Site => "site",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.as_str() == text)
    }

    fn limit(self) -> Limit {
        match self {
            Self::Event => Limit::EventNames,
            Self::Property => Limit::PropertyNames,
            Self::Page | Self::Site => Limit::Pages,
            _ => Limit::FieldValues,
        }
    }
}

/// Half of a SHA-256: senders must not be able to produce two values with the same digest.
pub type Digest = [u8; 16];

pub fn digest(value: &[u8]) -> Digest {
    let whole = Sha256::digest(value);
    let mut half = Digest::default();
    half.copy_from_slice(&whole[..16]);
    half
}

/// The first and the last day on which a value was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub first: i32,
    pub last: i32,
}

impl Span {
    fn holds_on(self, day: i32) -> bool {
        let days = if self.last > self.first { OFTEN_SEEN_DAYS } else { ONCE_SEEN_DAYS };
        day.saturating_sub(self.last) <= days
    }
}

/// A place as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub field: Field,
    pub value: Digest,
    pub span: Span,
}

/// The places of one app.
#[derive(Default)]
pub struct Places {
    /// Days only move forward: late messages are judged as of the latest day.
    day: i32,
    fields: [OfField; Field::ALL.len()],
}

#[derive(Default)]
struct OfField {
    taken: HashMap<Digest, Span>,
    /// Values that have a place and were seen today.
    today: HashSet<Box<[u8]>, RandomState>,
    unsaved: Vec<Digest>,
    /// Whether a value recently found no place.
    is_full: bool,
}

impl Places {
    /// Starts a day: messages of this day follow. Expired places are freed.
    pub fn begin(&mut self, day: i32) {
        if day <= self.day {
            return;
        }
        self.day = day;
        for field in &mut self.fields {
            field.taken.retain(|_, span| span.holds_on(day));
            field.today.clear();
            field.is_full = false;
        }
    }

    /// Adds stored places, whether saved by this instance or another.
    pub fn learn(&mut self, places: Vec<Place>) {
        let day = self.day;
        for Place { field, value, span } in places.into_iter().filter(|it| it.span.holds_on(day)) {
            let known = self.fields[field as usize].taken.entry(value).or_insert(span);
            known.first = known.first.min(span.first);
            known.last = known.last.max(span.last);
        }
        for field in &mut self.fields {
            field.is_full = false;
        }
    }

    /// Whether a value has a place. Gives it one if there is room.
    pub fn admit(&mut self, field: Field, value: &[u8], limits: &Limits) -> bool {
        let (limit, day) = (limits.of(field.limit()), self.day);
        self.fields[field as usize].admit(value, limit, day)
    }

    pub fn is_full(&self) -> bool {
        self.fields.iter().any(|field| field.is_full)
    }

    pub fn len(&self) -> usize {
        self.fields.iter().map(|field| field.taken.len()).sum()
    }

    pub fn unsaved(&self) -> Vec<Place> {
        let mut places = Vec::new();
        for (field, own) in Field::ALL.into_iter().zip(&self.fields) {
            let spans = own.unsaved.iter().filter_map(|value| Some((value, own.taken.get(value)?)));
            places.extend(spans.map(|(value, span)| Place { field, value: *value, span: *span }));
        }
        places
    }

    pub fn saved(&mut self) {
        self.fields.iter_mut().for_each(|field| field.unsaved.clear());
    }
}

impl OfField {
    fn admit(&mut self, value: &[u8], limit: usize, day: i32) -> bool {
        if self.today.contains(value) {
            return true;
        }
        // Every holder of a place was already seen today, so an unknown value cannot be one: no need to
        // hash it.
        if self.taken.len() >= limit && self.today.len() == self.taken.len() {
            self.is_full = true;
            return false;
        }
        let value_digest = digest(value);
        let room = self.taken.len() < limit;
        match self.taken.get_mut(&value_digest) {
            Some(span) if span.last >= day => {}
            Some(span) => {
                span.last = day;
                self.unsaved.push(value_digest);
            }
            None if room => {
                self.taken.insert(value_digest, Span { first: day, last: day });
                self.unsaved.push(value_digest);
            }
            None => {
                self.is_full = true;
                return false;
            }
        }
        if value.len() <= REMEMBERED_MAX {
            self.today.insert(value.into());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { event_names: 3, property_names: 2, field_values: 1, pages: 1 };

    fn on(day: i32) -> Places {
        let mut places = Places::default();
        places.begin(day);
        places
    }

    fn admitted(places: &mut Places, field: Field, values: &[&str]) -> Vec<bool> {
        values.iter().map(|value| places.admit(field, value.as_bytes(), &LIMITS)).collect()
    }

    fn events(places: &mut Places, values: &[&str]) -> Vec<bool> {
        admitted(places, Field::Event, values)
    }

    #[test]
    fn each_field_has_places_of_its_own() {
        let mut places = on(100);
        assert_eq!(
            events(&mut places, &["a", "b", "a", "c", "d", "a"]),
            [true, true, true, true, false, true]
        );
        assert_eq!(admitted(&mut places, Field::Os, &["a", "b"]), [true, false]);
        assert_eq!(admitted(&mut places, Field::Browser, &["a", "b"]), [true, false]);
        assert_eq!(admitted(&mut places, Field::Property, &["a", "b", "c"]), [true, true, false]);
        assert!(places.is_full());
        assert_eq!(places.len(), 7);
    }

    #[test]
    fn yesterdays_values_keep_their_places_in_a_flood() {
        let mut places = on(100);
        events(&mut places, &["home", "order"]);
        places.begin(101);
        let flood = ["x1", "x2", "x3", "x4"];
        assert_eq!(events(&mut places, &flood), [true, false, false, false]);
        assert_eq!(events(&mut places, &["home", "order", "x1", "x2"]), [true, true, true, false]);
    }

    #[test]
    fn places_that_nobody_uses_are_free_again() {
        let mut places = on(100);
        events(&mut places, &["x1", "x2", "x3"]);
        places.begin(101);
        assert_eq!(events(&mut places, &["new"]), [false], "held for the day after");
        places.begin(102);
        assert_eq!(events(&mut places, &["new", "x1"]), [true, true], "there is room for both");
    }

    #[test]
    fn what_was_seen_on_several_days_outlives_a_weekend() {
        let mut places = on(100);
        events(&mut places, &["home"]);
        places.begin(101);
        events(&mut places, &["home"]);
        places.begin(101 + OFTEN_SEEN_DAYS);
        assert_eq!(events(&mut places, &["x1", "x2", "x3", "home"]), [true, true, false, true]);
        places.begin(101 + 2 * OFTEN_SEEN_DAYS + 1);
        assert_eq!(events(&mut places, &["y1", "y2", "y3", "home"]), [true, true, true, false]);
    }

    #[test]
    fn what_comes_late_is_judged_as_of_the_latest_day() {
        let mut places = on(100);
        events(&mut places, &["a"]);
        places.begin(99);
        assert_eq!(events(&mut places, &["b", "c", "d"]), [true, true, false]);
        let days: Vec<i32> = places.unsaved().iter().map(|place| place.span.last).collect();
        assert_eq!(days, [100, 100, 100]);
    }

    #[test]
    fn what_is_stored_is_as_good_as_what_is_remembered() {
        let mut places = on(100);
        let long = "n".repeat(REMEMBERED_MAX + 1);
        events(&mut places, &["a", "b", &long]);
        let stored = places.unsaved();
        places.saved();
        assert!(places.unsaved().is_empty());
        let mut again = Places::default();
        again.begin(101);
        again.learn(stored);
        assert_eq!(events(&mut again, &["x", "b", "a", &long]), [false, true, true, true]);
        // Each is written once a day.
        assert_eq!(events(&mut again, &["b", "a", &long]), [true, true, true]);
        assert_eq!(again.unsaved().len(), 3);
        assert!(again.unsaved().iter().all(|place| place.span == Span { first: 100, last: 101 }));
    }

    #[test]
    fn another_instances_places_count_too() {
        let mut places = on(100);
        events(&mut places, &["a", "b"]);
        let span = Span { first: 100, last: 100 };
        places.learn(vec![Place { field: Field::Event, value: digest(b"c"), span }]);
        assert_eq!(events(&mut places, &["d", "c"]), [false, true]);
    }

    #[test]
    fn a_lower_limit_takes_nobodys_place() {
        let mut places = on(100);
        events(&mut places, &["a", "b", "c"]);
        let lower = Limits { event_names: 1, ..LIMITS };
        assert!(places.admit(Field::Event, b"c", &lower));
        assert!(!places.admit(Field::Event, b"d", &lower));
    }
}
