//! Executes a plan: runs the variants concurrently, stores each as it finishes, then ranks and
//! judges them.
//!
//! [`generate`] is the work itself, an ordinary future that other work can embed; [`start`] spawns
//! it. Variants start in order: each waits for a slot and, under a cap, for its reservation.
//!
//! If the run is a job, each finished variant is recorded with its prompt in one transaction, and
//! so is each finished step. A resumed run takes what is recorded from the journal.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::JoinSet;

use super::allowance;
use super::announce::Announcer;
use super::outcome::{self, VariantResults};
use super::plan::{FollowUp, Plan, Ports};
use super::shell::{self, WorkEnd};
use super::unsaved;
use super::variant::{self, Progress};
use crate::domain::{GenerationResult, ModelMetadata, Phase, Prompt, VariantFailure};
use crate::error::{Error, Problem, ProviderError, ProviderFailure};
use crate::event::run::{Run, RunControl};
use crate::event::{EventKind, Outcome};
use crate::job::{Journal, variant_unit};
use crate::ledger::Allotment;
use crate::offload::{INLINE_BYTES, offload};
use crate::store::{JobProgress, JobUnit};

/// Starts the run in the current runtime and returns at once.
pub fn start(plan: Plan, ports: Ports) -> Run {
    shell::start(plan.session_id, plan.count, plan.journal.clone(), |events, control| async move {
        let GenerationEnd { result, afterwards } = generate(Arc::new(plan), &ports, &events, &control).await;
        WorkEnd { result: result.map(Outcome::Generate), afterwards }
    })
}

/// The end of a generation.
pub struct GenerationEnd {
    /// The result or the error.
    pub result: Result<GenerationResult, Error>,
    /// The follow-up work for the stored prompts, to begin after the last event.
    pub afterwards: Option<FollowUp>,
}

/// Executes a plan and sends all events but the last. Fails with `cancelled` if `control` was.
pub async fn generate(plan: Arc<Plan>, ports: &Ports, events: &Announcer, control: &RunControl) -> GenerationEnd {
    events.send(plan.started()).await;
    for message in &plan.warnings {
        events.warn(None, None, message.clone()).await;
    }
    let mut stored = Vec::new();
    let mut answered = Vec::new();
    let mut by_judge = None;
    let result = match begin(&plan, ports, events).await {
        Err(error) => Err(error),
        Ok(()) => {
            let deadline = plan.timeout.map(|limit| tokio::time::Instant::now() + limit);
            let gathered = run_variants(&plan, ports, events, control, deadline).await;
            if plan.save {
                stored = gathered.stored_prompts();
            }
            answered.clone_from(&gathered.spent);
            let before = plan.account.answered();
            let result = outcome::conclude(&plan, ports, events, control, deadline, gathered).await;
            by_judge = plan.account.answered().since(before).account();
            result
        }
    };
    // Prepared before the last event, so that consumers of that event wait for it.
    let unseen = plan.account.unseen();
    if unseen.may_have_cost() || (result.is_err() && by_judge.as_ref().is_some_and(ModelMetadata::may_have_cost)) {
        let model_metadata = unseen.added_to(ModelMetadata::sum(answered.iter().chain(&by_judge)));
        events.send(EventKind::Spent { model_metadata }).await;
    }
    GenerationEnd { result, afterwards: (!stored.is_empty()).then(|| (ports.afterwards)(stored, plan.account.clone())) }
}

/// Checks what the caps buy and records the run, so that a cap that is too low or an unusable
/// database is found before anything is spent.
async fn begin(plan: &Plan, ports: &Ports, events: &Announcer) -> Result<(), Error> {
    let is_resumed = plan.journal.as_ref().is_some_and(Journal::is_resumed);
    if let Some(allowance) = &plan.allowance {
        // A resumed run is partly done, so its caps are checked variant by variant.
        if !is_resumed && let Some(message) = allowance.outlook(&plan.account).await? {
            events.warn(None, None, message).await;
        }
        plan.account.keep_for_judge(allowance.judge.clone());
    }
    let session = plan.save.then(|| ports.store.begin_session(plan.session()));
    let job = async {
        match &plan.journal {
            Some(journal) if is_awaited(plan, journal) => journal.begin_if_possible().await,
            Some(journal) => journal.begin_in_background(),
            None => {}
        }
    };
    let session = async {
        match session {
            Some(pending) => pending.await,
            None => Ok(()),
        }
    };
    // Both are requested before either is awaited.
    match tokio::join!(session, job).0 {
        Err(Error::Conflict(_)) if is_resumed => Ok(()),
        session => session,
    }
}

/// True if a variant is finished only once the journal has recorded it: its prompt is stored with
/// the record, or the journal is the only place where a client finds it.
fn is_awaited(plan: &Plan, journal: &Journal) -> bool {
    plan.save || journal.is_kept()
}

/// A failed variant: its phase, its error, and what its finished phases took.
struct FailedVariant {
    phase: Option<Phase>,
    error: Error,
    spent: Vec<ModelMetadata>,
}

/// The end of one variant.
struct VariantEnd {
    variant: u32,
    result: Result<Prompt, FailedVariant>,
    /// Set if the prompt is finished but could not be stored.
    unsaved: Option<Error>,
}

async fn run_variants(
    plan: &Arc<Plan>,
    ports: &Ports,
    events: &Announcer,
    control: &RunControl,
    deadline: Option<tokio::time::Instant>,
) -> VariantResults {
    let mut tasks = JoinSet::new();
    let mut waiting = Vec::new();
    for number in 0..plan.count {
        let (plan, ports, events, control) = (Arc::clone(plan), ports.clone(), events.clone(), control.clone());
        let (start, started) = oneshot::channel();
        waiting.push(start);
        tasks.spawn(async move { one_variant(&plan, &ports, &events, &control, started, deadline, number).await });
    }
    let mut gathered = VariantResults::default();
    let gathering = async {
        while let Some(joined) = tasks.join_next().await {
            match joined {
                Ok(ended) => gather(&mut gathered, ended),
                Err(defect) => tracing::error!(%defect, "a variant's task ended abnormally"),
            }
        }
    };
    tokio::join!(start_in_order(plan, waiting), gathering);
    gathered.failures.sort_by_key(|failure| failure.variant);
    gathered.prompts.sort_by_key(|prompt| prompt.variant);
    gathered
}

fn gather(gathered: &mut VariantResults, ended: VariantEnd) {
    match ended.result {
        Ok(prompt) => {
            gathered.spent.extend(prompt.steps.iter().map(|step| step.model_metadata.clone()));
            match ended.unsaved {
                None => gathered.stored.push(prompt.id),
                Some(error) => {
                    let error = Problem::from(error);
                    gathered.failures.push(VariantFailure { variant: ended.variant, phase: None, error });
                }
            }
            gathered.prompts.push(prompt);
        }
        Err(gave_up) => {
            gathered.spent.extend(gave_up.spent);
            let error = Problem::from(&gave_up.error);
            gathered.failures.push(VariantFailure { variant: ended.variant, phase: gave_up.phase, error });
            gathered.first_error = gathered.first_error.take().or(Some(gave_up.error));
        }
    }
}

/// What a variant needs to start.
struct StartPermit {
    /// Its concurrency permit.
    _place: Option<OwnedSemaphorePermit>,
    /// Its reservation, if a cap is in force.
    allotment: Option<Allotment>,
}

/// Starts the variants in order. Skips those that no longer wait.
async fn start_in_order(plan: &Plan, waiting: Vec<oneshot::Sender<Result<StartPermit, Error>>>) {
    let own = || Arc::new(Semaphore::new(plan.concurrency.max(1)));
    let places = plan.slots.clone().unwrap_or_else(own);
    for (number, mut variant) in waiting.into_iter().enumerate() {
        let start = tokio::select! {
            biased;
            () = variant.closed() => continue,
            start = wait_for_start(plan, &places, number) => start,
        };
        // If the variant has just stopped waiting, this releases its reservation.
        let _gone = variant.send(start);
    }
}

/// Waits until this variant can start.
async fn wait_for_start(plan: &Plan, places: &Arc<Semaphore>, number: usize) -> Result<StartPermit, Error> {
    // The semaphore is never closed, so this cannot fail.
    let place = Arc::clone(places).acquire_owned().await.ok();
    let steps = plan.allowance.as_ref().and_then(|allowance| allowance.variants.get(number));
    let allotment = match steps {
        Some(steps) => {
            let set_aside = plan.account.set_aside(steps.clone()).await;
            Some(set_aside.map_err(|refusal| allowance::not_started(plan, &refusal))?)
        }
        None => None,
    };
    Ok(StartPermit { _place: place, allotment })
}

async fn one_variant(
    plan: &Plan,
    ports: &Ports,
    events: &Announcer,
    control: &RunControl,
    started: oneshot::Receiver<Result<StartPermit, Error>>,
    deadline: Option<tokio::time::Instant>,
    number: u32,
) -> VariantEnd {
    let mut progress = Progress::default();
    let work = async {
        let lost = |_| Err(Error::Internal("a variant was never begun".into()));
        let start = started.await.unwrap_or_else(lost)?;
        let prompt = variant::run(plan, ports, events, number, start.allotment.as_ref(), &mut progress).await?;
        if let Some(allotment) = start.allotment {
            allotment.complete();
        }
        Ok(prompt)
    };
    if let Some(known) = earlier(plan, number) {
        return repeat_recorded(events, number, known).await;
    }
    let result = tokio::select! {
        biased;
        () = control.variant_token(number).cancelled() => Err(Error::Cancelled),
        () = past(deadline) => Err(out_of_time(plan.timeout, "ask for fewer variants")),
        result = work => result,
    };
    match result {
        Ok(prompt) => finish(plan, ports, events, number, prompt).await,
        Err(error) => {
            let problem = Box::new(Problem::from(&error));
            events.send(EventKind::VariantFailed { variant: number, phase: progress.phase, error: problem }).await;
            let gave_up = FailedVariant { phase: progress.phase, error, spent: progress.spent };
            VariantEnd { variant: number, result: Err(gave_up), unsaved: None }
        }
    }
}

/// The result of this variant from an earlier attempt of the job, if it finished.
fn earlier(plan: &Plan, number: u32) -> Option<Result<Prompt, Error>> {
    plan.journal.as_ref()?.result_of(&variant_unit(number))?;
    let prompt = plan.earlier.iter().find(|prompt| prompt.variant == number).cloned();
    Some(prompt.ok_or_else(|| {
        Error::Conflict(format!("variant {} was finished before, and its prompt has been deleted since", number + 1))
    }))
}

/// Repeats the event of a variant that is already recorded.
async fn repeat_recorded(events: &Announcer, number: u32, known: Result<Prompt, Error>) -> VariantEnd {
    let result = match known {
        Ok(prompt) => {
            events.send(EventKind::variant_finished(prompt.clone())).await;
            Ok(prompt)
        }
        Err(error) => {
            let problem = Box::new(Problem::from(&error));
            events.send(EventKind::VariantFailed { variant: number, phase: None, error: problem }).await;
            Err(FailedVariant { phase: None, error, spent: Vec::new() })
        }
    };
    VariantEnd { variant: number, result, unsaved: None }
}

/// Stores the prompt, then reports it. A prompt that cannot be stored is saved to a file and
/// reported with a warning.
async fn finish(plan: &Plan, ports: &Ports, events: &Announcer, number: u32, prompt: Prompt) -> VariantEnd {
    let refused = match (&plan.journal, plan.save) {
        (Some(journal), save) if journal.has_begun() => {
            let progress = finished_variant(save, prompt.clone());
            if is_awaited(plan, journal) {
                record(journal, progress).await.err()
            } else {
                journal.note(progress);
                None
            }
        }
        (_, true) => append(ports, prompt.clone()).await.err(),
        (_, false) => None,
    };
    let unsaved = match refused {
        Some(error) => Some(unsaved::save(plan, ports, &prompt, &error).await),
        None => None,
    };
    events.send(EventKind::variant_finished(prompt.clone())).await;
    if let Some(error) = &unsaved {
        events.warn_unsaved(Some(number), error).await;
    }
    VariantEnd { variant: number, result: Ok(prompt), unsaved }
}

/// The progress of a job by a finished variant, with its prompt if prompts are stored. If not, the
/// next attempt makes the variant again.
fn finished_variant(save: bool, prompt: Prompt) -> JobProgress {
    let (unit, result) = (variant_unit(prompt.variant), json!({ "prompt_id": prompt.id }));
    JobProgress {
        units: if save { vec![JobUnit { unit, is_whole: true, result }] } else { Vec::new() },
        events: vec![EventKind::variant_finished(prompt.clone())],
        prompts: if save { vec![prompt] } else { Vec::new() },
        done: 1,
        ..JobProgress::default()
    }
}

/// Records the progress durably. Long prompts go to another thread, as collecting their words
/// blocks the caller.
async fn record(journal: &Journal, progress: JobProgress) -> Result<(), Error> {
    let bytes = progress.prompts.iter().map(|prompt| prompt.content.len() + prompt.original_input.len()).sum();
    if bytes <= INLINE_BYTES {
        return journal.record(progress).await;
    }
    let journal = journal.clone();
    offload(bytes, move || journal.record(progress).wait()).await?
}

/// Stores a prompt. A long one goes to another thread, as collecting its words blocks the caller.
async fn append(ports: &Ports, prompt: Prompt) -> Result<(), Error> {
    let bytes = prompt.content.len() + prompt.original_input.len();
    if bytes <= INLINE_BYTES {
        return ports.store.append(vec![prompt]).await;
    }
    let store = Arc::clone(&ports.store);
    offload(bytes, move || store.append(vec![prompt]).wait()).await?
}

/// The error of a run whose timeout has passed; `fewer` is the advice for taking less time.
pub(super) fn out_of_time(limit: Option<Duration>, fewer: &str) -> Error {
    let seconds = limit.unwrap_or_default().as_secs_f64();
    ProviderError::new(
        "run",
        ProviderFailure::Timeout,
        format!("the run's timeout of {seconds} s passed; raise `timeout_s`, or {fewer}"),
    )
    .into()
}

pub(super) async fn past(deadline: Option<tokio::time::Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
