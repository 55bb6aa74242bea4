//! What leaves for other parties.

pub mod mail;
pub mod web;
