//! Handles a part that failed: it is halved until the culprit is alone. A single message that the store
//! keeps refusing for its content is set aside.

use std::collections::BTreeMap;

use anyhow::Context;
use uuid::Uuid;

use super::super::batch::Batch;
use super::super::ledger::{self, Outcome, Tally};
use super::super::reason::Reason;
use super::super::record;
use super::super::spool::{Attempt, Change, Group, SetAside, Spool};
use super::super::spool_file::Part as Piece;
use super::Turn;
use super::blame::{Blame, blame};
use super::booking::{finish, unbooked};
use super::lanes::{Lanes, Part};
use crate::collect::state::Collecting;

/// How often a single message is tried that the store refuses for its content or for lack of memory.
const TRIES_ROWS: u32 = 3;
const TRIES_SIZE: u32 = 5;
/// After this many failures due to circumstances, less is tried at once: it may have been too slow.
const TRIES_MOMENT: u32 = 2;
/// How much of the store's error text is kept.
const ERROR_CHARS: usize = 500;

/// Decides what to do after a failure. An error means that no message is to blame and all loading has to
/// wait.
pub async fn failed(
    atrium: &Collecting,
    spool: &Spool,
    lanes: &mut Lanes,
    mut part: Part,
    weights: &BTreeMap<Uuid, usize>,
    error: anyhow::Error,
) -> anyhow::Result<Turn> {
    let blame = blame(&error);
    if let ([attempt], false) = (&part.attempts[..], blame == Blame::Moment) {
        lanes.set_apart(attempt.app);
    }
    let split = match blame {
        Blame::Moment => {
            lanes.failed(&mut part);
            if part.failures >= TRIES_MOMENT && lanes.are_few() {
                if let Some(part) = halve(spool, lanes, part, weights, Depth::Groups).await? {
                    lanes.put_back(part);
                }
            } else {
                lanes.put_back(part);
            }
            return Err(error);
        }
        Blame::Aftermath => Depth::Apps,
        Blame::Rows | Blame::Size | Blame::Unknown => Depth::Messages,
    };
    let (messages, words) = (weights.values().sum::<usize>(), format!("{error:#}"));
    tracing::warn!(
        error = words,
        messages,
        apps = part.attempts.len(),
        ?blame,
        "messages could not be stored and are retried in smaller parts"
    );
    let Some(mut part) = halve(spool, lanes, part, weights, split).await? else {
        return Ok(Turn::Failed);
    };
    lanes.failed(&mut part);
    let is_hopeless = match blame {
        Blame::Rows => part.failures >= TRIES_ROWS,
        Blame::Size => part.failures >= TRIES_SIZE && lanes.others_are_stored(&part),
        Blame::Unknown | Blame::Aftermath | Blame::Moment => false,
    };
    if is_hopeless && part.is_single {
        set_aside(atrium, spool, &part, &words).await?;
    } else {
        lanes.put_back(part);
    }
    Ok(Turn::Failed)
}

/// How small the parts may become.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    Apps,
    Groups,
    Messages,
}

/// Replaces a part with two halves, or returns it unchanged if it is small enough.
async fn halve(
    spool: &Spool,
    lanes: &mut Lanes,
    mut part: Part,
    weights: &BTreeMap<Uuid, usize>,
    depth: Depth,
) -> anyhow::Result<Option<Part>> {
    let batch = part.batch;
    let [attempt] = part.attempts[..] else {
        let (light, heavy) = halve_apps(std::mem::take(&mut part.attempts), weights);
        lanes.put_first(Part::new(batch, light), Part::new(batch, heavy));
        return Ok(None);
    };
    if depth == Depth::Apps {
        return Ok(Some(part));
    }
    let groups = spool.take_begun(vec![attempt]).await?;
    let first_upto = match &groups[..] {
        [] => None,
        [group] if depth == Depth::Messages => halve_group(spool, group, batch).await?,
        [_] => None,
        groups => {
            let upto = groups[groups.len() / 2 - 1].seq;
            spool.write(Change::Begin(vec![Attempt { upto, ..attempt }])).await?;
            Some(upto)
        }
    };
    let Some(upto) = first_upto else {
        part.is_single = groups.iter().all(|group| group.messages <= 1);
        return Ok(Some(part));
    };
    let first = Part::new(batch, vec![Attempt { upto, ..attempt }]);
    lanes.put_first(first, Part::new(batch, vec![attempt]));
    Ok(None)
}

/// Puts about half of the messages into each half: the app with the most messages is soon alone.
fn halve_apps(
    mut attempts: Vec<Attempt>,
    weights: &BTreeMap<Uuid, usize>,
) -> (Vec<Attempt>, Vec<Attempt>) {
    let weight = |attempt: &Attempt| weights.get(&attempt.app).copied().unwrap_or(0);
    attempts.sort_by_key(weight);
    let all: usize = attempts.iter().map(weight).sum();
    let mut sum = 0;
    let light = attempts.iter().take_while(|attempt| {
        sum += weight(attempt);
        sum * 2 <= all
    });
    let place = light.count().clamp(1, attempts.len() - 1);
    let heavy = attempts.split_off(place);
    (attempts, heavy)
}

/// Splits a group in two and returns the number of the first. None if it holds a single message.
async fn halve_group(spool: &Spool, group: &Group, batch: u64) -> anyhow::Result<Option<i64>> {
    let mut records = Vec::new();
    record::decode(&group.data, &mut records)?;
    let count = records.len();
    if count < 2 {
        return Ok(None);
    }
    let (mut first, mut rest) = (Piece::default(), Piece::default());
    first.tally = group.tally.clone();
    for (place, record) in records.iter().enumerate() {
        let piece = if place < count / 2 { &mut first } else { &mut rest };
        record.encode(&group.data, &mut piece.data);
        piece.messages += 1;
        piece.format = group.format;
    }
    let (seq, first_seq) = (group.seq, group.seq - rest.messages);
    spool.write(Change::Split { seq, first_seq, batch, first, rest }).await?;
    Ok(Some(first_seq))
}

/// Records the message of a part as set aside. It is booked and removed at the part's next turn, which
/// finds this record.
async fn set_aside(
    atrium: &Collecting,
    spool: &Spool,
    part: &Part,
    error: &str,
) -> anyhow::Result<()> {
    let groups = spool.take_begun(part.attempts.clone()).await?;
    for group in groups {
        let mut records = Vec::new();
        record::decode(&group.data, &mut records)?;
        let Some(record) = records.first() else { continue };
        let (log_id, kind) = (record.log_id.to_string(), record.kind.message_type().as_str());
        tracing::error!(app = %group.app, log_id, error, "a message cannot be stored and is set aside");
        keep_apart(atrium, spool, group, (log_id, kind), error).await?;
    }
    Ok(())
}

async fn keep_apart(
    atrium: &Collecting,
    spool: &Spool,
    group: Group,
    (log_id, kind): (String, &'static str),
    error: &str,
) -> anyhow::Result<()> {
    let message = SetAside {
        app: group.app,
        seq: group.seq,
        log_id,
        kind,
        received_at: group.at,
        set_aside_at: atrium.now().0,
        reason: Reason::CannotBeStored.as_str(),
        error: error.chars().take(ERROR_CHARS).collect(),
        messages: group.messages,
        format: group.format,
        data: group.data,
    };
    metrics::counter!("atrium_set_aside_messages_total").increment(message.messages.unsigned_abs());
    spool.write(Change::SetAside(message)).await
}

/// Books a message that was set aside, and removes it from the spool.
pub async fn finish_set_aside(
    atrium: &Collecting,
    spool: &Spool,
    attempt: Attempt,
) -> anyhow::Result<Turn> {
    let mut batch = Batch::begun(attempt.batch, spool.take_begun(vec![attempt]).await?);
    batch.keep_attempts(&[attempt]);
    batch.reject(Outcome::Rejected(Reason::CannotBeStored));
    let tallies = unbooked(atrium, &mut batch).await?;
    finish(atrium, spool, &batch, &tallies).await.map(Turn::Loaded)
}

/// Sets unreadable groups aside. Each step can be repeated after a crash.
pub async fn set_aside_unreadable(
    atrium: &Collecting,
    spool: &Spool,
    batch: &mut Batch,
) -> anyhow::Result<()> {
    for (group, error) in std::mem::take(&mut batch.unreadable) {
        let (app, seq, messages) = (group.app, group.seq, group.messages);
        tracing::error!(%app, messages, error, "a part of the spool cannot be read and is set aside");
        let tally: Tally = group.tally.clone().with_accepted_as(Reason::CannotBeStored);
        keep_apart(atrium, spool, group, (String::new(), "unreadable"), &error).await?;
        let mut tx = atrium.db.write_uncached().await?;
        let name = format!("{}/{}/{seq}", spool.name, app.simple());
        ledger::book(&mut tx, &name, &tally, atrium.now()).await?;
        tx.commit().await?;
        spool.write(Change::Remove { seq }).await.context("the spool")?;
    }
    Ok(())
}
