//! Taking events in: receive, authenticate, validate, spool, load into the warehouse; also erasing them.

pub mod collect;
pub mod erasures;
pub mod personal;

pub use collect::state::{Collecting, Wake};
