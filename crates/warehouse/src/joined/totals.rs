//! Events, page views, sessions, persons and devices of a large app in spans of time.

use std::sync::Arc;

use super::list;
use super::spans::Spans;
use crate::app_size::AppSize;
use crate::binary::Rows;
use crate::buckets::{Bucket, rows_about};
use crate::client::Warehouse;
use crate::error::Error;
use crate::owners::Whose;
use crate::params::literals;
use crate::rollup_cache::JoinedTotal;
use crate::sets::people_by;
use crate::totals::{TABLES, sums};
use crate::versions::Versions;

/// Persons and devices.
const SETS: u64 = 2;

/// Counts of a whole range, of a part of it, and of its buckets.
pub(crate) struct JoinedCounts {
    pub whole: Arc<JoinedTotal>,
    pub part: Arc<JoinedTotal>,
    pub buckets: Vec<Arc<JoinedTotal>>,
}

impl Warehouse {
    /// Counts of the buckets that start at the cuts, and of the part up to `part_end`, which is no later
    /// than the last cut.
    pub(crate) async fn joined_totals(
        &self,
        app: AppSize,
        cuts: &[u32],
        part_end: u32,
        versions: &Versions,
    ) -> Result<JoinedCounts, Error> {
        let from = cuts[0];
        let span = |start: u32, end: u32| Bucket { start, length: end.saturating_sub(start) };
        let whole = span(from, cuts[cuts.len() - 1]);
        let ends = [whole, span(from, part_end)].into_iter();
        let mut spans: Vec<Bucket> =
            ends.chain(cuts.windows(2).map(|pair| span(pair[0], pair[1]))).collect();
        let asked = spans.clone();
        spans.sort_unstable();
        spans.dedup();
        let read = async |spans: &[Bucket]| Ok(vec![self.count_totals(app, spans).await?]);
        let cache = &self.rollup_caches().joined_totals;
        let grid = cache.grid(&[app.id], spans, versions, read).await?;
        let found = |span: &Bucket| {
            let place = grid.buckets.binary_search(span).ok()?;
            grid.apps.first()?.get(place).cloned()
        };
        let mut found = asked.iter().map(|span| found(span).unwrap_or_default());
        let (whole, part) = (found.next().unwrap_or_default(), found.next().unwrap_or_default());
        Ok(JoinedCounts { whole, part, buckets: found.collect() })
    }

    async fn count_totals(
        &self,
        app: AppSize,
        spans: &[Bucket],
    ) -> Result<Vec<JoinedTotal>, Error> {
        let sums = self.count_sums(app, Spans::new(spans), spans.len());
        let people = async {
            let mut counts = Vec::new();
            // Ordered by time, and one after the other, so that the store holds only these sets.
            for some in spans.chunks(app.at_once(SETS)) {
                counts.extend(self.count_people(app, &Spans::new(some), some.len()).await?);
            }
            Ok(counts)
        };
        let (mut totals, people) = tokio::try_join!(sums, people)?;
        for (total, [persons, devices]) in totals.iter_mut().zip(people) {
            (total.persons, total.devices) = (persons, devices);
        }
        Ok(totals)
    }

    /// The counts that can be summed.
    async fn count_sums(
        &self,
        app: AppSize,
        spans: Spans<'_>,
        count: usize,
    ) -> Result<Vec<JoinedTotal>, Error> {
        let mut totals = vec![JoinedTotal::default(); count];
        if spans.pieces.is_empty() {
            return Ok(totals);
        }
        let sql = format!(
            "SELECT toUInt32(roundDown(at, {})) AS piece, sum(all), sum(views), sum(begun) \
             FROM ({}) GROUP BY piece",
            list(spans.starts()),
            sums(&[app.id], &spans.pieces)
        );
        let answer = self.binary_counts(&sql).await?;
        let mut rows = Rows::new(&answer);
        while !rows.is_at_end() {
            let (piece, sums) = (rows.u32()?, [rows.u64()?, rows.u64()?, rows.u64()?]);
            let Some(piece) = spans.piece_at(piece) else { continue };
            for place in spans.with(piece) {
                let total = &mut totals[place];
                total.events += sums[0];
                total.page_views += sums[1];
                total.starts += sums[2];
            }
        }
        Ok(totals)
    }

    /// Persons and devices of each of the spans.
    async fn count_people(
        &self,
        app: AppSize,
        spans: &Spans<'_>,
        count: usize,
    ) -> Result<Vec<[u64; 2]>, Error> {
        let mut counts = vec![[0; 2]; count];
        if spans.pieces.is_empty() {
            return Ok(counts);
        }
        let whose = self.whose_of(app.id).await?;
        let answer = self.binary_joined(&self.people_statement(app, spans, whose)).await?;
        let mut rows = Rows::new(&answer);
        while !rows.is_at_end() {
            let (place, found) = (rows.u32()?, [rows.u64()?, rows.u64()?]);
            if let Some(counts) = usize::try_from(place).ok().and_then(|at| counts.get_mut(at)) {
                *counts = found;
            }
        }
        Ok(counts)
    }

    /// Rows of a table are joined on their shard, and the results on the server that was asked.
    fn people_statement(&self, app: AppSize, spans: &Spans<'_>, whose: Whose) -> String {
        let is_counted = |table: &str| self.schema_state().is_counted(table);
        let buckets = spans.buckets(TABLES.map(|table| table.length));
        let (starts, app) = (list(spans.starts()), literals([app.id]));
        let select = |(table, condition): (&str, String)| {
            format!(
                "SELECT roundDown(toUnixTimestamp(bucket), {starts}) AS piece, \
                     groupBitmapMergeState(people) AS who, groupBitmapMergeState(machines) AS what \
                 FROM {table} WHERE app_id = {app} AND {condition} GROUP BY piece"
            )
        };
        let rows: Vec<String> =
            rows_about(&TABLES, is_counted, &buckets).into_iter().map(select).collect();
        let places = |piece: &Bucket| {
            list(spans.with(*piece).map(|place| u32::try_from(place).unwrap_or(u32::MAX)))
        };
        let places: Vec<String> = spans.pieces.iter().map(places).collect();
        let rows = format!(
            "(SELECT toUInt32(place) AS span, who, what FROM ({}) \
             ARRAY JOIN [{}][indexOf({starts}, piece)] AS place)",
            rows.join(" UNION ALL "),
            places.join(", ")
        );
        people_by("span", &rows, true, whose, &app)
    }
}
