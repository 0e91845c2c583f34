//! The table of tools: name, description for the model, input, output and function.
//!
//! `tools/list` and `tools/call` both read [`TOOLS`], and so do the tests. Input schemas come from
//! the core's tables of fields, output schemas from the domain types, so neither can drift from the
//! code. To add a tool, add a function to the file of its kind and a row here.

mod batch;
mod compare;
mod generate;
mod jobs;
mod portable;
mod prompts;
mod schema;
mod set;
mod statistics;
mod system;

use std::pin::Pin;

use aludel_core::api::{self, Field, Known, Request};
use aludel_core::domain::Operation;
use aludel_core::error::{Error, Problem};
use aludel_core::operation::{self, Effect, Face};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CallToolResult, CreateTaskResult, InputRequiredResult, InputResponses, JsonObject, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use serde::Serialize;
use serde_json::Value;

use self::portable::portable;
use super::Handler;

pub use set::ToolSet;

/// One tool.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// The operation, by the name that all faces share.
    pub operation: Operation,
    /// The tool's name.
    pub name: &'static str,
    /// The title for people.
    pub title: &'static str,
    /// For a model: what it does and when to use it.
    pub description: &'static str,
    input: fn(&Known) -> Value,
    output: fn() -> JsonObject,
    call: fn(Call) -> Reply,
}

/// The annotations of a tool with this effect.
fn annotations(effect: Effect) -> ToolAnnotations {
    let (read_only, destructive, idempotent, open_world) = match effect {
        Effect::Reads => (true, false, true, false),
        Effect::Searches => (true, false, true, true),
        Effect::Generates => (false, false, false, true),
        Effect::Changes | Effect::Serves => (false, true, false, false),
        Effect::Deletes => (false, true, true, false),
    };
    // What destroys and repeats is meaningful only for tools that change something.
    let of_changes = |hint: bool| (!read_only).then_some(hint);
    ToolAnnotations::from_raw(None, Some(read_only), of_changes(destructive), of_changes(idempotent), Some(open_world))
}

/// One call of a tool.
pub(super) struct Call {
    pub(super) handler: Handler,
    pub(super) arguments: Value,
    pub(super) context: RequestContext<RoleServer>,
    /// The user's replies to what an earlier attempt of this call asked.
    pub(super) input_responses: InputResponses,
}

/// What a tool answers.
#[derive(Debug)]
pub(super) enum Answer {
    /// Structured content.
    Content(Value),
    /// The client has to ask its user and call again.
    Question(InputRequiredResult),
    /// The client can follow the work as a task.
    Task(CreateTaskResult),
}

impl From<Answer> for CallToolResponse {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Content(content) => CallToolResult::structured(content).into(),
            Answer::Question(question) => question.into(),
            Answer::Task(task) => task.into(),
        }
    }
}

/// The answer of a tool, or its failure.
pub(super) type Reply = Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send>>;

/// The failure of a tool.
#[derive(Debug)]
pub(super) struct Failure(pub(super) Box<Problem>);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(Box::new(Problem::from(error)))
    }
}

impl Call {
    fn decode<R: Request>(&mut self) -> Result<R, Error> {
        self.handler.engine().decode::<R>(self.arguments.take())
    }
}

/// Every tool.
pub const TOOLS: &[Definition] = &[
    Definition {
        operation: Operation::Generate,
        name: "generate_prompts",
        title: "Write or improve a prompt",
        description: "Writes a prompt for a language or image model: makes a finished prompt from a rough \
            idea, or improves, rewrites or sharpens a draft so that it works better. Use it when the user \
            needs a good prompt, or help to word instructions or a question for an AI, an LLM, a chatbot, \
            ChatGPT or Claude. Returns several variants, best first, and stores them. For a list of requests \
            take `start_batch`, for a stored prompt `generate_prompt_variants`.",
        input: generate::input,
        output: generate::output,
        call: generate::call,
    },
    Definition {
        operation: Operation::Generate,
        name: "generate_prompt_variants",
        title: "Make variants of a stored prompt",
        description: "Makes more versions of one stored prompt (`prompt_id`): the same request formulated in \
            other ways or styles, with other strategies. Use it when the user likes a saved prompt but wants \
            alternatives, variations or different takes on it. To edit the prompt itself take \
            `update_prompt`.",
        input: generate::variants_input,
        output: generate::output,
        call: generate::variants,
    },
    Definition {
        operation: Operation::Select,
        name: "select_best_prompt",
        title: "Choose the best prompt",
        description: "Has a judge choose the best of several candidate prompts for a task: a model compares \
            2 to 64 of them, picks the winner and says how sure it is. Use it to decide which one to go \
            with, or which is better or strongest. Calls to the judge cost money; `compare_prompts` shows \
            differences for nothing.",
        input: generate::select_input,
        output: generate::select_output,
        call: generate::select,
    },
    Definition {
        operation: Operation::Batch,
        name: "start_batch",
        title: "Generate prompts in bulk",
        description: "Generates prompts in bulk: makes one for each of many topics or requests, per line of \
            a list or file, or row of a spreadsheet, up to 1,000 `rows` at once. Use it when the user has a \
            whole list of ideas to process. Returns a job that runs in the background; `job_status` follows \
            it.",
        input: batch::input,
        output: batch::output,
        call: batch::call,
    },
    Definition {
        operation: Operation::Search,
        name: "search_prompts",
        title: "Find prompts by words",
        description: "Finds stored prompts that contain, mention or say a word or phrase: searches their \
            text, request, tags and notes, best match first, with excerpts. Use it to search for words that \
            are in the prompt. All must occur; \"several words\" for a phrase, `begin*` for a prefix, \
            `-word` to exclude, `a OR b` for either. If the user knows only the subject take \
            `semantic_search_prompts`.",
        input: prompts::search_input,
        output: prompts::search_output,
        call: prompts::search,
    },
    Definition {
        operation: Operation::Search,
        name: "semantic_search_prompts",
        title: "Find prompts about a subject",
        description: "Finds stored prompts by meaning: on a topic, about something, related to a subject or \
            having to do with it, whatever words they use, nearest first. Use it when the user remembers \
            what a prompt was about but forgot how it was phrased. The last rows may be far from the query. \
            For exact words take `search_prompts`.",
        input: prompts::semantic_search_input,
        output: prompts::search_output,
        call: prompts::semantic_search,
    },
    Definition {
        operation: Operation::Similar,
        name: "similar_prompts",
        title: "Find similar prompts",
        description: "Finds stored prompts that are similar to a given one: near duplicates, earlier \
            versions, others that resemble it or come close. Use it to see whether a prompt like this one \
            was written before. The last rows may be far from it: `match.score` is the cosine. For a subject \
            without a prompt take `semantic_search_prompts`.",
        input: prompts::similar_input,
        output: prompts::search_output,
        call: prompts::similar,
    },
    Definition {
        operation: Operation::Show,
        name: "get_prompt_details",
        title: "Show a prompt",
        description: "Shows one stored prompt in full: its complete text and wording, the request it was \
            made from, the output of every step, the models, tags and notes. Use it to open, read, display \
            or print a prompt and see exactly what it says. Takes an id, or `@last`. Long texts are cut to \
            `max_chars` together; `cut` says which.",
        input: prompts::show_input,
        output: prompts::show_output,
        call: prompts::show,
    },
    Definition {
        operation: Operation::List,
        name: "list_prompts",
        title: "List all or the newest prompts",
        description: "Lists all prompts that the user has, newest first: the latest, what was made, saved or \
            added today, yesterday, in the past days, last week or this month (`since`: 7d), or everything \
            with a tag, persona or provider. Without the texts, which `get_prompt_details` has.",
        input: prompts::list_input,
        output: prompts::list_output,
        call: prompts::list,
    },
    Definition {
        operation: Operation::Metrics,
        name: "get_prompt_metrics",
        title: "Measure one prompt",
        description: "Measures one prompt: how long it is, how many tokens it took, its latency, its score, \
            how much it cost and what each phase took. Use it for the metrics or numbers of a single prompt. \
            For several take `analyze_prompt_performance`, for reasons `why_prompt`.",
        input: statistics::prompt_input,
        output: statistics::prompt_output,
        call: statistics::prompt,
    },
    Definition {
        operation: Operation::Metrics,
        name: "analyze_prompt_performance",
        title: "Statistics over many prompts",
        description: "Gives statistics over many prompts together: aggregates their cost, tokens, latency, \
            length and score to averages, totals and extremes. Use it for a summary of how all prompts did, \
            or how those with a tag, persona or provider perform on average. For one prompt take \
            `get_prompt_metrics`.",
        input: statistics::selection_input,
        output: statistics::selection_output,
        call: statistics::selection,
    },
    Definition {
        operation: Operation::Why,
        name: "why_prompt",
        title: "Explain why a prompt won or lost",
        description: "Explains why a prompt was ranked first or last: the reasons it was better or worse \
            than other variants, how its score came about, what the judge said and how sure it was. Also \
            tells where a prompt came from: what it was derived from.",
        input: prompts::why_input,
        output: prompts::why_output,
        call: prompts::why,
    },
    Definition {
        operation: Operation::Spend,
        name: "spend",
        title: "Show what was spent",
        description: "Tells how much money was spent on calls to models: the costs, bill or expenses so far, \
            today, this week, this month or since a day, by provider, model, command or tag. Also says what \
            is left of the budget. For the cost of one prompt take `get_prompt_metrics`.",
        input: statistics::spend_input,
        output: statistics::spend_output,
        call: statistics::spend,
    },
    Definition {
        operation: Operation::JobsShow,
        name: "job_status",
        title: "Check on a job",
        description: "Tells whether a job or batch is still running, is finished or did fail: its status and \
            progress, how far along it is and how many rows are done. Use it when the user asks for news of \
            a job, or what it is doing right now. For what it produced take `job_result`.",
        input: jobs::input,
        output: jobs::status_output,
        call: jobs::status,
    },
    Definition {
        operation: Operation::JobsResult,
        name: "job_result",
        title: "Get the results of a job",
        description: "Gets the results of a finished job or batch: the output that it produced, row by row, \
            in pages. Use it to see the outcome of a job, what it made, or the prompts that came out of a \
            batch.",
        input: jobs::result_input,
        output: jobs::result_output,
        call: jobs::result,
    },
    Definition {
        operation: Operation::JobsResume,
        name: "job_resume",
        title: "Resume a job",
        description: "Resumes a job or batch that was stopped or interrupted, crashed, failed or ran out of \
            budget, and can give it more money to go on. Use it to continue or carry on where it left off, \
            start it again and finish the rest. What is done is not paid again.",
        input: jobs::resume_input,
        output: jobs::cancel_output,
        call: jobs::resume,
    },
    Definition {
        operation: Operation::JobsStop,
        name: "job_cancel",
        title: "Cancel a job",
        description: "Stops a running job or batch: cancels, aborts or ends it. What is finished is kept; \
            `job_resume` carries on.",
        input: jobs::input,
        output: jobs::cancel_output,
        call: jobs::cancel,
    },
    Definition {
        operation: Operation::Compare,
        name: "compare_prompts",
        title: "Compare prompts",
        description: "Compares or contrasts prompts side by side: shows the differences between two versions \
            word by word, as a diff, and what distinguishes their settings, scores and cost. Use it to put \
            prompts next to each other, or to see what changed or where they differ. Costs nothing unless \
            `task_description` asks a judge too. To have the best one chosen take `select_best_prompt`.",
        input: compare::input,
        output: compare::output,
        call: compare::call,
    },
    Definition {
        operation: Operation::Update,
        name: "update_prompt",
        title: "Edit or tag a prompt",
        description: "Edits a stored prompt: changes, fixes or replaces its text or wording, adds, removes \
            or renames its tags or labels, or attaches a note. Use it to correct a word, or to set tags or \
            notes. A new text makes a new prompt derived from the old one.",
        input: prompts::update_input,
        output: prompts::prompt_output,
        call: prompts::update,
    },
    Definition {
        operation: Operation::Delete,
        name: "delete_prompt",
        title: "Delete or remove a prompt",
        description: "Deletes a stored prompt: removes, erases or drops it, or throws it in the trash or \
            bin. Use it when the user wants to get rid of the prompt, or does not need it any more. The \
            answer says until when `restore_prompt` can bring it back. `forever` cannot be undone: ask the \
            user first.",
        input: prompts::delete_input,
        output: prompts::delete_output,
        call: prompts::delete,
    },
    Definition {
        operation: Operation::TrashRestore,
        name: "restore_prompt",
        title: "Restore a deleted prompt",
        description: "Restores a deleted prompt: undoes the deletion or removal, brings the prompt back or \
            recovers it from the trash, as it was.",
        input: prompts::restore_input,
        output: prompts::restore_output,
        call: prompts::restore,
    },
    Definition {
        operation: Operation::Export,
        name: "export_prompts",
        title: "Export prompts to a file",
        description: "Exports all stored prompts, or some of them, as one text for a file: JSON, JSON lines, \
            CSV for a spreadsheet, YAML or Markdown. Use it to save, download, dump, back up, move or share \
            the whole library. `total` says how many match; raise `limit` (10) for more.",
        input: prompts::export_input,
        output: prompts::export_output,
        call: prompts::export,
    },
    Definition {
        operation: Operation::Providers,
        name: "get_provider_status",
        title: "List model providers",
        description: "Tells which model providers and AI services are available and ready to use here, such \
            as OpenAI, Anthropic, Google Gemini or a local Ollama, and why another cannot be used: its API \
            key is missing or not set up, or it is not reachable.",
        input: system::no_input,
        output: system::providers_output,
        call: system::providers,
    },
    Definition {
        operation: Operation::Validate,
        name: "validate_configuration",
        title: "Check the installation",
        description: "Checks the setup: whether anything is wrong or broken in the configuration file, the \
            keys, the templates, personas and the database, and how to fix it. Use it when aludel does not \
            work as it should.",
        input: system::validation_input,
        output: system::validation_output,
        call: system::validate,
    },
    Definition {
        operation: Operation::Version,
        name: "get_system_info",
        title: "Show version, phases and personas",
        description: "Tells about this server: the version of aludel that is installed or in use, and which \
            phases and personas there are to pick from.",
        input: system::no_input,
        output: system::info_output,
        call: system::info,
    },
];

const _: () = {
    let mut listed = [Operation::Generate; TOOLS.len()];
    let mut at = 0;
    while at < TOOLS.len() {
        listed[at] = TOOLS[at].operation;
        at += 1;
    }
    assert!(operation::has_all(Face::Mcp, &listed), "the tools are not those of `operation::of`");
};

/// Unlisted names that call another tool.
const ALIASES: [(&str, &str); 1] = [("generate_prompt", "generate_prompts")];

impl Definition {
    /// The tool as `tools/list` shows it, with these known names.
    pub(super) fn listed(&self, known: &Known) -> Tool {
        let input = match (self.input)(known) {
            Value::Object(schema) => schema,
            _ => JsonObject::new(),
        };
        Tool::new(self.name, self.description, portable(input))
            .with_title(self.title)
            .with_raw_output_schema(portable((self.output)()).into())
            .with_annotations(annotations(operation::of(self.operation).effect))
    }

    pub(super) fn call(&self, call: Call) -> Reply {
        (self.call)(call)
    }
}

/// Fields that no tool lists, because a model hardly needs them and reads the list with every
/// conversation. They are accepted like the others: refusals name some of them.
const UNLISTED: [&str; 14] = [
    "assume_price",
    "concurrency",
    "confidence",
    "fields",
    "max_calls",
    "model",
    "no_cache",
    "offset",
    "phase",
    "revision",
    "save",
    "semantic",
    "timeout_s",
    "until",
];

/// The input schema of a request.
fn input<R: Request>(known: &Known) -> Value {
    let listed: Vec<Field> = R::FIELDS.iter().filter(|field| !UNLISTED.contains(&field.name)).copied().collect();
    api::brief_schema(&listed, known)
}

/// The result of a tool as JSON.
fn content(value: &impl Serialize) -> Result<Answer, Failure> {
    serde_json::to_value(value)
        .map(Answer::Content)
        .map_err(|error| Error::Internal(format!("an answer cannot be written: {error}")).into())
}
