//! Converts the dates of a request to the moments that the warehouse uses.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::range::{Granularity, Range};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::types::Millis;

const BUCKETS_MAX: usize = 2_000;

/// Dates in a time zone.
pub struct Dates {
    pub range: Range,
    pub zone: TimeZone,
}

impl Dates {
    /// Both dates are included. All faults are reported at once.
    pub fn read(start: &str, end: &str, zone: &str) -> Result<Self> {
        let mut faults = Vec::new();
        let mut date = |field: &'static str, text: &str| {
            let date = text.parse::<Date>().ok();
            if date.is_none() {
                faults.push(Fault::new(Code::BadMoment).on(field));
            }
            date
        };
        let (start, end) = (date("start", start), date("end", end));
        let zone = TimeZone::get(zone).ok();
        if zone.is_none() {
            faults.push(Fault::new(Code::BadTimezone).on("timezone"));
        }
        if let (Some(start), Some(end), Some(zone)) = (start, end, zone) {
            match Range::new(start, end, &zone) {
                Some(range) => return Ok(Self { range, zone }),
                None => faults.push(Fault::new(Code::BadRange).on("end")),
            }
        }
        Err(Error::invalid(faults))
    }

    pub fn days(&self) -> Result<i32> {
        let span = self.range.start.until(self.range.end).map_err(Error::internal)?;
        Ok(span.get_days() + 1)
    }

    /// The starts of the range's buckets, followed by the end of the last one.
    pub fn cuts(&self, granularity: Granularity) -> Result<Vec<Millis>> {
        self.cuts_of(&self.range, granularity)
    }

    /// The same for another range in the same zone.
    pub fn cuts_of(&self, range: &Range, granularity: Granularity) -> Result<Vec<Millis>> {
        let fault = || Fault::new(Code::TooManyBuckets).on("granularity").with("max", BUCKETS_MAX);
        let cuts = range.cuts(granularity, &self.zone, BUCKETS_MAX);
        cuts.ok_or_else(|| Error::invalid(vec![fault()]))
    }
}

/// The date at a moment, in a time zone.
pub fn date_of(at: Millis, zone: &TimeZone) -> Date {
    Timestamp::from_millisecond(at.0).unwrap_or_default().to_zoned(zone.clone()).date()
}

/// Unix time, which the warehouse uses.
pub fn seconds(at: Millis) -> u64 {
    (at.0 / Millis::SECOND).unsigned_abs()
}
