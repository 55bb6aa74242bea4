//! Paths: what people do after an event, or before it.
//!
//! A path starts with the first event that matches its end, and continues with what the same person did
//! next (or before), until it has the requested number of steps, its window is over, or the session
//! ends. The next path starts after that. Repetitions of the same event in a row are one step.

use std::collections::{BTreeMap, HashMap};

use roaring::RoaringBitmap;

use super::{Range, Scope};
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, People};
use crate::error::Error;
use crate::runtime::off_the_runtime;

/// A session ends after this much time without events.
const SESSION_GAP_MS: i64 = 30 * 60 * 1_000;
/// The event whose steps are distinguished by page.
const PAGE_VIEW: &str = "page_view";

#[derive(Clone, Debug)]
pub struct PathsQuery {
    pub scope: Scope,
    pub range: Range,
    /// Where paths begin or end.
    pub end: EventChoice,
    pub side: Side,
    /// Events that are steps, in addition to those of the end.
    pub counted: EventChoice,
    /// The maximum number of links of a path.
    pub steps: usize,
    /// How long a path may take; None for as long as a session lasts.
    pub window_ms: Option<i64>,
    /// How many different steps are listed at each place.
    pub branches: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    From,
    To,
}

/// A step: an event, with the page if it was a page view.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    Event {
        name: String,
        page: Option<String>,
    },
    /// An event whose name is not shown.
    Hidden,
    /// All steps that are not listed.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// Counted from the end that paths have in common, from 1.
    pub step: usize,
    /// In the order of time.
    pub source: Node,
    pub target: Node,
    pub people: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// How many people did the event that paths begin or end with.
    pub people: u64,
    pub links: Vec<Link>,
}

/// One event of a person: its time, its node, and whether a path starts with it.
type Step = (i64, u32, bool);

impl Warehouse {
    pub async fn paths(&self, query: &PathsQuery) -> Result<Paths, Error> {
        let (begun, links) = self.people_by_link(query).await?;
        let link = |((step, source, target), people): ((usize, Node, Node), RoaringBitmap)| Link {
            step,
            source,
            target,
            people: people.len(),
        };
        let mut links: Vec<Link> = links.into_iter().map(link).collect();
        links.sort_by(|a, b| (a.step, b.people).cmp(&(b.step, a.people)));
        Ok(Paths { people: begun.len(), links })
    }

    /// The people who took a listed link, or any link to the same step.
    pub async fn paths_people(
        &self,
        query: &PathsQuery,
        step: usize,
        source: Option<&Node>,
        target: &Node,
    ) -> Result<People, Error> {
        let (begun, links) = self.people_by_link(query).await?;
        if step == 0 {
            return Ok(People::of(begun));
        }
        let mut people = RoaringBitmap::new();
        for ((own_step, from, to), who) in links {
            let is_wanted = match source {
                Some(source) => from == *source && to == *target,
                // The node farther from the common end.
                None => match query.side {
                    Side::From => to == *target,
                    Side::To => from == *target,
                },
            };
            if own_step == step && is_wanted {
                people |= who;
            }
        }
        Ok(People::of(people))
    }

    async fn people_by_link(
        &self,
        query: &PathsQuery,
    ) -> Result<(RoaringBitmap, PeopleByLink), Error> {
        let PathsQuery { scope, range, end, counted, .. } = query;
        let mut this = scope.statement(self);
        let page = match &this.shown {
            Some(shown) => shown.path(),
            None => "url_path".to_owned(),
        };
        let node = format!("concat(event, if(event = '{PAGE_VIEW}', concat('\\0', {page}), ''))");
        let node = match &this.shown {
            Some(shown) => format!("if({}, '', {node})", shown.hides_text("event", false)),
            None => node,
        };
        let is_end = this.is_chosen(end);
        let columns = format!(
            "toUnixTimestamp64Milli(time) AS at, toUInt8({is_end}) AS ends, \
             {node} AS node"
        );
        let events = scope.events(&mut this, self.whose(), *range, &[end, counted], &columns);
        this.sql = format!(
            "SELECT person, groupArray(at), groupArray(node), groupArray(ends) FROM {events} \
             GROUP BY person HAVING max(ends) = 1"
        );
        let answer = self.analyze(&this).await?;
        let query = query.clone();
        off_the_runtime(move || read(&answer, &query)).await
    }
}

/// The people of each listed link.
type PeopleByLink = BTreeMap<(usize, Node, Node), RoaringBitmap>;

fn read(answer: &[u8], query: &PathsQuery) -> Result<(RoaringBitmap, PeopleByLink), Error> {
    // Lists, because adding people to a set in no order takes much longer.
    let mut begun: Vec<u32> = Vec::new();
    let mut links: HashMap<(usize, u32, u32), Vec<u32>> = HashMap::new();
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut names: Vec<&str> = Vec::new();
    let mut rows = Rows::new(answer);
    while !rows.is_at_end() {
        let person = rows.u32()?;
        // Every person in the answer did the event that paths begin with.
        begun.push(person);
        let (at, nodes, ends) = (rows.i64s()?, rows.texts()?, rows.u8s()?);
        let mut steps: Vec<(i64, &str, bool)> =
            at.zip(nodes).zip(ends).map(|((at, node), end)| (at, node, end == 1)).collect();
        // Events of the same moment are ordered by name, so that the answer is reproducible.
        steps.sort_unstable();
        let steps: Vec<Step> = steps
            .into_iter()
            .map(|(at, node, end)| {
                let number = *numbers.entry(node).or_insert_with(|| {
                    names.push(node);
                    u32::try_from(names.len() - 1).unwrap_or(u32::MAX)
                });
                (at, number, end)
            })
            .collect();
        walk(&steps, query, |step, from, to| {
            let people = links.entry((step, from, to)).or_default();
            if people.last() != Some(&person) {
                people.push(person);
            }
        });
    }
    let links = links.into_iter().map(|(link, people)| (link, set_of(people))).collect();
    Ok((set_of(begun), visible_links(links, &names, query)))
}

fn set_of(mut people: Vec<u32>) -> RoaringBitmap {
    people.sort_unstable();
    people.into_iter().collect()
}

/// The people of each link, by its step and its nodes, away from the common end.
type Links = BTreeMap<(usize, u32, u32), RoaringBitmap>;

/// Calls `link` for the links of all paths of one person, away from the common end.
fn walk(steps: &[Step], query: &PathsQuery, mut link: impl FnMut(usize, u32, u32)) {
    let backwards = query.side == Side::To;
    let at = |place: usize| if backwards { steps[steps.len() - 1 - place] } else { steps[place] };
    let mut place = 0;
    while place < steps.len() {
        let (start, mut here, begins) = at(place);
        place += 1;
        if !begins {
            continue;
        }
        let (mut length, mut last) = (0, start);
        while length < query.steps && place < steps.len() {
            let (time, node, _) = at(place);
            let is_over = match query.window_ms {
                Some(window) => (time - start).abs() > window,
                None => (time - last).abs() > SESSION_GAP_MS,
            };
            if is_over {
                break;
            }
            place += 1;
            last = time;
            if node != here {
                length += 1;
                link(length, here, node);
                here = node;
            }
        }
    }
}

fn visible_links(links: Links, names: &[&str], query: &PathsQuery) -> PeopleByLink {
    // The steps that most people reached at each place; equal ones are ordered by name.
    let mut reached: BTreeMap<(usize, u32), RoaringBitmap> = BTreeMap::new();
    for ((step, _, to), people) in &links {
        *reached.entry((*step, *to)).or_default() |= people;
    }
    let mut ranked: BTreeMap<usize, Vec<(u64, u32)>> = BTreeMap::new();
    for ((step, to), people) in reached {
        ranked.entry(step).or_default().push((people.len(), to));
    }
    for nodes in ranked.values_mut() {
        nodes.sort_by_key(|(people, node)| (std::cmp::Reverse(*people), names[*node as usize]));
        nodes.truncate(query.branches);
    }
    let node = |step: usize, node: u32| {
        let is_listed = step == 0
            || ranked.get(&step).is_some_and(|nodes| nodes.iter().any(|(_, it)| *it == node));
        if is_listed { node_of(names[node as usize]) } else { Node::Other }
    };
    let mut merged = PeopleByLink::new();
    for ((step, from, to), people) in links {
        let (near, far) = (node(step - 1, from), node(step, to));
        let (source, target) = match query.side {
            Side::From => (near, far),
            Side::To => (far, near),
        };
        *merged.entry((step, source, target)).or_default() |= people;
    }
    merged
}

fn node_of(text: &str) -> Node {
    if text.is_empty() {
        return Node::Hidden;
    }
    match text.split_once('\0') {
        Some((name, page)) => Node::Event { name: name.to_owned(), page: Some(page.to_owned()) },
        None => Node::Event { name: text.to_owned(), page: None },
    }
}
