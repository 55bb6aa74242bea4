//! The rules of the queue: who goes next. No waiting, time or threads in here.
//!
//! Statements run in slots. Whoever runs the fewest goes first, by organization and then by caller;
//! among equals, whoever was served longest ago. Dashboards, ad-hoc queries and query keys share the
//! slots in proportion to their weights, and a waiting dashboard goes before anyone's second query.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::types::Id;

/// What kind of read it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The dashboard, an app's overview, and the counts in lists of apps.
    Dashboard,
    /// Everything else that people query: analyses, profiles, properties, suggestions.
    AdHoc,
    /// Any read by a program with a query key.
    QueryKey,
}

impl Class {
    pub const ALL: [Self; 3] = [Self::Dashboard, Self::AdHoc, Self::QueryKey];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dashboard => "dashboard",
            Self::AdHoc => "question",
            Self::QueryKey => "query_key",
        }
    }

    /// What a slot costs a class: the cheaper, the more often the class is served.
    fn price(self) -> u64 {
        match self {
            Self::Dashboard => 1,
            Self::AdHoc => 2,
            Self::QueryKey => 4,
        }
    }
}

/// Who reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    pub class: Class,
    pub org: Id,
    /// The person, or the app that the query key belongs to.
    pub who: Id,
    /// The app in question, if the read is about a single one.
    pub app: Option<Id>,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Statements that may run at once.
    pub slots: usize,
    pub per_org: usize,
    pub per_app: usize,
    pub per_caller: usize,
    /// How many calls of one caller may wait.
    pub waiting: usize,
}

impl Limits {
    /// All query keys together may use half of the slots.
    fn keys(&self) -> usize {
        (self.slots / 2).max(1)
    }

    /// Leaves a slot for other keys.
    fn one_key(&self) -> usize {
        (self.keys() - 1).clamp(1, self.per_caller)
    }

    /// A dashboard makes several calls at once, and people open several dashboards.
    fn waiting(&self, class: Class) -> usize {
        if class == Class::Dashboard { self.waiting * 4 } else { self.waiting }
    }
}

/// What is running, in total or for one caller, organization or app.
#[derive(Clone, Copy, Debug, Default)]
struct Running {
    all: usize,
    /// How many of them are not dashboards.
    others: usize,
}

impl Running {
    fn begin(&mut self, class: Class) {
        self.all += 1;
        self.others += usize::from(class != Class::Dashboard);
    }

    fn end(&mut self, class: Class) {
        self.all -= 1;
        self.others -= usize::from(class != Class::Dashboard);
    }

    /// Keeps one slot of each limit for dashboards.
    fn has_room(&self, class: Class, limit: usize) -> bool {
        let kept = if class == Class::Dashboard { self.all } else { self.others + 1 };
        self.all < limit && (kept < limit || limit == 1)
    }
}

/// The waiting tickets of one caller, oldest first, each with its call.
struct Line {
    caller: Caller,
    tickets: VecDeque<(u64, u64)>,
    /// When the caller was last served, or began to wait.
    turn: u64,
}

pub struct Schedule {
    limits: Limits,
    lines: Vec<Line>,
    org_turns: HashMap<(Class, Id), u64>,
    running: Running,
    running_keys: usize,
    of_org: HashMap<Id, Running>,
    of_app: HashMap<Id, Running>,
    of_caller: HashMap<Id, Running>,
    /// What each class has paid for its slots so far. `price_level` is what the class served last had
    /// paid before that.
    paid: [u64; 3],
    price_level: u64,
    turns: u64,
}

impl Schedule {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            lines: Vec::new(),
            org_turns: HashMap::new(),
            running: Running::default(),
            running_keys: 0,
            of_org: HashMap::new(),
            of_app: HashMap::new(),
            of_caller: HashMap::new(),
            paid: [0; 3],
            price_level: 0,
            turns: 0,
        }
    }

    /// Queues a statement of a call under a ticket. False if the caller already has too many calls
    /// waiting; the statements of one call count once.
    pub fn push(&mut self, caller: &Caller, call: u64, ticket: u64) -> bool {
        self.turns += 1;
        let turn = self.turns;
        let index = self.lines.iter().position(|line| line.caller == *caller);
        // Counts the caller's waiting calls across all apps.
        let own = self.lines.iter().map(|line| (&line.caller, &line.tickets));
        let own = own.filter(|(other, _)| other.class == caller.class && other.who == caller.who);
        let calls: HashSet<u64> =
            own.flat_map(|(_, tickets)| tickets.iter().map(|(of, _)| *of)).collect();
        if !calls.contains(&call) && calls.len() >= self.limits.waiting(caller.class) {
            return false;
        }
        // A class builds up no credit while nobody waits in it.
        if !self.lines.iter().any(|line| line.caller.class == caller.class) {
            let paid = &mut self.paid[caller.class as usize];
            *paid = self.price_level.max(*paid);
        }
        match index {
            Some(index) => self.lines[index].tickets.push_back((call, ticket)),
            None => {
                let tickets = VecDeque::from([(call, ticket)]);
                self.lines.push(Line { caller: caller.clone(), tickets, turn });
                self.org_turns.entry((caller.class, caller.org.clone())).or_insert(turn);
            }
        }
        true
    }

    /// Removes a ticket that was not served yet. False if it is not in the queue.
    pub fn withdraw(&mut self, ticket: u64) -> bool {
        let found = self.lines.iter_mut().position(|line| {
            let before = line.tickets.len();
            line.tickets.retain(|(_, waiting)| *waiting != ticket);
            line.tickets.len() < before
        });
        let Some(index) = found else { return false };
        self.tidy(index);
        true
    }

    /// The next statement to run, if one may. It runs until `finish`.
    pub fn next(&mut self) -> Option<(u64, Caller)> {
        let index = self.choose()?;
        self.turns += 1;
        let turn = self.turns;
        let line = &mut self.lines[index];
        let (_, ticket) = line.tickets.pop_front()?;
        line.turn = turn;
        let caller = line.caller.clone();
        self.org_turns.insert((caller.class, caller.org.clone()), turn);
        self.price_level = self.paid[caller.class as usize];
        self.paid[caller.class as usize] += caller.class.price();
        self.running.begin(caller.class);
        self.running_keys += usize::from(caller.class == Class::QueryKey);
        self.of_org.entry(caller.org.clone()).or_default().begin(caller.class);
        self.of_caller.entry(caller.who.clone()).or_default().begin(caller.class);
        if let Some(app) = &caller.app {
            self.of_app.entry(app.clone()).or_default().begin(caller.class);
        }
        self.tidy(index);
        Some((ticket, caller))
    }

    pub fn finish(&mut self, caller: &Caller) {
        self.running.end(caller.class);
        self.running_keys -= usize::from(caller.class == Class::QueryKey);
        let own = [(&mut self.of_org, &caller.org), (&mut self.of_caller, &caller.who)];
        let of_app = caller.app.as_ref().map(|app| (&mut self.of_app, app));
        for (counts, id) in own.into_iter().chain(of_app) {
            if let Some(running) = counts.get_mut(id) {
                running.end(caller.class);
                if running.all == 0 {
                    counts.remove(id);
                }
            }
        }
    }

    /// How many calls were queued before the caller's first waiting one; None if none waits. The rules
    /// above decide who is served next, so this is only an estimate.
    pub fn ahead(&self, caller: &Caller) -> Option<usize> {
        let own = self.lines.iter().find(|line| line.caller == *caller)?;
        let (_, first) = own.tickets.front()?;
        let waiting = self.lines.iter().flat_map(|line| &line.tickets);
        let before = waiting.filter(|(_, ticket)| ticket < first).map(|(call, _)| *call);
        Some(before.collect::<HashSet<u64>>().len())
    }

    pub fn waiting(&self, class: Class) -> usize {
        let lines = self.lines.iter().filter(|line| line.caller.class == class);
        lines.map(|line| line.tickets.len()).sum()
    }

    pub fn running(&self, class: Class) -> usize {
        match class {
            Class::Dashboard => self.running.all - self.running.others,
            Class::AdHoc => self.running.others - self.running_keys,
            Class::QueryKey => self.running_keys,
        }
    }

    /// The line to serve next.
    fn choose(&self) -> Option<usize> {
        let best = Class::ALL.map(|class| {
            let own = self.lines.iter().enumerate().filter(|(_, line)| line.caller.class == class);
            own.filter(|(_, line)| self.may_run(&line.caller)).min_by_key(|(_, line)| {
                let org_turn = self.org_turns.get(&(class, line.caller.org.clone())).copied();
                let org = (self.runs(&self.of_org, &line.caller.org), org_turn.unwrap_or(0));
                (org, self.runs(&self.of_caller, &line.caller.who), line.turn)
            })
        });
        let cheapest = Class::ALL.into_iter().filter(|class| best[*class as usize].is_some());
        let class = cheapest.min_by_key(|class| self.paid[*class as usize])?;
        let (index, line) = best[class as usize]?;
        // A waiting dashboard goes before anyone's second query.
        match best[Class::Dashboard as usize] {
            Some((dashboard, _)) if self.runs(&self.of_caller, &line.caller.who) > 0 => {
                Some(dashboard)
            }
            _ => Some(index),
        }
    }

    fn runs(&self, counts: &HashMap<Id, Running>, id: &Id) -> usize {
        counts.get(id).map_or(0, |running| running.all)
    }

    fn may_run(&self, Caller { class, org, who, app }: &Caller) -> bool {
        let of = |counts: &HashMap<Id, Running>, id| counts.get(id).copied().unwrap_or_default();
        let of_caller = of(&self.of_caller, who);
        if *class == Class::QueryKey
            && (self.running_keys >= self.limits.keys() || of_caller.all >= self.limits.one_key())
        {
            return false;
        }
        self.running.has_room(*class, self.limits.slots)
            && of(&self.of_org, org).has_room(*class, self.limits.per_org)
            && app
                .as_ref()
                .is_none_or(|app| of(&self.of_app, app).has_room(*class, self.limits.per_app))
            && of_caller.has_room(*class, self.limits.per_caller)
    }

    /// Drops a line that is empty, and its organization with its last line.
    fn tidy(&mut self, index: usize) {
        if !self.lines[index].tickets.is_empty() {
            return;
        }
        let Line { caller, .. } = self.lines.swap_remove(index);
        let is_same =
            |line: &Line| line.caller.class == caller.class && line.caller.org == caller.org;
        if !self.lines.iter().any(is_same) {
            self.org_turns.remove(&(caller.class, caller.org));
        }
    }
}
