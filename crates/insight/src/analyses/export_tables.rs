//! Answers as tables, in the words of a language.

use jiff::tz::TimeZone;

use super::answer::{
    DistributionFigures, Figures, FunnelFigures, GroupValues, LifecycleFigures, NodeKind, PathNode,
    PathsFigures, RetentionFigures, StepFigures, TrendFigures,
};
use super::body::{Bucket, Question};
use crate::insight::csv;
use crate::insight::range::Granularity;
use atrium_core::locale::Locale;

type Table = (Vec<String>, Vec<Vec<String>>);

/// The heads, and the lines below them.
pub fn table(question: &Question, figures: &Figures, zone: &TimeZone, locale: Locale) -> Table {
    let words = Words::of(locale);
    match (question, figures) {
        (Question::Trend(body), Figures::Trend(it)) => trend(it, body.granularity, zone, locale),
        (_, Figures::Trend(it)) => trend(it, Bucket::Day, zone, locale),
        (_, Figures::Funnel(it)) => funnel(it, words),
        (_, Figures::Retention(it)) => retention(it, zone, words),
        (_, Figures::Paths(it)) => paths(it, words),
        (_, Figures::Distribution(it)) => distribution(it, words),
        (_, Figures::Lifecycle(it)) => lifecycle(it, zone, locale),
    }
}

fn date(time: i64, zone: &TimeZone) -> String {
    csv::moment(time, Granularity::Day, zone)
}

fn text(number: Option<impl ToString>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn trend(it: &TrendFigures, bucket: Bucket, zone: &TimeZone, locale: Locale) -> Table {
    let words = Words::of(locale);
    let mut columns: Vec<(String, &[Option<f64>])> = Vec::new();
    let letter = |place: usize| char::from(b'A' + place as u8).to_string();
    for (place, series) in it.series.iter().enumerate() {
        columns.push((letter(place), &series.points.points));
        for group in &series.groups {
            let name = format!("{} · {}", letter(place), words.group(&group.group));
            columns.push((name, &group.points.points));
        }
        if let Some(before) = &series.before {
            columns.push((format!("{} · {}", letter(place), words.before), &before.points.points));
        }
    }
    if let Some(formula) = &it.formula {
        columns.push((words.formula.to_owned(), &formula.points.points));
        for group in &formula.groups {
            let name = format!("{} · {}", words.formula, words.group(&group.group));
            columns.push((name, &group.points.points));
        }
        if let Some(before) = &formula.before {
            let name = format!("{} · {}", words.formula, words.before);
            columns.push((name, &before.points.points));
        }
    }
    let granularity = match bucket {
        Bucket::Minute | Bucket::Hour => Granularity::Hour,
        _ => Granularity::Day,
    };
    let heads = std::iter::once(words.time.to_owned());
    let heads = heads.chain(columns.iter().map(|(name, _)| name.clone()));
    let heads = heads.chain([words.note.to_owned()]).collect();
    let line = |(place, time): (usize, &i64)| {
        let numbers = columns.iter().map(|(_, points)| text(points.get(place).copied().flatten()));
        let note = csv::note(it.partial == Some(*time), locale);
        let time = csv::moment(*time, granularity, zone);
        std::iter::once(time).chain(numbers).chain([note]).collect()
    };
    (heads, it.times.iter().enumerate().map(line).collect())
}

fn funnel(it: &FunnelFigures, words: &Words) -> Table {
    let heads = words.funnel.iter().map(|head| (*head).to_owned()).collect();
    let line = |group: &str, place: usize, step: &StepFigures| {
        vec![
            group.to_owned(),
            (place + 1).to_string(),
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
        let name = words.group(&group.group);
        lines.extend(group.steps.iter().enumerate().map(|(place, step)| line(&name, place, step)));
    }
    (heads, lines)
}

fn retention(it: &RetentionFigures, zone: &TimeZone, words: &Words) -> Table {
    let mut heads: Vec<String> = words.retention.iter().map(|head| (*head).to_owned()).collect();
    heads.extend((0..it.average.len()).map(|unit| unit.to_string()));
    let mut lines = Vec::new();
    let mut add = |group: &str, cohorts: &[super::answer::CohortFigures]| {
        for cohort in cohorts {
            let mut line =
                vec![group.to_owned(), date(cohort.start, zone), cohort.size.to_string()];
            line.extend(cohort.returned.iter().map(|people| text(*people)));
            lines.push(line);
        }
    };
    add("", &it.cohorts);
    for group in &it.groups {
        add(&words.group(&group.group), &group.cohorts);
    }
    (heads, lines)
}

fn paths(it: &PathsFigures, words: &Words) -> Table {
    let heads = words.paths.iter().map(|head| (*head).to_owned()).collect();
    let lines = it.links.iter().map(|link| {
        vec![
            link.step.to_string(),
            words.node(&link.source),
            words.node(&link.target),
            link.people.to_string(),
        ]
    });
    (heads, lines.collect())
}

fn distribution(it: &DistributionFigures, words: &Words) -> Table {
    let heads = words.distribution.iter().map(|head| (*head).to_owned()).collect();
    let lines = it.bins.iter().map(|bin| {
        vec![bin.from.to_string(), text(bin.to), bin.people.to_string(), bin.events.to_string()]
    });
    (heads, lines.collect())
}

fn lifecycle(it: &LifecycleFigures, zone: &TimeZone, locale: Locale) -> Table {
    let words = Words::of(locale);
    let heads = words.lifecycle.iter().map(|head| (*head).to_owned()).collect();
    let lines = it.points.iter().map(|point| {
        vec![
            date(point.time, zone),
            point.new.to_string(),
            point.returning.to_string(),
            point.resurrected.to_string(),
            text(point.dormant),
            csv::note(it.partial == Some(point.time), locale),
        ]
    });
    (heads, lines.collect())
}

struct Words {
    time: &'static str,
    note: &'static str,
    before: &'static str,
    formula: &'static str,
    not_set: &'static str,
    other: &'static str,
    hidden: &'static str,
    funnel: [&'static str; 7],
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
                funnel: [
                    "分组",
                    "步骤",
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
                funnel: [
                    "Group",
                    "Step",
                    "People",
                    "Of the first",
                    "Of the step before",
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

    fn group(&self, group: &GroupValues) -> String {
        if group.other {
            return self.other.to_owned();
        }
        let value = |(value, redacted): (&Option<String>, &bool)| match value {
            Some(value) => value.clone(),
            None if *redacted => self.hidden.to_owned(),
            None => self.not_set.to_owned(),
        };
        let values: Vec<String> = group.values.iter().zip(&group.redacted).map(value).collect();
        values.join(" / ")
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
