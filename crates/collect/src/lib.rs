//! Taking events in: receive, authenticate, validate, spool, load into the warehouse; and erasing them.

pub mod collect;
pub mod erasures;
pub mod personal;

pub use collect::state::{Collecting, Wake};
