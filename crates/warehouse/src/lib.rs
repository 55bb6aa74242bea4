//! The warehouse: ClickHouse, embedded or on servers of its own, behind one client.
//! `docs/decisions/0012-event-store.md` says why.
//!
//! `client` talks to either, `embedded` and `engine` are the two ends of the embedded one, `schema`
//! brings the tables up to date, and the other modules are the named questions and changes. Nothing here
//! knows about HTTP handlers or the metadata database.

mod about;
mod address_file;
pub mod analysis;
mod answer;
mod app_size;
mod binary;
mod bounds;
mod breakdowns;
mod buckets;
mod call;
mod catalog;
mod client;
pub mod compatibility;
mod completion;
mod conditions;
mod counting;
mod embedded;
mod engagement;
pub mod engine;
mod erasure;
mod error;
mod events;
mod explore;
mod exported;
mod fences;
mod figures;
mod first_seen;
mod frozen;
mod gate;
mod identities;
mod joined;
mod loading;
mod loads;
mod location;
pub mod over_limit;
mod overall;
mod owners;
mod params;
mod people;
mod person;
mod placement;
mod profiles;
mod properties;
mod property_columns;
mod property_sql;
mod recent;
mod recount;
mod rollup_cache;
mod rows;
mod runtime;
mod schema;
mod schema_state;
mod sessions;
mod set_limits;
mod sets;
pub mod shown;
mod source;
mod spread;
mod statement;
mod totals;
mod transfer;
mod transfer_figures;
mod transfer_shards;
mod transfer_state;
mod upgrade;
mod upkeep;
mod versions;
mod visits;

pub use address_file::running_engine;
pub use answer::RowStream;
pub use call::Insert;
pub use catalog::{EVENT_NAMES_MAX, EventCount, EventMoments, EventName};
pub use client::{ShardHealth, Warehouse};
pub use conditions::{
    Column, Condition, EventChoice, Filter, GroupBy, IN_COHORT, NOT_IN_COHORT, People, Property,
    Test,
};
pub use embedded::State;
pub use engagement::{Activity, Cohort, Days};
pub use error::Error;
pub use explore::{ExploreQuery, Finding, GROUPS_MAX, Group, Key, Measure, ValueCount, Values};
pub use exported::{ExportedTable, View};
pub use figures::{FAILURES as STATEMENT_FAILURES, StatementKind};
pub use frozen::{Frozen, FrozenPart, FrozenTable, RowsOfApps};
pub use gate::{Denied, Gate, Turn};
pub use identities::Identity;
pub use loading::{MutationOf, ReadUpTo};
pub use loads::load_query_id;
pub use location::{Location, addresses};
pub use overall::{BreakdownValue, Counts, Overall};
pub use params::Param;
pub use people::{PeopleQuery, PeopleSearch, PeopleSort, PersonRow, PseudonymKey};
pub use person::{CountOf, EventOf, PersonActivity};
pub use placement::shard_key;
pub use profiles::{MutationRow, PROFILE_READ_MAX, ProfileRow, chunks as chunks_of_ids};
pub use properties::{PropertyKind, PropertyName, PropertyNames, PropertySample};
pub use property_columns::PropertyColumnWork;
pub use property_sql::{PROPERTY_COLUMNS_MAX, PROPERTY_DEPTH_MAX, PropertyColumn};
pub use recent::RecentEvent;
pub use recount::{RecountPart, RecountStep};
pub use rows::{
    CountedFields, EventRow, Kind, LogIdRow, MessageKey, MutationIn, RowInsert, counted_fields,
    counted_values, event_insert, log_id_insert, mutation_insert, subjects, write_event,
    write_log_id, write_mutation, write_person_ids, write_person_ids_over_limit,
};
pub use schema::newest_migration;
pub use schema_state::{Changes, SchemaGuard, Servers};
pub use set_limits::SetLimits;
pub use source::resident_bytes;
pub use transfer::{Day, Partition, Piece, TransferTable};
pub use transfer_figures::{Figure, Figures};
pub use transfer_shards::CountedFrom;
pub use transfer_state::TransferState;
pub use versions::Versions;
