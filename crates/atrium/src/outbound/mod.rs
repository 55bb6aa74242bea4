//! What leaves for other parties.

pub mod guard;
pub mod mail;
pub mod web;
