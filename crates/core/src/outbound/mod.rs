//! What leaves for other parties.

pub mod chat;
pub mod guard;
pub mod mail;
pub mod outbox;
pub mod web;
