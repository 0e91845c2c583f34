//! A session of the plain workbench: a request, its run, and commands, until the user leaves.
//! `batches` has the commands about jobs and batches.
//!
//! Each command is one operation of the engine; a refusal is reported and the session continues.
//! Lines typed during a run wait. The prompts of the last listing have numbers, until the next.

mod batches;

use std::collections::VecDeque;
use std::io::{self, Write};

use aludel_core::api::{
    CompareRequest, GenerateRequest, JobsRequest, ListRequest, Request, SearchRequest, SelectRequest, ShowRequest,
    UpdateRequest, value_of_text,
};
use aludel_core::domain::{Operation, Prompt, PromptId, PromptSummary, SessionId};
use aludel_core::engine::{Engine, Estimate, Preflight, RowCursor};
use aludel_core::error::{Problem, Result};
use aludel_core::event::RunView;
use aludel_core::event::run::Run;
use aludel_core::time::{Clock, SystemClock};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::command::{COMMANDS, Command, parse};
use super::lines::{LineEvent, LineOutput};
use super::wording;
use crate::tui::widgets::figures::letter;

/// The default number of rows.
const ROWS: &str = "10";

/// Whether the session continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    GoOn,
    Leave,
}

/// A session over an engine.
pub(super) struct Session<W> {
    engine: Engine,
    out: LineOutput<W>,
    heard: mpsc::Receiver<LineEvent>,
    /// Input typed while something else was under way.
    ahead: VecDeque<LineEvent>,
    /// The prompts of the last listing, in order.
    rows: Vec<PromptId>,
    /// The last request.
    idea: Option<String>,
    /// The run settings, over the configuration.
    settings: Map<String, Value>,
    /// The batch that was shown last, and where its next rows begin.
    batch: Option<(SessionId, Option<RowCursor>)>,
}

impl<W: Write> Session<W> {
    /// A session that writes to `to` and reads from `heard`.
    pub(super) fn new(engine: Engine, to: W, heard: mpsc::Receiver<LineEvent>) -> Self {
        Self {
            engine,
            out: LineOutput::new(to),
            heard,
            ahead: VecDeque::new(),
            rows: Vec::new(),
            idea: None,
            settings: Map::new(),
            batch: None,
        }
    }

    /// Runs until the user leaves or the input ends.
    ///
    /// # Errors
    /// Those of writing.
    pub(super) async fn run(mut self, welcome: &str) -> io::Result<()> {
        self.out.say(welcome)?;
        let mut flow = self.compose().await?;
        let mut is_leaving = false;
        while flow == Flow::GoOn {
            self.out.ask("> ")?;
            flow = match self.next().await {
                LineEvent::Line(line) if line.trim().is_empty() => Flow::GoOn,
                LineEvent::Line(line) => match parse(&line) {
                    Ok(command) => self.execute(command).await?,
                    Err(expected) => self.told(&expected)?,
                },
                LineEvent::Interrupt if !is_leaving => {
                    is_leaving = true;
                    self.told("Nothing is running. Ctrl-C again quits, and so does quit.")?;
                    continue;
                }
                LineEvent::Interrupt | LineEvent::End | LineEvent::Stop => Flow::Leave,
            };
            is_leaving = false;
        }
        Ok(())
    }

    /// The next input; [`LineEvent::End`] once there can be no more.
    async fn next(&mut self) -> LineEvent {
        match self.ahead.pop_front() {
            Some(heard) => heard,
            None => self.heard.recv().await.unwrap_or(LineEvent::End),
        }
    }

    /// Reads a request and runs it.
    async fn compose(&mut self) -> io::Result<Flow> {
        self.out.say("Your request, in as many lines as you like. A line with a single dot ends it.")?;
        self.out.say("A dot alone goes to the commands.")?;
        let mut lines: Vec<String> = Vec::new();
        loop {
            match self.next().await {
                LineEvent::Line(line) if line.trim_end() == "." => break,
                LineEvent::Line(line) => lines.push(line),
                LineEvent::End if !lines.is_empty() => break,
                LineEvent::End | LineEvent::Stop => return Ok(Flow::Leave),
                LineEvent::Interrupt => {
                    return self.told("The request is discarded. Help lists the commands, new takes another.");
                }
            }
        }
        if lines.iter().all(|line| line.trim().is_empty()) {
            return self.told("No request yet. Help lists the commands, new takes a request.");
        }
        self.idea = Some(lines.join("\n"));
        self.generate().await
    }

    async fn execute(&mut self, command: Command) -> io::Result<Flow> {
        match command {
            Command::Help => self.help()?,
            Command::New => return self.compose().await,
            Command::Again => return self.generate().await,
            Command::List(limit) => self.list(limit.as_deref().unwrap_or(ROWS)).await?,
            Command::Search { query, by_meaning } => self.search(&query, by_meaning).await?,
            Command::Show(place) => {
                if let Some(prompt) = self.read(place).await? {
                    for line in wording::known(place, self.rows.len(), &prompt) {
                        self.out.say(line)?;
                    }
                    self.out.text(&prompt.content)?;
                }
            }
            Command::Print(place) => {
                if let Some(prompt) = self.read(place).await? {
                    self.out.text(&prompt.content)?;
                }
            }
            Command::Compare(places) => self.compare(&places).await?,
            Command::Judge { places, task } => return self.judge(&places, task).await,
            Command::Tag { place, labels } => self.tag(place, &labels).await?,
            Command::Set(name, value) => self.set(&name, value.as_deref())?,
            Command::Settings => self.tell_settings()?,
            Command::Jobs { all } => self.jobs(all).await?,
            Command::Batch(path) => return self.batch(&path).await,
            Command::Job(id) => self.job(&id).await?,
            Command::More => self.more().await?,
            Command::Row(row) => self.row(row).await?,
            Command::Stop(id) => self.stop(&id).await?,
            Command::Resume(id, budget) => self.resume(&id, budget.as_deref()).await?,
            Command::Quit => return Ok(Flow::Leave),
        }
        Ok(Flow::GoOn)
    }

    fn help(&mut self) -> io::Result<()> {
        for (usage, does) in COMMANDS {
            self.out.say(format!("{usage}: {does}"))?;
        }
        self.out.say("N is a number from the last list of prompts.")
    }

    /// Runs the request.
    async fn generate(&mut self) -> io::Result<Flow> {
        let Some(idea) = &self.idea else { return self.told("There is no request yet; new takes one.") };
        let mut raw = self.settings.clone();
        raw.insert("input".to_owned(), idea.as_str().into());
        let Some(request) = self.decoded::<GenerateRequest>(raw.into())? else { return Ok(Flow::GoOn) };
        let provider = request.provider.clone();
        let prepared = self.engine.prepare(request);
        let Some(prepared) = self.or_report(prepared)? else { return Ok(Flow::GoOn) };
        let mut budget_usd = prepared.budget_usd();
        if !self.confirms(prepared.preflight().clone(), &mut budget_usd).await? {
            return self.told("Nothing was sent.");
        }
        let detected_providers = self.engine.look_for_providers(provider.as_deref());
        let run = prepared.with_budget(budget_usd).start();
        let Some(run) = self.or_report(run)? else { return Ok(Flow::GoOn) };
        let (view, flow) = self.follow(run).await?;
        self.tell_prompts(&view)?;
        for newcomer in detected_providers.point_out().await {
            let (reason, name) = (newcomer.reason, newcomer.name);
            self.out.say(format!("Note: {reason}, so {name} can be used: set provider {name}"))?;
        }
        Ok(flow)
    }

    /// Lists the prompts of a run, best first, and numbers them.
    fn tell_prompts(&mut self, view: &RunView) -> io::Result<()> {
        let prompts: Vec<&Prompt> = match view.generation() {
            Some(result) => {
                let (finished, all) = (result.prompts.len(), view.variants.len());
                self.out.say(wording::ending(finished, all, &result.model_metadata))?;
                result.prompts.iter().collect()
            }
            None => view.finished_prompts().collect(),
        };
        if prompts.is_empty() {
            return Ok(());
        }
        self.out.say(if view.generation().is_some() { "Best first:" } else { "What is finished:" })?;
        self.rows = prompts.iter().map(|prompt| prompt.id).collect();
        for (prompt, place) in prompts.iter().zip(1..) {
            self.out.say(wording::row(place, prompts.len(), prompt))?;
        }
        // These cannot be shown by number later.
        let is_unsaved = |prompt: &&&Prompt| view.unsaved().any(|(variant, _)| variant == prompt.variant);
        for prompt in prompts.iter().filter(is_unsaved) {
            self.out.say(format!("{} is not stored; this is its text:", letter(prompt.variant)))?;
            self.out.text(&prompt.content)?;
        }
        Ok(())
    }

    fn tell_stored(&mut self, prompts: &[&PromptSummary]) -> io::Result<()> {
        self.rows = prompts.iter().map(|prompt| prompt.id).collect();
        for (prompt, place) in prompts.iter().zip(1..) {
            self.out.say(wording::stored(place, prompts.len(), prompt))?;
        }
        Ok(())
    }

    async fn list(&mut self, limit: &str) -> io::Result<()> {
        let raw = json!({ "limit": value_of_text(ListRequest::FIELDS, "limit", limit) });
        let Some(request) = self.decoded::<ListRequest>(raw)? else { return Ok(()) };
        let page = self.engine.list_as::<PromptSummary>(request).await;
        let Some(page) = self.or_report(page)? else { return Ok(()) };
        if page.prompts.is_empty() {
            return self.out.say("Nothing is stored yet.");
        }
        self.tell_stored(&page.prompts.iter().map(|listed| &listed.prompt).collect::<Vec<_>>())?;
        if page.next_cursor.is_some() {
            let more = page.prompts.len() * 2;
            self.out.say(format!("There are older ones: list {more} shows more."))?;
        }
        Ok(())
    }

    async fn search(&mut self, query: &str, by_meaning: bool) -> io::Result<()> {
        let raw = json!({ "query": query, "semantic": by_meaning });
        let Some(request) = self.decoded::<SearchRequest>(raw)? else { return Ok(()) };
        let found = self.engine.search_as::<PromptSummary>(request).await;
        let Some(found) = self.or_report(found)? else { return Ok(()) };
        for warning in &found.warnings {
            self.out.say(format!("Note: {warning}"))?;
        }
        if found.prompts.is_empty() {
            return self.out.say("Nothing is found.");
        }
        let told = found.prompts.len();
        let all = wording::count(found.total, "prompt");
        self.out.say(if by_meaning {
            format!("The nearest {told} of {all}:")
        } else {
            format!("{all} found, the best {told}:")
        })?;
        self.tell_stored(&found.prompts.iter().map(|found| &found.prompt).collect::<Vec<_>>())
    }

    async fn jobs(&mut self, all: bool) -> io::Result<()> {
        let list = self.engine.jobs(JobsRequest { all, ..JobsRequest::default() }).await;
        let Some(list) = self.or_report(list)? else { return Ok(()) };
        if list.jobs.is_empty() {
            return self.out.say(if all { "No jobs yet." } else { "No unfinished jobs." });
        }
        let now = SystemClock.now();
        for job in &list.jobs {
            self.out.say(wording::job(job, now))?;
        }
        self.out.say("job and its id shows one, stop stops it, resume resumes it.")
    }

    async fn compare(&mut self, places: &[usize]) -> io::Result<()> {
        let Some(ids) = self.ids(places)? else { return Ok(()) };
        let Some(request) = self.decoded::<CompareRequest>(json!({ "prompt_ids": ids }))? else { return Ok(()) };
        let compared = self.engine.compare(request).await.and_then(|comparing| comparing.conclude(None));
        let Some(compared) = self.or_report(compared)? else { return Ok(()) };
        for line in wording::difference(places, &compared) {
            self.out.say(line)?;
        }
        Ok(())
    }

    async fn judge(&mut self, places: &[usize], task: Option<String>) -> io::Result<Flow> {
        let all: Vec<usize> = (1..=self.rows.len()).collect();
        let Some(ids) = self.ids(if places.is_empty() { &all } else { places })? else { return Ok(Flow::GoOn) };
        let mut raw = json!({ "prompt_ids": ids });
        if let Some(task) = task {
            raw["task_description"] = task.into();
        }
        let Some(request) = self.decoded::<SelectRequest>(raw)? else { return Ok(Flow::GoOn) };
        let prepared = self.engine.prepare_selection(Operation::Select, request).await;
        let Some(prepared) = self.or_report(prepared)? else { return Ok(Flow::GoOn) };
        let mut budget_usd = prepared.budget_usd();
        if !self.confirms(prepared.preflight().clone(), &mut budget_usd).await? {
            return self.told("Nothing was sent.");
        }
        let run = prepared.with_budget(budget_usd).start();
        let Some(run) = self.or_report(run)? else { return Ok(Flow::GoOn) };
        let (view, flow) = self.follow(run).await?;
        let verdict = view.selection().map(|result| wording::verdict(result, &self.rows));
        for line in verdict.into_iter().flatten() {
            self.out.say(line)?;
        }
        Ok(flow)
    }

    async fn tag(&mut self, place: usize, labels: &str) -> io::Result<()> {
        let Some(id) = self.id(place)? else { return Ok(()) };
        let raw = json!({ "prompt_id": id, "add_tags": value_of_text(UpdateRequest::FIELDS, "add_tags", labels) });
        let Some(request) = self.decoded::<UpdateRequest>(raw)? else { return Ok(()) };
        let changed = self.engine.update(request).await;
        let Some(changed) = self.or_report(changed)? else { return Ok(()) };
        self.out.say(format!("{place} of {} has the tags {}", self.rows.len(), changed.tags.join(" and ")))
    }

    /// Changes a run setting. The core validates the value at the next run.
    fn set(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        let names = || GenerateRequest::FIELDS.iter().map(|field| field.name).filter(|name| *name != "input");
        if !names().any(|known| known == name) {
            let known: Vec<&str> = names().collect();
            return self.out.say(format!("{name} is not a setting; the settings are {}", known.join(", ")));
        }
        match value {
            Some(text) => self.settings.insert(name.to_owned(), value_of_text(GenerateRequest::FIELDS, name, text)),
            None => self.settings.remove(name),
        };
        self.tell_settings()
    }

    fn tell_settings(&mut self) -> io::Result<()> {
        if self.settings.is_empty() {
            return self.out.say("Requests are run as configured.");
        }
        let told = self.settings.iter().map(|(name, value)| format!("{name} {value}"));
        let told = told.collect::<Vec<_>>().join(", ");
        self.out.say(format!("Requests are run with {told}; all else as configured."))
    }

    /// Reports a run's events to the last. `^C` stops the run; other input waits.
    async fn follow(&mut self, mut run: Run) -> io::Result<(RunView, Flow)> {
        let mut view = RunView::default();
        let mut flow = Flow::GoOn;
        let mut is_heard = true;
        loop {
            tokio::select! {
                biased;
                heard = self.heard.recv(), if is_heard => match heard {
                    Some(LineEvent::Interrupt) => {
                        run.control().cancel_all();
                        self.out.say("Stopping; what is finished is kept.")?;
                    }
                    Some(LineEvent::Stop) => {
                        run.control().cancel_all();
                        flow = Flow::Leave;
                    }
                    Some(typed) => self.ahead.push_back(typed),
                    None => is_heard = false,
                },
                event = run.next() => {
                    let Some(event) = event else { return Ok((view, flow)) };
                    view.apply(&event);
                    if let Some(line) = wording::event(&event.kind, &view, &self.rows) {
                        self.out.say(line)?;
                    }
                }
            }
        }
    }

    /// True if a run can begin. Asks if it may cost more than the limit, and sets that as its
    /// budget.
    async fn confirms(&mut self, preflight: Preflight, budget_usd: &mut Option<f64>) -> io::Result<bool> {
        let Preflight::Ask(Estimate { most_usd, calls, .. }) = preflight else { return Ok(true) };
        let (most, calls) = (most_usd.unwrap_or_default(), wording::count(calls, "call"));
        self.out.say(format!("This may cost up to ${most}, for {calls}. Type yes to go on."))?;
        self.out.ask("> ")?;
        *budget_usd = most_usd;
        Ok(matches!(self.next().await, LineEvent::Line(line) if line.trim().eq_ignore_ascii_case("yes")))
    }

    /// The prompt with this number; `None` after reporting that there is none.
    async fn read(&mut self, place: usize) -> io::Result<Option<Prompt>> {
        let Some(id) = self.id(place)? else { return Ok(None) };
        let Some(request) = self.decoded::<ShowRequest>(json!({ "prompt_id": id }))? else { return Ok(None) };
        let prompt = self.engine.show(request).await;
        self.or_report(prompt)
    }

    fn id(&mut self, place: usize) -> io::Result<Option<PromptId>> {
        Ok(self.ids(&[place])?.and_then(|ids| ids.first().copied()))
    }

    /// The prompts with these numbers; `None` after reporting one that does not exist.
    fn ids(&mut self, places: &[usize]) -> io::Result<Option<Vec<PromptId>>> {
        let rows = self.rows.len();
        if rows == 0 {
            self.out.say("No prompt has a number yet: list shows what is stored, new takes a request.")?;
            return Ok(None);
        }
        let of = |place: &usize| place.checked_sub(1).and_then(|at| self.rows.get(at)).copied().ok_or(*place);
        match places.iter().map(of).collect::<std::result::Result<Vec<_>, _>>() {
            Ok(ids) => Ok(Some(ids)),
            Err(place) => {
                self.out.say(format!("There is no number {place}; the last is {rows}."))?;
                Ok(None)
            }
        }
    }

    fn decoded<R: Request>(&mut self, raw: Value) -> io::Result<Option<R>> {
        let request = self.engine.decode::<R>(raw);
        self.or_report(request)
    }

    /// The value of `outcome`; `None` after reporting its error.
    fn or_report<T>(&mut self, outcome: Result<T>) -> io::Result<Option<T>> {
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                self.out.say(wording::refused(&Problem::from(error)))?;
                Ok(None)
            }
        }
    }

    fn told(&mut self, text: &str) -> io::Result<Flow> {
        self.out.say(text)?;
        Ok(Flow::GoOn)
    }
}

#[cfg(test)]
mod tests;
