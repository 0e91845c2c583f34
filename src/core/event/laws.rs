//! Checks the laws of an event stream, for tests of the core and of every face that carries one.

use std::collections::BTreeMap;

use super::{Event, EventKind, RunView};
use crate::domain::Phase;

/// Checks a whole stream, first event to last.
///
/// # Errors
/// A sentence naming the law that is broken and where.
pub fn check(events: &[Event]) -> Result<(), String> {
    numbered(events)?;
    ends_once(events)?;
    phases_are_whole(events)?;
    folding_splits(events)
}

fn numbered(events: &[Event]) -> Result<(), String> {
    match events.iter().zip(0_u64..).find(|(event, number)| event.seq != *number) {
        Some((event, number)) => Err(format!("event {number} carries seq {}", event.seq)),
        None => Ok(()),
    }
}

fn ends_once(events: &[Event]) -> Result<(), String> {
    let terminal: Vec<usize> =
        events.iter().enumerate().filter(|(_, event)| event.kind.is_terminal()).map(|(at, _)| at).collect();
    if terminal.len() == 1 && terminal[0] + 1 == events.len() {
        return Ok(());
    }
    Err(format!("of {} events, terminal ones stand at {terminal:?}; exactly one must, at the end", events.len()))
}

/// Deltas concatenate to the content, and every started phase finishes or its variant fails.
fn phases_are_whole(events: &[Event]) -> Result<(), String> {
    let mut open: BTreeMap<(u32, Phase), String> = BTreeMap::new();
    for event in events {
        match &event.kind {
            EventKind::PhaseStarted { variant, phase, .. } => {
                let already = open.insert((*variant, *phase), String::new());
                already.map_or(Ok(()), |_| Err(format!("{phase} of variant {variant} started twice")))?;
            }
            EventKind::Delta { variant, phase, text } => match open.get_mut(&(*variant, *phase)) {
                Some(so_far) => so_far.push_str(text),
                None => return Err(format!("text for {phase} of variant {variant}, which is not at work")),
            },
            EventKind::Retrying { variant, phase, .. } => match open.get_mut(&(*variant, *phase)) {
                Some(so_far) => so_far.clear(),
                None => return Err(format!("a retry of {phase} of variant {variant}, which is not at work")),
            },
            EventKind::PhaseFinished { variant, phase, content, .. } => match open.remove(&(*variant, *phase)) {
                Some(so_far) if so_far == *content => {}
                Some(so_far) => {
                    return Err(format!("{phase} of variant {variant}: deltas say {so_far:?}, the whole {content:?}"));
                }
                None => return Err(format!("{phase} of variant {variant} finished without having started")),
            },
            EventKind::VariantFailed { variant, .. } => open.retain(|(open, _), _| open != variant),
            _ => {}
        }
    }
    match open.keys().next() {
        Some((variant, phase)) => Err(format!("{phase} of variant {variant} neither finished nor failed")),
        None => Ok(()),
    }
}

/// Folding a prefix and then the rest equals folding all.
fn folding_splits(events: &[Event]) -> Result<(), String> {
    let fold = |mut view: RunView, events: &[Event]| {
        for event in events {
            view.apply(event);
        }
        view
    };
    let whole = fold(RunView::default(), events);
    for split in [1, events.len() / 3, events.len() / 2, events.len().saturating_sub(1)] {
        let (before, after) = events.split_at(split.min(events.len()));
        if fold(fold(RunView::default(), before), after) != whole {
            return Err(format!("folding split at {split} differs from folding all"));
        }
    }
    Ok(())
}
