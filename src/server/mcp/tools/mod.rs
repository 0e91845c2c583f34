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
        title: "Generate prompts",
        description: "Turns a rough request into several finished prompts for a language model. Each variant passes the \
            phases prima-materia (extract), solutio (rewrite) and coagulatio (finalise) with a strategy of its own. \
            Variants are stored and returned ranked, best first, with a score breakdown. Use it when the user wants \
            a prompt written or improved; only `input` is required. Put background the prompts must respect into \
            `context`.",
        input: generate::input,
        output: generate::output,
        call: generate::call,
    },
    Definition {
        operation: Operation::Generate,
        name: "generate_prompt_variants",
        title: "Generate variants of a prompt",
        description: "Makes further variants of one stored prompt (`prompt_id`): from the same request, with strategies \
            that it was not written with, ranked best first and stored beside it. Use it when the user likes a prompt \
            that exists and wants alternatives to it. For a request that has no prompt yet use `generate_prompts`.",
        input: generate::variants_input,
        output: generate::output,
        call: generate::variants,
    },
    Definition {
        operation: Operation::Select,
        name: "select_best_prompt",
        title: "Choose the best prompt",
        description: "Lets a judge model choose the best of 2 to 64 stored prompts for a task, and says how sure it is \
            and why. It calls a model for each comparison, which costs money; the ranking that `generate_prompts` \
            returns does not. To see how prompts differ use `compare_prompts`.",
        input: generate::select_input,
        output: generate::select_output,
        call: generate::select,
    },
    Definition {
        operation: Operation::Batch,
        name: "start_batch",
        title: "Generate prompts for many requests",
        description: "Starts a batch of up to 1,000 requests and returns its job at once: each row of `rows` is generated as \
            by `generate_prompts` and may set the same fields for itself. Check `job_status` until it has finished, \
            then read `job_result`; `job_cancel` stops it. For one request use `generate_prompts`.",
        input: batch::input,
        output: batch::output,
        call: batch::call,
    },
    Definition {
        operation: Operation::Search,
        name: "search_prompts",
        title: "Search prompts by words",
        description: "Finds stored prompts with the words of `query` in their text, the request they were made from, their \
            tags or notes, best first, each with an excerpt around the match. All words must occur; \"several words\" \
            for a phrase, `begin*` for a prefix, `-word` to exclude a word, `a OR b` for either. Set `hybrid` to search \
            by words and by meaning at once. `total` counts all matches. Rows leave out the prompt's text unless \
            `fields` includes `content`.",
        input: prompts::search_input,
        output: prompts::search_output,
        call: prompts::search,
    },
    Definition {
        operation: Operation::Search,
        name: "semantic_search_prompts",
        title: "Search prompts by meaning",
        description: "Finds stored prompts about what `query` describes, whatever their words, nearest first. Use it when \
            `search_prompts` finds nothing or the user remembers the subject but not the words. `match.score` is the \
            cosine similarity; the last rows may be far from the query, so judge by it. Rows leave out the prompt's \
            text unless `fields` includes `content`.",
        input: prompts::semantic_search_input,
        output: prompts::search_output,
        call: prompts::semantic_search,
    },
    Definition {
        operation: Operation::Similar,
        name: "similar_prompts",
        title: "Find similar prompts",
        description: "Finds the stored prompts nearest in meaning to one of them, nearest first, from stored vectors: no model \
            is called. Use it to find earlier versions, duplicates and work on the same subject. `match.score` is the \
            cosine similarity; the last rows may be far, so judge by it. Rows leave out the prompt's text unless \
            `fields` includes `content`.",
        input: prompts::similar_input,
        output: prompts::search_output,
        call: prompts::similar,
    },
    Definition {
        operation: Operation::Show,
        name: "get_prompt_details",
        title: "Show a prompt",
        description: "Returns one stored prompt whole: its text, the request it was made from, the output of each phase, \
            models, tokens, cost, tags and notes. Takes the full id, six or more of its first or last characters, or \
            `@last` for the newest.",
        input: prompts::show_input,
        output: prompts::prompt_output,
        call: prompts::show,
    },
    Definition {
        operation: Operation::List,
        name: "list_prompts",
        title: "List prompts",
        description: "Lists stored prompts, newest first unless `sort` is set, filtered by phase, provider, model, persona, \
            tags and time. Pass the result's `next_cursor` as `cursor` for the next page; it is null on the last one. \
            Rows leave out the prompt's text unless `fields` includes `content`.",
        input: prompts::list_input,
        output: prompts::list_output,
        call: prompts::list,
    },
    Definition {
        operation: Operation::Metrics,
        name: "get_prompt_metrics",
        title: "Measure a prompt",
        description: "Measures one stored prompt: tokens, cost and latency of each phase, the size of its text, the ranking's \
            measures of it (coverage, additions, structure, clarity, concision, each 0 to 1), its rank in its run, what \
            it was derived from and what was derived from it. A null cost is unknown, not free.",
        input: statistics::prompt_input,
        output: statistics::prompt_output,
        call: statistics::prompt,
    },
    Definition {
        operation: Operation::Metrics,
        name: "analyze_prompt_performance",
        title: "Measure several prompts together",
        description: "Adds up and compares stored prompts: tokens, cost and latency percentiles in total and by phase, \
            provider and model, and the minimum, median and maximum of each figure. Name them in `prompt_ids`, or give \
            filters: then the newest matches are measured, up to `limit`, and `matched` counts all matches.",
        input: statistics::selection_input,
        output: statistics::selection_output,
        call: statistics::selection,
    },
    Definition {
        operation: Operation::Why,
        name: "why_prompt",
        title: "Explain a prompt",
        description: "Explains how a stored prompt was made and ranked: what it was derived from, tokens and cost of each \
            phase, its score breakdown with weights, and the judges' verdicts on it against others. No model is called. \
            Use it when the user asks why a prompt won or lost.",
        input: prompts::why_input,
        output: prompts::why_output,
        call: prompts::why,
    },
    Definition {
        operation: Operation::Spend,
        name: "spend",
        title: "Show spending",
        description: "Adds up the cost of calls to providers by day, model, provider, phase, tag or command, and reports the \
            budgets in force and what is left of them today. A null cost includes calls whose price is unknown. Use it \
            before an expensive run, or when the user asks what something cost.",
        input: statistics::spend_input,
        output: statistics::spend_output,
        call: statistics::spend,
    },
    Definition {
        operation: Operation::JobsShow,
        name: "job_status",
        title: "Show a job",
        description: "Reports on a job: its state, how many of its units are done, its request, and its result once it has \
            finished. Use it to check a job whose id you were given; `@last` is the newest.",
        input: jobs::input,
        output: jobs::status_output,
        call: jobs::status,
    },
    Definition {
        operation: Operation::JobsResult,
        name: "job_result",
        title: "Show what came of a job",
        description: "Returns the result of a job that has finished, or of a batch the rows that are done so far, in order: \
            of each row its best prompt or its error. Pass `next_after` as `after` for the rows that follow, and \
            `status: failed` for the failures alone.",
        input: jobs::result_input,
        output: jobs::result_output,
        call: jobs::result,
    },
    Definition {
        operation: Operation::JobsResume,
        name: "job_resume",
        title: "Resume a job",
        description: "Goes on with a job that was stopped, interrupted or has failed, for example when its budget was \
            used up: pass a larger `budget_usd` for all attempts together. What is done is not done again.",
        input: jobs::resume_input,
        output: jobs::cancel_output,
        call: jobs::resume,
    },
    Definition {
        operation: Operation::JobsStop,
        name: "job_cancel",
        title: "Stop a job",
        description: "Stops a job. What is finished stays stored, and the job can be resumed later. Use it when the user no \
            longer wants the job to go on.",
        input: jobs::input,
        output: jobs::cancel_output,
        call: jobs::cancel,
    },
    Definition {
        operation: Operation::Compare,
        name: "compare_prompts",
        title: "Compare prompts",
        description: "Compares 2 to 64 stored prompts side by side: their scores by the ranking's rules, their sizes, how much \
            they have in common, and for two a word diff. With `task_description` a judge model says in `selection` which \
            is best for that task and with what probability; if `confident` is false it is too close to call, so do not \
            present the winner as better. Without a task no model is called.",
        input: compare::input,
        output: compare::output,
        call: compare::call,
    },
    Definition {
        operation: Operation::Update,
        name: "update_prompt",
        title: "Change a prompt",
        description: "Changes the tags or notes of a stored prompt in place. New `content` does not change the prompt: it \
            stores and returns a new one derived from it. Pass the `revision` last read to fail with a conflict if the \
            prompt has changed since.",
        input: prompts::update_input,
        output: prompts::prompt_output,
        call: prompts::update,
    },
    Definition {
        operation: Operation::Delete,
        name: "delete_prompt",
        title: "Delete a prompt",
        description: "Moves one stored prompt to the trash; `restore_prompt` restores it until `restorable_until`. With \
            `forever` it is deleted for good: ask the user first, as that cannot be undone.",
        input: prompts::delete_input,
        output: prompts::delete_output,
        call: prompts::delete,
    },
    Definition {
        operation: Operation::TrashRestore,
        name: "restore_prompt",
        title: "Restore a deleted prompt",
        description: "Restores a deleted prompt from the trash, unchanged but for a raised revision. `@last` is the last \
            deleted one.",
        input: prompts::restore_input,
        output: prompts::restore_output,
        call: prompts::restore,
    },
    Definition {
        operation: Operation::Export,
        name: "export_prompts",
        title: "Export prompts",
        description: "Exports stored prompts as one text in `format`: json, jsonl, csv and yaml hold every field and can be \
            imported again, markdown is a document for reading. Exports the newest prompts, ten unless `limit` is set, \
            filtered as in `list_prompts`; `total` counts all that match the filters. Use it when the user wants a file \
            or a document; to look at prompts use `list_prompts`.",
        input: prompts::export_input,
        output: prompts::export_output,
        call: prompts::export,
    },
    Definition {
        operation: Operation::Providers,
        name: "get_provider_status",
        title: "List providers",
        description: "Lists the language-model providers that prompts can be generated with, whether each can be used \
            now, and if not, why. `builtin` is always available: it writes prompts without a model, a key or a network.",
        input: system::no_input,
        output: system::providers_output,
        call: system::providers,
    },
    Definition {
        operation: Operation::Validate,
        name: "validate_configuration",
        title: "Check the installation",
        description: "Checks everything a run needs: configuration, database, personas, templates, providers and the \
            providers bound to the phases. Use it to find out why something fails; each check says what to do. Every \
            page of the database is read unless `quick` is true.",
        input: system::validation_input,
        output: system::validation_output,
        call: system::validate,
    },
    Definition {
        operation: Operation::Version,
        name: "get_system_info",
        title: "Describe this server",
        description: "Returns this program's version and the phases, personas and providers that a request can name.",
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
const UNLISTED: [&str; 13] = [
    "assume_price",
    "concurrency",
    "confidence",
    "fields",
    "max_calls",
    "model",
    "no_cache",
    "offset",
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
