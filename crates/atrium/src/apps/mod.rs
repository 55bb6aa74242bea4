//! Applications: what organisations own and events belong to.

pub mod store;

use crate::types::{Id, Millis};

/// Every new organisation begins with one app of this name.
pub const FIRST_APP_NAME: &str = "Default";

pub struct NewApp {
    pub id: Id,
    pub org_id: Id,
    pub name: String,
    pub region: String,
    pub timezone: String,
    pub created_by: Id,
    pub at: Millis,
}
