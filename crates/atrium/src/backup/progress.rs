//! Progress: a bar on a terminal, lines in the log of a script, nothing for a job.

use std::io::{IsTerminal, Write};

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

pub enum Progress {
    Silent,
    Bar(ProgressBar),
    Lines(Lines),
}

/// One line for every tenth.
#[derive(Default)]
pub struct Lines {
    are_bytes: bool,
    total: u64,
    done: u64,
    reported_tenth: u64,
}

impl Progress {
    /// On stderr, because stdout is for programs.
    pub fn on_terminal() -> Self {
        match std::io::stderr().is_terminal() {
            true => Self::Bar(ProgressBar::no_length()),
            false => Self::Lines(Lines::default()),
        }
    }

    /// Starts a step of this many bytes; zero if that is unknown.
    pub fn begin(&mut self, what: &str, bytes: u64) {
        self.begin_step(what, bytes, true);
    }

    /// The same for a number of items.
    pub fn begin_count(&mut self, what: &str, count: u64) {
        self.begin_step(what, count, false);
    }

    fn begin_step(&mut self, what: &str, total: u64, are_bytes: bool) {
        match self {
            Self::Silent => {}
            Self::Bar(bar) => {
                bar.finish_and_clear();
                *bar = ProgressBar::new(total);
                let style = ProgressStyle::with_template(match (total, are_bytes) {
                    (0, _) => "{msg}",
                    (_, true) => "{msg} {wide_bar} {bytes} of {total_bytes}, {eta} left",
                    (_, false) => "{msg} {wide_bar} {pos} of {len}, {eta} left",
                });
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                bar.set_message(what.to_owned());
            }
            Self::Lines(lines) => {
                *lines = Lines { are_bytes, total, ..Lines::default() };
                say(what);
            }
        }
    }

    pub fn add(&mut self, more: u64) {
        match self {
            Self::Silent => {}
            Self::Bar(bar) => bar.inc(more),
            Self::Lines(lines) => {
                lines.done += more;
                let tenth = (lines.done * 10).checked_div(lines.total).unwrap_or(0).min(10);
                if tenth > lines.reported_tenth {
                    lines.reported_tenth = tenth;
                    let total = match lines.are_bytes {
                        true => HumanBytes(lines.total).to_string(),
                        false => lines.total.to_string(),
                    };
                    say(&format!("  {} % of {total}", tenth * 10));
                }
            }
        }
    }

    pub fn end(&mut self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// Prints a line for the person at the terminal.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
