//! Answers as tables, with headings in the reader's language.

use jiff::tz::TimeZone;
use warehouse::{IN_COHORT, NOT_IN_COHORT};

use super::answer::{
    CohortFigures, DistributionFigures, Figures, FunnelFigures, GroupValues, LifecycleFigures,
    NodeKind, PathNode, PathsFigures, RetentionFigures, StepFigures, TrendFigures,
};
use super::body::{Bucket, EventBody, MeasureOf, Question, SeriesBody, TrendBody};
use crate::insight::csv;
use crate::insight::range::Granularity;
use atrium_core::locale::Locale;

type Table = (Vec<String>, Vec<Vec<String>>);

/// Converts the figures of a question to a table.
pub struct Tables<'a> {
    question: &'a Question,
    /// The cohort's name for each place of the breakdown that is a cohort.
    cohorts: &'a [Option<String>],
    zone: TimeZone,
    locale: Locale,
    words: &'static Words,
}

fn text(number: Option<impl ToString>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn heads_of(heads: &[&str]) -> Vec<String> {
    heads.iter().map(|head| (*head).to_owned()).collect()
}

impl<'a> Tables<'a> {
    pub fn of(
        question: &'a Question,
        cohorts: &'a [Option<String>],
        zone: TimeZone,
        locale: Locale,
    ) -> Self {
        Self { question, cohorts, zone, locale, words: Words::of(locale) }
    }

    /// The headings, and the rows below them.
    pub fn table(&self, figures: &Figures) -> Table {
        match figures {
            Figures::Trend(it) => self.trend(it),
            Figures::Funnel(it) => self.funnel(it),
            Figures::Retention(it) => self.retention(it),
            Figures::Paths(it) => self.paths(it),
            Figures::Distribution(it) => self.distribution(it),
            Figures::Lifecycle(it) => self.lifecycle(it),
        }
    }

    fn date(&self, time: i64) -> String {
        csv::moment(time, Granularity::Day, &self.zone)
    }

    fn event(&self, event: &EventBody) -> String {
        match event.events.is_empty() {
            true => self.words.any.to_owned(),
            false => event.events.join(" / "),
        }
    }

    /// The letter that formulas use, and what is counted.
    fn series(&self, place: usize) -> String {
        let letter = char::from(b'A' + place as u8);
        let Question::Trend(TrendBody { series, .. }) = self.question else {
            return letter.to_string();
        };
        let Some(SeriesBody { event, measure }) = series.get(place) else {
            return letter.to_string();
        };
        let property = measure.property.iter().map(|name| format!(" ({name})"));
        let measure =
            measure_word(measure.of, self.locale).to_owned() + &property.collect::<String>();
        format!("{letter} · {} · {measure}", self.event(event))
    }

    fn trend(&self, it: &TrendFigures) -> Table {
        let words = self.words;
        let mut columns: Vec<(String, &[Option<f64>])> = Vec::new();
        for (place, series) in it.series.iter().enumerate() {
            let name = self.series(place);
            columns.push((name.clone(), &series.points.points));
            for group in &series.groups {
                let name = format!("{name} · {}", self.group(&group.group));
                columns.push((name, &group.points.points));
            }
            if let Some(before) = &series.before {
                columns.push((format!("{name} · {}", words.before), &before.points.points));
            }
        }
        if let Some(formula) = &it.formula {
            columns.push((words.formula.to_owned(), &formula.points.points));
            for group in &formula.groups {
                let name = format!("{} · {}", words.formula, self.group(&group.group));
                columns.push((name, &group.points.points));
            }
            if let Some(before) = &formula.before {
                let name = format!("{} · {}", words.formula, words.before);
                columns.push((name, &before.points.points));
            }
        }
        let granularity = match self.question {
            Question::Trend(TrendBody { granularity: Bucket::Minute | Bucket::Hour, .. }) => {
                Granularity::Hour
            }
            _ => Granularity::Day,
        };
        let heads = std::iter::once(words.time.to_owned());
        let heads = heads.chain(columns.iter().map(|(name, _)| name.clone()));
        let heads = heads.chain([words.note.to_owned()]).collect();
        let line = |(place, time): (usize, &i64)| {
            let numbers =
                columns.iter().map(|(_, points)| text(points.get(place).copied().flatten()));
            let note = csv::note(it.partial == Some(*time), self.locale);
            let time = csv::moment(*time, granularity, &self.zone);
            std::iter::once(time).chain(numbers).chain([note]).collect()
        };
        (heads, it.times.iter().enumerate().map(line).collect())
    }

    fn funnel(&self, it: &FunnelFigures) -> Table {
        let events: Vec<String> = match self.question {
            Question::Funnel(body) => body.steps.iter().map(|step| self.event(step)).collect(),
            _ => Vec::new(),
        };
        let line = |group: &str, place: usize, step: &StepFigures| {
            vec![
                group.to_owned(),
                (place + 1).to_string(),
                events.get(place).cloned().unwrap_or_default(),
                step.people.to_string(),
                text(step.from_first),
                text(step.from_previous),
                text(step.median_seconds),
                text(step.p90_seconds),
            ]
        };
        let own = it.steps.iter().enumerate().map(|(place, step)| line("", place, step));
        let mut lines: Vec<Vec<String>> = own.collect();
        for group in &it.groups {
            let name = self.group(&group.group);
            let steps = group.steps.iter().enumerate();
            lines.extend(steps.map(|(place, step)| line(&name, place, step)));
        }
        (heads_of(&self.words.funnel), lines)
    }

    fn retention(&self, it: &RetentionFigures) -> Table {
        let mut heads = heads_of(&self.words.retention);
        heads.extend((0..it.average.len()).map(|unit| unit.to_string()));
        let mut lines = Vec::new();
        let mut add = |group: &str, cohorts: &[CohortFigures]| {
            for cohort in cohorts {
                let mut line =
                    vec![group.to_owned(), self.date(cohort.start), cohort.size.to_string()];
                line.extend(cohort.returned.iter().map(|people| text(*people)));
                lines.push(line);
            }
        };
        add("", &it.cohorts);
        for group in &it.groups {
            add(&self.group(&group.group), &group.cohorts);
        }
        (heads, lines)
    }

    fn paths(&self, it: &PathsFigures) -> Table {
        let lines = it.links.iter().map(|link| {
            vec![
                link.step.to_string(),
                self.words.node(&link.source),
                self.words.node(&link.target),
                link.people.to_string(),
            ]
        });
        (heads_of(&self.words.paths), lines.collect())
    }

    fn distribution(&self, it: &DistributionFigures) -> Table {
        let lines = it.bins.iter().map(|bin| {
            vec![bin.from.to_string(), text(bin.to), bin.people.to_string(), bin.events.to_string()]
        });
        (heads_of(&self.words.distribution), lines.collect())
    }

    fn lifecycle(&self, it: &LifecycleFigures) -> Table {
        let lines = it.points.iter().map(|point| {
            vec![
                self.date(point.time),
                point.new.to_string(),
                point.returning.to_string(),
                point.resurrected.to_string(),
                text(point.dormant),
                csv::note(it.partial == Some(point.time), self.locale),
            ]
        });
        (heads_of(&self.words.lifecycle), lines.collect())
    }

    fn group(&self, group: &GroupValues) -> String {
        if group.other {
            return self.words.other.to_owned();
        }
        let values = group.values.iter().zip(&group.redacted).enumerate();
        let values = values.map(|(place, (value, redacted))| {
            let cohort = self.cohorts.get(place).and_then(Option::as_ref);
            match (value.as_deref(), cohort) {
                (Some(IN_COHORT), Some(name)) => name.clone(),
                (Some(NOT_IN_COHORT), Some(name)) => self.words.outside.replace("{}", name),
                (Some(value), _) => value.to_owned(),
                (None, _) if *redacted => self.words.hidden.to_owned(),
                (None, _) => self.words.not_set.to_owned(),
            }
        });
        values.collect::<Vec<_>>().join(" / ")
    }
}

struct Words {
    time: &'static str,
    note: &'static str,
    before: &'static str,
    formula: &'static str,
    not_set: &'static str,
    other: &'static str,
    hidden: &'static str,
    any: &'static str,
    /// Outside of a cohort.
    outside: &'static str,
    funnel: [&'static str; 8],
    retention: [&'static str; 3],
    paths: [&'static str; 4],
    distribution: [&'static str; 4],
    lifecycle: [&'static str; 6],
}

impl Words {
    fn of(locale: Locale) -> &'static Self {
        match locale {
            Locale::ZhCn => &Self {
                time: "时间",
                note: csv::NOTE.0,
                before: "对比期",
                formula: "公式",
                not_set: "（未设置）",
                other: "其他",
                hidden: "（已隐藏）",
                any: "任意事件",
                outside: "不在“{}”中",
                funnel: [
                    "分组",
                    "步骤",
                    "事件",
                    "人数",
                    "总转化率",
                    "上一步转化率",
                    "中位用时（秒）",
                    "P90 用时（秒）",
                ],
                retention: ["分组", "起始", "人数"],
                paths: ["步骤", "来源", "去向", "人数"],
                distribution: ["从（含）", "到（不含）", "人数", "事件数"],
                lifecycle: ["时间", "新增", "活跃", "回流", "沉默", csv::NOTE.0],
            },
            Locale::EnUs => &Self {
                time: "Time",
                note: csv::NOTE.1,
                before: "Compared",
                formula: "Formula",
                not_set: "(not set)",
                other: "Other",
                hidden: "(hidden)",
                any: "Any event",
                outside: "Not in {}",
                funnel: [
                    "Group",
                    "Step",
                    "Event",
                    "People",
                    "Of the first step",
                    "Of the previous step",
                    "Median (s)",
                    "P90 (s)",
                ],
                retention: ["Group", "Start", "People"],
                paths: ["Step", "From", "To", "People"],
                distribution: ["From", "Below", "People", "Events"],
                lifecycle: ["Time", "New", "Returning", "Resurrected", "Dormant", csv::NOTE.1],
            },
        }
    }

    fn node(&self, node: &PathNode) -> String {
        match (node.kind, &node.name, &node.page) {
            (NodeKind::Event, Some(name), Some(page)) => format!("{name} {page}"),
            (NodeKind::Event, Some(name), None) => name.clone(),
            (NodeKind::Other, ..) => self.other.to_owned(),
            _ => self.hidden.to_owned(),
        }
    }
}

/// The same name as in the console.
fn measure_word(of: MeasureOf, locale: Locale) -> &'static str {
    let (chinese, english) = match of {
        MeasureOf::Events => ("次数", "Events"),
        MeasureOf::People => ("用户数", "People"),
        MeasureOf::Devices => ("设备数", "Devices"),
        MeasureOf::Sessions => ("会话数", "Sessions"),
        MeasureOf::PerPerson => ("人均次数", "Times per person"),
        MeasureOf::Sum => ("总和", "Sum"),
        MeasureOf::Average => ("平均值", "Average"),
        MeasureOf::Median => ("中位数", "Median"),
        MeasureOf::P90 => ("P90", "P90"),
        MeasureOf::P95 => ("P95", "P95"),
        MeasureOf::P99 => ("P99", "P99"),
        MeasureOf::Min => ("最小值", "Minimum"),
        MeasureOf::Max => ("最大值", "Maximum"),
        MeasureOf::Distinct => ("去重数", "Distinct values"),
    };
    match locale {
        Locale::ZhCn => chinese,
        Locale::EnUs => english,
    }
}
