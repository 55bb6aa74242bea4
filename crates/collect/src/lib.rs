//! Taking events in: receive, authenticate, validate, spool, load into the warehouse; and erasing them.

pub mod collect;
pub mod erasures;
pub mod personal;
mod state;

pub use state::{Collecting, Wake};
