//! What the instance says about itself: to the console before anyone signs in, and to whoever
//! watches over it.

pub mod doctor;
pub mod envs;
pub mod health;
pub mod healthcheck;
pub mod other_servers;
pub mod sso_doctor;
