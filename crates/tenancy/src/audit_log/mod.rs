//! Reading the audit log: the pages of organizations and apps, and their export. `audit` writes the
//! entries.

pub mod export;
pub mod handlers;
mod reading;
pub mod refusals;
mod texts;
