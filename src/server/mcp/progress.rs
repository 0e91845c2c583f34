//! Reports a run as progress notifications.
//!
//! Progress counts finished units: the phases of a generation, including those a failed variant
//! skips, the comparisons of a selection, or whatever another operation counts. The total has one
//! more step for what follows (ranking, conclusions), which the last event reaches however few
//! there were. The protocol requires the number to rise with every notification, so events between
//! two finished phases add 1/1024. Each notification describes the event in words and has its names
//! in `_meta` under [`EVENT_KEY`]. Deltas are left out, because the text comes with the result, and
//! so are failures, which are the tool's reply.

use std::collections::BTreeMap;

use aludel_core::domain::{Operation, Phase};
use aludel_core::event::{Event, EventKind};
use rmcp::RoleServer;
use rmcp::model::{NotificationMetaObject, ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// The key of the event in a notification's `_meta`: `type`, `session_id`, `seq` and more.
pub const EVENT_KEY: &str = "aludel/event";
/// The members copied from an event.
const NAMES: [&str; 7] = ["type", "session_id", "seq", "variant", "phase", "provider", "model"];
/// The most notifications between two finished phases.
const STEPS: u32 = 1024;

/// Sends a run's progress to the client, if it asked for it.
pub(super) struct Progress {
    listener: Option<(Peer<RoleServer>, ProgressToken)>,
    input_ended: CancellationToken,
    count: ProgressCount,
}

impl Progress {
    /// For the client of this request.
    pub(super) fn new(context: &RequestContext<RoleServer>, input_ended: CancellationToken) -> Self {
        let listener = context.meta.get_progress_token().map(|token| (context.peer.clone(), token));
        Self { listener, input_ended, count: ProgressCount::default() }
    }

    /// Reports one event. Does nothing once the client is gone.
    pub(super) async fn tell(&mut self, event: &Event) {
        let Some((peer, token)) = &self.listener else { return };
        let Some(progress) = self.count.after(&event.kind) else { return };
        let Some(message) = in_words(&event.kind, &self.count) else { return };
        let mut notification = ProgressNotificationParam::new(token.clone(), progress)
            .with_total(f64::from(self.count.total))
            .with_message(message);
        notification.meta = Some(meta(event));
        let told = tokio::select! {
            told = peer.notify_progress(notification) => told.is_ok(),
            () = self.input_ended.cancelled() => false,
        };
        if !told {
            self.listener = None;
        }
    }
}

/// The progress of a run.
#[derive(Debug, Default)]
struct ProgressCount {
    operation: Option<Operation>,
    total: u32,
    variants: u32,
    phases: u32,
    finished: u32,
    finished_of: BTreeMap<u32, u32>,
    steps: u32,
    /// The part being counted, where the operation has several, and the units of earlier parts.
    part: Option<String>,
    before: u32,
}

impl ProgressCount {
    /// The progress after this event; `None` when there is nothing to send or no number left.
    fn after(&mut self, kind: &EventKind) -> Option<f64> {
        match kind {
            EventKind::Started { operation, total, variants, phases } => {
                self.operation = Some(*operation);
                self.variants = *variants;
                self.phases = u32::try_from(phases.len()).unwrap_or(u32::MAX);
                let units = u32::try_from(total.unwrap_or_default()).unwrap_or(u32::MAX - 1);
                let steps = if *variants == 0 { units } else { self.variants.saturating_mul(self.phases) };
                self.total = steps.saturating_add(1);
                return Some(0.0);
            }
            EventKind::Judged { .. } if self.variants == 0 => self.advance_to(self.finished + 1),
            EventKind::Progress { part, done, total } => {
                // Each part counts from 0, but progress never goes back.
                if self.part != *part {
                    self.part.clone_from(part);
                    self.before = self.finished;
                }
                let number = |units: u64| u32::try_from(units).unwrap_or(u32::MAX - 1).saturating_add(self.before);
                if let Some(total) = total {
                    self.total = number(*total).saturating_add(1);
                }
                self.advance_to(number(*done));
            }
            EventKind::UnitFinished { .. } | EventKind::RowFinished { .. } => self.advance_to(self.finished + 1),
            EventKind::Finished { .. } => return Some(f64::from(self.total)),
            EventKind::PhaseFinished { variant, .. } => self.finish(*variant, 1),
            EventKind::VariantFailed { variant, .. } => {
                let done = self.finished_of.get(variant).copied().unwrap_or(0);
                self.finish(*variant, self.phases.saturating_sub(done));
            }
            EventKind::Delta { .. } | EventKind::Spent { .. } | EventKind::Failed { .. } | EventKind::Cancelled {} => {
                return None;
            }
            _ => self.steps += 1,
        }
        (self.steps < STEPS).then(|| f64::from(self.finished) + f64::from(self.steps) / f64::from(STEPS))
    }

    /// Sets the finished units. A repeated or lower count adds a step; the last number is reserved.
    fn advance_to(&mut self, done: u32) {
        let done = done.min(self.total.saturating_sub(1));
        if done > self.finished {
            self.finished = done;
            self.steps = 0;
        } else {
            self.steps += 1;
        }
    }

    fn finish(&mut self, variant: u32, phases: u32) {
        if phases == 0 {
            self.steps += 1;
            return;
        }
        *self.finished_of.entry(variant).or_default() += phases;
        self.finished += phases;
        self.steps = 0;
    }
}

fn meta(event: &Event) -> NotificationMetaObject {
    let Ok(Value::Object(mut whole)) = serde_json::to_value(event) else { return NotificationMetaObject::new() };
    let named = NAMES.into_iter().filter_map(|name| Some((name.to_owned(), whole.remove(name)?)));
    let named: Map<String, Value> = named.filter(|(_, value)| !value.is_null()).collect();
    NotificationMetaObject::from(Map::from_iter([(EVENT_KEY.to_owned(), Value::Object(named))]))
}

/// Describes the event to a person. Variants count from 1.
fn in_words(kind: &EventKind, count: &ProgressCount) -> Option<String> {
    let name = |variant: &u32| format!("variant {} of {}", variant + 1, count.variants);
    let of_all = || format!("{} of {}", count.finished, count.total.saturating_sub(1));
    Some(match kind {
        EventKind::Started { operation, variants: 0, total, .. } => match (operation, total) {
            (Operation::Select | Operation::Compare, Some(1)) => "the judge makes 1 comparison".to_owned(),
            (Operation::Select | Operation::Compare, Some(most)) => format!("the judge makes up to {most} comparisons"),
            (operation, Some(total)) => format!("{operation}: {total} to do"),
            (operation, None) => format!("{operation} has begun"),
        },
        EventKind::Started { variants: 1, phases, .. } => format!("1 variant through {}", joined(phases)),
        EventKind::Started { variants, phases, .. } => format!("{variants} variants through {}", joined(phases)),
        EventKind::PhaseStarted { variant, phase, provider, .. } => {
            format!("{}: {phase} begins with {provider}", name(variant))
        }
        EventKind::PhaseFinished { variant, phase, .. } => format!("{}: {phase} is done", name(variant)),
        EventKind::VariantFinished { variant, .. } => format!("{} is finished", name(variant)),
        EventKind::VariantFailed { variant, error, .. } => format!("{} failed: {}", name(variant), error.detail),
        EventKind::Retrying { variant, phase, provider, attempt, error, .. } => {
            format!("{}: {phase} is retried with {provider} (attempt {attempt}): {}", name(variant), error.detail)
        }
        EventKind::Warning { message, .. } => message.clone(),
        EventKind::Ranked { rankings } => format!("{} ranked", rankings.len()),
        EventKind::Judged { .. } if count.variants == 0 => format!("{} comparisons", of_all()),
        EventKind::Judged { .. } => "two variants were compared".to_owned(),
        EventKind::Progress { part, done, total } => {
            let what = part.as_deref().or(count.operation.map(Operation::as_str)).unwrap_or_default();
            let total = total.map_or_else(String::new, |total| format!(" of {total}"));
            format!("{what}: {done}{total}")
        }
        EventKind::UnitStarted { unit } => format!("{unit} has begun"),
        EventKind::UnitFinished { unit, .. } => format!("{unit} is done"),
        EventKind::RowFinished { row } => format!("row {} is {}", row.id, row.status.as_str()),
        EventKind::Finished { outcome } => format!("{} is done", outcome.operation()),
        EventKind::Delta { .. } | EventKind::Spent { .. } | EventKind::Failed { .. } | EventKind::Cancelled {} => {
            return None;
        }
    })
}

fn joined(phases: &[Phase]) -> String {
    phases.iter().map(|phase| phase.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use aludel_core::domain::{ModelMetadata, SessionId};
    use aludel_core::error::{Error, Problem};

    use super::*;

    fn started(variants: u32) -> EventKind {
        EventKind::Started {
            operation: Operation::Generate,
            total: None,
            variants,
            phases: vec![Phase::PrimaMateria, Phase::Solutio],
        }
    }

    fn begun(variant: u32) -> EventKind {
        EventKind::PhaseStarted {
            variant,
            phase: Phase::Solutio,
            provider: "builtin".into(),
            model: "m".into(),
            strategy: "plain".into(),
        }
    }

    fn finished(variant: u32) -> EventKind {
        EventKind::PhaseFinished {
            variant,
            phase: Phase::Solutio,
            provider: "builtin".into(),
            model: "m".into(),
            content: "x".into(),
            model_metadata: ModelMetadata::default(),
        }
    }

    fn failed(variant: u32) -> EventKind {
        let error = Box::new(Problem::from(Error::Storage("full".into())));
        EventKind::VariantFailed { variant, phase: None, error }
    }

    #[test]
    fn progress_counts_finished_phases_and_always_rises() {
        let mut count = ProgressCount::default();
        let kinds =
            [started(2), begun(0), begun(1), finished(0), begun(0), finished(0), failed(0), finished(1), failed(1)];
        let told: Vec<f64> = kinds.iter().filter_map(|kind| count.after(kind)).collect();
        assert!(told.is_sorted_by(|a, b| a < b), "{told:?}");
        assert_eq!(told.first().copied(), Some(0.0));
        assert_eq!(told.last().copied(), Some(f64::from(count.total - 1)));
    }

    #[test]
    fn the_progress_of_any_operation_is_its_units_up_to_its_total() {
        let begun = EventKind::Started { operation: Operation::Reindex, total: None, variants: 0, phases: Vec::new() };
        let at = |done, total| EventKind::Progress { part: None, done, total };
        let mut count = ProgressCount::default();
        let told: Vec<f64> = [begun, at(0, Some(40)), at(12, None), at(11, None), at(40, Some(40))]
            .iter()
            .filter_map(|kind| count.after(kind))
            .collect();
        assert!(told.is_sorted_by(|a, b| a < b), "{told:?}");
        assert_eq!((told[2], told.last(), count.total), (12.0, Some(&40.0), 41));
        assert_eq!(in_words(&at(40, Some(40)), &count).unwrap(), "reindex: 40 of 40");
    }

    #[test]
    fn the_parts_of_an_operation_add_up() {
        let begun = EventKind::Started { operation: Operation::Reindex, total: None, variants: 0, phases: Vec::new() };
        let at = |part: &str, done| EventKind::Progress { part: Some(part.into()), done, total: Some(10) };
        let mut count = ProgressCount::default();
        let told: Vec<f64> =
            [begun, at("words", 4), at("words", 10), at("vectors", 0), at("vectors", 5), at("vectors", 10)]
                .iter()
                .filter_map(|kind| count.after(kind))
                .collect();
        assert!(told.is_sorted_by(|a, b| a < b), "{told:?}");
        assert_eq!((told[2], told[4], told[5], count.total), (10.0, 15.0, 20.0, 21));
        assert_eq!(in_words(&at("vectors", 5), &count).unwrap(), "vectors: 5 of 10");
    }

    #[test]
    fn no_number_is_told_twice_however_much_happens() {
        let mut count = ProgressCount::default();
        count.after(&started(1));
        let told = (0..5000).filter(|_| count.after(&begun(0)).is_some()).count();
        assert_eq!(told, 1023);
        assert_eq!(count.after(&finished(0)), Some(1.0));
    }

    #[test]
    fn a_notification_carries_the_names_of_its_event_and_none_of_its_texts() {
        let session: SessionId = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21".parse().unwrap();
        let meta = meta(&Event { session_id: session, seq: 4, kind: finished(1) });
        assert_eq!(
            meta.get(EVENT_KEY).unwrap(),
            &serde_json::json!({
                "type": "phase_finished", "session_id": session, "seq": 4, "variant": 1, "phase": "solutio",
                "provider": "builtin", "model": "m"
            })
        );
    }

    #[test]
    fn what_happened_is_said_in_words() {
        let of = |variants| ProgressCount { variants, ..ProgressCount::default() };
        assert_eq!(in_words(&started(2), &of(2)).unwrap(), "2 variants through prima-materia, solutio");
        assert_eq!(in_words(&finished(1), &of(3)).unwrap(), "variant 2 of 3: solutio is done");
        assert!(in_words(&failed(0), &of(1)).unwrap().contains("full"));
    }
}
