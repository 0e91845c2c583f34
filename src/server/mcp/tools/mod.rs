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
        description: "Writes a prompt for a language or image model: turns a rough idea, a request or an old \
            prompt into finished ones, several variants ranked best first, and stores them. Use it whenever the \
            user needs help to phrase a request to a model, or a prompt written or improved. Only `input` is \
            required; background that the prompt must respect goes into `context`.",
        input: generate::input,
        output: generate::output,
        call: generate::call,
    },
    Definition {
        operation: Operation::Generate,
        name: "generate_prompt_variants",
        title: "Generate variants of a prompt",
        description: "Gives alternatives to one stored prompt (`prompt_id`): the same request written in other \
            ways, with strategies that it was not written with, ranked and stored. Use it when the user likes a \
            saved prompt and wants more versions of it.",
        input: generate::variants_input,
        output: generate::output,
        call: generate::variants,
    },
    Definition {
        operation: Operation::Select,
        name: "select_best_prompt",
        title: "Choose the best prompt",
        description: "Has a judge model choose the best of 2 to 64 candidate prompts for a task, and says how \
            sure it is and why. Calls a model for each comparison, which costs money.",
        input: generate::select_input,
        output: generate::select_output,
        call: generate::select,
    },
    Definition {
        operation: Operation::Batch,
        name: "start_batch",
        title: "Generate prompts for many requests",
        description: "Starts a batch: makes a prompt for each of many topics or requests, or every line of a \
            list, in one go: up to 1,000 `rows`, of which each may set the fields of `generate_prompts` for \
            itself. Returns a job at once.",
        input: batch::input,
        output: batch::output,
        call: batch::call,
    },
    Definition {
        operation: Operation::Search,
        name: "search_prompts",
        title: "Find prompts by words",
        description: "Finds the stored prompts containing words or a phrase in their text, request, tags or \
            notes, best match first, each with an excerpt. All words must occur; \"several words\" for a \
            phrase, `begin*` for a prefix, `-word` to exclude, `a OR b` for either. `hybrid` searches by \
            meaning as well.",
        input: prompts::search_input,
        output: prompts::search_output,
        call: prompts::search,
    },
    Definition {
        operation: Operation::Search,
        name: "semantic_search_prompts",
        title: "Find prompts by meaning",
        description: "Finds stored prompts about a subject, even if they do not use the words of `query`, \
            nearest first. Use it when the user remembers the subject but not how it was put. `match.score` is \
            the cosine similarity; the last rows may be far from the query.",
        input: prompts::semantic_search_input,
        output: prompts::search_output,
        call: prompts::semantic_search,
    },
    Definition {
        operation: Operation::Similar,
        name: "similar_prompts",
        title: "Find similar prompts",
        description: "Finds stored prompts similar to one of them: near duplicates, earlier versions, work on \
            the same subject, nearest first. Calls no model. `match.score` is the cosine similarity; the last \
            rows may be far.",
        input: prompts::similar_input,
        output: prompts::search_output,
        call: prompts::similar,
    },
    Definition {
        operation: Operation::Show,
        name: "get_prompt_details",
        title: "Show a prompt",
        description: "Shows one stored prompt: its full text, the request it was made from, the output of each \
            phase, models, tokens, cost, tags and notes. Takes an id, six or more of its first or last \
            characters, or `@last`. Long texts are cut to `max_chars` together; `cut` says which.",
        input: prompts::show_input,
        output: prompts::show_output,
        call: prompts::show,
    },
    Definition {
        operation: Operation::List,
        name: "list_prompts",
        title: "List the newest prompts",
        description: "Lists the user's newest prompts first: what was saved lately, filtered by time (`since`: \
            last week is 7d), tags, persona, provider and phase. Without their text, which `get_prompt_details` \
            has. Give `next_cursor` as `cursor` for the next page.",
        input: prompts::list_input,
        output: prompts::list_output,
        call: prompts::list,
    },
    Definition {
        operation: Operation::Metrics,
        name: "get_prompt_metrics",
        title: "Measure a prompt",
        description: "Measures this one prompt: how many tokens it took, what each phase cost, its latency and \
            length, the ranking's measures of it and its rank, what the judge thought, and what was derived \
            from it. Calls no model.",
        input: statistics::prompt_input,
        output: statistics::prompt_output,
        call: statistics::prompt,
    },
    Definition {
        operation: Operation::Metrics,
        name: "analyze_prompt_performance",
        title: "Measure several prompts together",
        description: "Statistics over many prompts: how those with a tag, persona or provider do on average and \
            at the extremes, in cost, tokens, latency, length and score. Give `prompt_ids`, or filters.",
        input: statistics::selection_input,
        output: statistics::selection_output,
        call: statistics::selection,
    },
    Definition {
        operation: Operation::Why,
        name: "why_prompt",
        title: "Explain a prompt",
        description: "Explains why a prompt was ranked as it was, first or last: the score of each variant and \
            its parts, what judges said, how sure they were, and the prompts it was derived from. Calls no \
            model.",
        input: prompts::why_input,
        output: prompts::why_output,
        call: prompts::why,
    },
    Definition {
        operation: Operation::Spend,
        name: "spend",
        title: "Show spending",
        description: "Tells how much money was spent on models, today, this month or since a day, by provider, \
            model, command or tag, and what the budgets leave. What an old prompt cost stays in it.",
        input: statistics::spend_input,
        output: statistics::spend_output,
        call: statistics::spend,
    },
    Definition {
        operation: Operation::JobsShow,
        name: "job_status",
        title: "Show a job",
        description: "Tells whether a job or batch is done yet: running, finished, failed or stopped, how much \
            of it is done, and its result.",
        input: jobs::input,
        output: jobs::status_output,
        call: jobs::status,
    },
    Definition {
        operation: Operation::JobsResult,
        name: "job_result",
        title: "Show what came of a job",
        description: "Gets the results of a job, what it produced: its result and, of a batch, the rows that \
            are done, in pages (`after`).",
        input: jobs::result_input,
        output: jobs::result_output,
        call: jobs::result,
    },
    Definition {
        operation: Operation::JobsResume,
        name: "job_resume",
        title: "Resume a job",
        description: "Carries on with a job or batch that was interrupted, stopped, or ended at its budget, \
            which can be raised. What is done is not paid again.",
        input: jobs::resume_input,
        output: jobs::cancel_output,
        call: jobs::resume,
    },
    Definition {
        operation: Operation::JobsStop,
        name: "job_cancel",
        title: "Stop a job",
        description: "Stops a running job or batch. What is finished is kept.",
        input: jobs::input,
        output: jobs::cancel_output,
        call: jobs::cancel,
    },
    Definition {
        operation: Operation::Compare,
        name: "compare_prompts",
        title: "Compare prompts",
        description: "Shows the difference between prompts, put side by side: a word diff of two, and what \
            distinguishes their settings, scores and cost. Calls no model, unless `task_description` asks a \
            judge too; a choice that is not `confident` is too close to call.",
        input: compare::input,
        output: compare::output,
        call: compare::call,
    },
    Definition {
        operation: Operation::Update,
        name: "update_prompt",
        title: "Change a prompt",
        description: "Changes a stored prompt: its tags, a note, or its text, which makes a new prompt derived \
            from it.",
        input: prompts::update_input,
        output: prompts::prompt_output,
        call: prompts::update,
    },
    Definition {
        operation: Operation::Delete,
        name: "delete_prompt",
        title: "Delete a prompt",
        description: "Deletes one prompt: throws it into the trash when the user does not need it any more, and \
            says until when it can be restored. `forever` cannot be undone: ask the user first.",
        input: prompts::delete_input,
        output: prompts::delete_output,
        call: prompts::delete,
    },
    Definition {
        operation: Operation::TrashRestore,
        name: "restore_prompt",
        title: "Restore a deleted prompt",
        description: "Undoes a deletion: brings a deleted prompt back from the trash as it was.",
        input: prompts::restore_input,
        output: prompts::restore_output,
        call: prompts::restore,
    },
    Definition {
        operation: Operation::Export,
        name: "export_prompts",
        title: "Export prompts",
        description: "Gives all stored prompts, or some of them, as one text for a file: JSON, JSON lines, CSV, \
            YAML or Markdown. `total` says how many match; raise `limit` (10) for more.",
        input: prompts::export_input,
        output: prompts::export_output,
        call: prompts::export,
    },
    Definition {
        operation: Operation::Providers,
        name: "get_provider_status",
        title: "List providers",
        description: "Tells which model providers can be used here, such as OpenAI, Anthropic, Google or \
            Ollama, and of any other why not: no key, not reachable. Calls none of them.",
        input: system::no_input,
        output: system::providers_output,
        call: system::providers,
    },
    Definition {
        operation: Operation::Validate,
        name: "validate_configuration",
        title: "Check the installation",
        description: "Checks that the configuration is correct, with the keys, the templates, personas and the \
            database: what is wrong and how to mend it.",
        input: system::validation_input,
        output: system::validation_output,
        call: system::validate,
    },
    Definition {
        operation: Operation::Version,
        name: "get_system_info",
        title: "Describe this server",
        description: "Tells what version is installed, and what phases, personas and providers there are.",
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
