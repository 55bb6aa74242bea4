//! Events, page views, sessions, persons and devices of some apps, by pieces of time.

use roaring::RoaringBitmap;
use uuid::Uuid;

use crate::binary::Rows;
use crate::client::Warehouse;
use crate::error::Error;
use crate::identities::literals;
use crate::pieces::{
    FOUR_HOURS, Form, HALF_HOUR, HOUR, Piece, QUARTER, between, statement, stretches,
};
use crate::shelf::{Cells, Content, Grid};
use crate::versions::Versions;

/// The tables, and how long their pieces are. The days of most zones are made of whole hours,
/// and of all but three of half hours.
const TABLES: [Form; 4] = [
    Form::by_time("totals_4h", FOUR_HOURS),
    Form::by_time_of_day("totals_1h", HOUR),
    Form::by_time_of_day("totals_30m", HALF_HOUR),
    Form::by_time("totals_15m", QUARTER),
];

#[derive(Clone, Debug, Default)]
pub(crate) struct Total {
    pub events: u64,
    pub page_views: u64,
    /// Sessions that began.
    pub starts: u64,
    pub people: RoaringBitmap,
    pub machines: RoaringBitmap,
}

impl Content for Total {
    fn bytes(&self) -> usize {
        self.people.serialized_size() + self.machines.serialized_size()
    }
}

impl Warehouse {
    pub(crate) async fn totals(
        &self,
        apps: &[Uuid],
        cuts: &[u32],
        versions: &Versions,
    ) -> Result<Grid<Total>, Error> {
        self.totals_of(apps, pieces_of(cuts), versions).await
    }

    pub(crate) async fn totals_of(
        &self,
        apps: &[Uuid],
        pieces: Vec<Piece>,
        versions: &Versions,
    ) -> Result<Grid<Total>, Error> {
        let read = async |pieces: &[Piece]| {
            let (sums, people) =
                (sums(apps, pieces), statement(&TABLES, "people, machines", apps, pieces));
            let (sums, people) = tokio::try_join!(self.binary(&sums), self.binary(&people))?;
            let (apps, pieces) = (apps.to_vec(), pieces.to_vec());
            off_the_runtime(move || put_together(&apps, &pieces, &sums, &people)).await
        };
        self.shelves().totals.grid(apps, pieces, versions, read).await
    }
}

pub(crate) fn pieces_of(cuts: &[u32]) -> Vec<Piece> {
    between(cuts, TABLES.map(|form| form.length))
}

/// For what keeps a core busy for some milliseconds: those who send events must not wait for it.
pub(crate) async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::Unavailable(error.to_string())))
}

/// Quarters of an hour: numbers are small and many, and put together here in no time.
fn sums(apps: &[Uuid], pieces: &[Piece]) -> String {
    let (apps, stretches) = (literals(apps.iter().copied()), stretches(pieces));
    let within = format!("app_id IN ({apps}) AND {stretches}");
    format!(
        "SELECT app_id, toUnixTimestamp(bucket), events, page_views, toUInt64(0) \
         FROM totals_15m WHERE {within} \
         UNION ALL SELECT app_id, toUnixTimestamp(bucket), 0, 0, toUInt64(starts) \
         FROM session_starts FINAL WHERE {within}"
    )
}

/// A piece may have several rows: those of late events, until the engine has joined them.
fn put_together(
    apps: &[Uuid],
    pieces: &[Piece],
    sums: &[u8],
    people: &[u8],
) -> Result<Vec<Vec<Total>>, Error> {
    let mut cells: Cells<Total> = Cells::new(apps, pieces);
    let mut rows = Rows::new(sums);
    while !rows.is_at_end() {
        let (app, at) = (rows.uuid()?, rows.u32()?);
        let (events, page_views, starts) = (rows.u64()?, rows.u64()?, rows.u64()?);
        if let Some(total) = cells.at(app, at) {
            total.events += events;
            total.page_views += page_views;
            total.starts += starts;
        }
    }
    let mut rows = Rows::new(people);
    while !rows.is_at_end() {
        let (app, at) = (rows.uuid()?, rows.u32()?);
        let (people, machines) = (rows.bitmap()?, rows.bitmap()?);
        if let Some(total) = cells.at(app, at) {
            total.people |= people;
            total.machines |= machines;
        }
    }
    Ok(cells.contents)
}
