//! The queue's metrics. Their handles are kept, because every statement is counted.

use metrics::{Counter, Gauge, Histogram};
use warehouse::Denied;

use super::Class;
use super::schedule::Schedule;

/// Why a statement was refused.
pub const REASONS: [&str; 2] = ["too_many", "too_long"];

pub struct Figures([OfClass; 3]);

pub struct OfClass {
    class: Class,
    pub wait: Histogram,
    running: Gauge,
    waiting: Gauge,
    /// In the order of `REASONS`.
    refused: [Counter; 2],
}

impl Figures {
    pub fn new() -> Self {
        Self(Class::ALL.map(|class| {
            let name = class.as_str();
            OfClass {
                class,
                wait: metrics::histogram!("atrium_read_wait_seconds", "class" => name),
                running: metrics::gauge!("atrium_reads_running", "class" => name),
                waiting: metrics::gauge!("atrium_reads_waiting", "class" => name),
                refused: REASONS.map(|reason| {
                    metrics::counter!("atrium_reads_refused_total", "class" => name, "reason" => reason)
                }),
            }
        }))
    }

    pub fn of(&self, class: Class) -> &OfClass {
        // Variants are in the order of `Class::ALL`.
        &self.0[class as usize]
    }

    pub fn publish(&self, schedule: &Schedule) {
        for figures in &self.0 {
            figures.running.set(schedule.running(figures.class) as f64);
            figures.waiting.set(schedule.waiting(figures.class) as f64);
        }
    }
}

impl OfClass {
    pub fn refused(&self, why: Denied) -> &Counter {
        match why {
            Denied::TooManyWaiting => &self.refused[0],
            Denied::WaitedTooLong => &self.refused[1],
        }
    }
}
