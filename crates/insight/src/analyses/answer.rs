//! The answers of the API.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use atrium_core::types::Millis;

/// Starts of buckets and units are milliseconds since 1970.
#[derive(Debug, Serialize, ToSchema)]
pub struct Answer {
    /// Of the same kind as the question.
    #[serde(flatten)]
    pub figures: Figures,
    pub computed_at: Millis,
    /// How many rows of the event store were read for it.
    pub rows_read: u64,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Figures {
    Trend(TrendFigures),
    Funnel(FunnelFigures),
    Retention(RetentionFigures),
    Paths(PathsFigures),
    Distribution(DistributionFigures),
    Lifecycle(LifecycleFigures),
}

/// Which values of the breakdown something is about.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct GroupValues {
    /// One for each property; null where it is not set, or not shown.
    pub values: Vec<Option<String>>,
    /// Everything beyond the largest ten.
    pub other: bool,
    /// Which of the values are hidden, as a whole or in part.
    pub redacted: Vec<bool>,
}

#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Points {
    /// Null where there is nothing to take an average, a median or the like of.
    pub total: Option<f64>,
    /// One for each time; null also for those that lie ahead.
    pub points: Vec<Option<f64>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PointsOfGroup {
    #[serde(flatten)]
    pub group: GroupValues,
    #[serde(flatten)]
    pub points: Points,
}

/// The period before, counted as far as this one has come.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Before {
    #[serde(flatten)]
    pub points: Points,
    /// This period's total over the same part: what `total` is to be compared with.
    pub comparable: Option<f64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SeriesFigures {
    #[serde(flatten)]
    pub points: Points,
    /// The largest first, the rest last.
    pub groups: Vec<PointsOfGroup>,
    /// Null without a comparison.
    pub before: Option<Before>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct FormulaFigures {
    #[serde(flatten)]
    pub points: Points,
    /// Only groups that every series lists, or of which a series has nothing.
    pub groups: Vec<PointsOfGroup>,
    pub before: Option<Before>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ComparedDates {
    pub start: String,
    pub end: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TrendFigures {
    /// When each bucket starts.
    pub times: Vec<i64>,
    /// The start of the bucket that is not over: its points are so far. Null if there is none.
    pub partial: Option<i64>,
    pub series: Vec<SeriesFigures>,
    /// Null without a formula. Division by zero gives null.
    pub formula: Option<FormulaFigures>,
    pub compared: Option<ComparedDates>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct StepFigures {
    pub people: u64,
    /// Share of the first step, from 0 to 1; null where nobody began.
    pub from_first: Option<f64>,
    /// Share of the step before, from 0 to 1; null for the first step, and where nobody made the step
    /// before.
    pub from_previous: Option<f64>,
    /// From the step before.
    pub median_seconds: Option<f64>,
    pub p90_seconds: Option<f64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct StepsOfGroup {
    #[serde(flatten)]
    pub group: GroupValues,
    pub steps: Vec<StepFigures>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Conversion {
    pub time: i64,
    pub began: u64,
    pub converted: u64,
    /// Whether everyone who began has had the whole window.
    pub complete: bool,
}

#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct SpreadBin {
    pub from_seconds: i64,
    pub to_seconds: i64,
    pub people: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct FunnelFigures {
    pub steps: Vec<StepFigures>,
    pub groups: Vec<StepsOfGroup>,
    pub over_time: Vec<Conversion>,
    /// How long people took who completed all steps.
    pub spread: Vec<SpreadBin>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CohortFigures {
    pub start: i64,
    pub size: u64,
    /// In its own unit and each of those after it; null for units that are not over.
    pub returned: Vec<Option<u64>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CohortsOfGroup {
    #[serde(flatten)]
    pub group: GroupValues,
    pub cohorts: Vec<CohortFigures>,
    pub average: Vec<Option<f64>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct RetentionFigures {
    pub cohorts: Vec<CohortFigures>,
    /// From 0 to 1, over all cohorts that have reached the unit so far.
    pub average: Vec<Option<f64>>,
    pub groups: Vec<CohortsOfGroup>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    Event,
    /// All further steps together.
    Other,
    /// An event whose name is not shown.
    Hidden,
}

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct PathNode {
    pub kind: NodeKind,
    /// Null unless it is an event.
    pub name: Option<String>,
    /// The page of a page view.
    pub page: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PathLink {
    /// Counted from 1, starting at the end that all paths have in common.
    pub step: usize,
    /// In the order of time.
    pub source: PathNode,
    pub target: PathNode,
    pub people: u64,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PathSide {
    From,
    To,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PathsFigures {
    pub side: PathSide,
    /// How many people did the event that paths begin or end with.
    pub people: u64,
    pub links: Vec<PathLink>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct BinFigures {
    pub from: f64,
    /// Not included; null for the last.
    pub to: Option<f64>,
    pub people: u64,
    pub events: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct DistributionFigures {
    pub bins: Vec<BinFigures>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct LifecycleFigure {
    pub time: i64,
    /// Active for the first time ever.
    pub new: u64,
    /// Active, as in the unit before.
    pub returning: u64,
    /// Active, not in the unit before but earlier.
    pub resurrected: u64,
    /// Active in the unit before and not in this one; null while there is still time to come back.
    pub dormant: Option<u64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct LifecycleFigures {
    /// The start of the unit that is not over.
    pub partial: Option<i64>,
    pub points: Vec<LifecycleFigure>,
}
