//! What the instance reports about itself: to the console before anyone signs in, and to operators and
//! monitoring.

pub mod doctor;
pub mod envs;
mod fleet_doctor;
pub mod health;
pub mod healthcheck;
mod mail_doctor;
pub mod other_servers;
mod sso_doctor;
mod store_doctor;
