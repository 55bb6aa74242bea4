//! Reading the audit log: the pages of organizations and apps, and their export. What is in it is
//! written by `audit`.

pub mod export;
pub mod handlers;
mod reading;
pub mod refusals;
mod texts;
