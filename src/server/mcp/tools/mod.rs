//! The table of tools: name, description for the model, input, output and function.
//!
//! `tools/list` and `tools/call` both read [`TOOLS`], and so do the tests. Input schemas come from
//! the core's tables of fields, output schemas from the domain types, so neither can drift from the
//! code. To add a tool, add a function to the file of its kind and a row here.

mod compare;
mod generate;
mod jobs;
mod prompts;
mod schema;
mod statistics;
mod system;

use std::pin::Pin;

use aludel_core::api::{self, Known, Request};
use aludel_core::domain::Operation;
use aludel_core::error::{Error, Problem};
use aludel_core::operation::{self, Effect, Face};
use rmcp::RoleServer;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use serde::Serialize;
use serde_json::Value;

use super::Handler;

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
    ToolAnnotations::from_raw(None, Some(read_only), Some(destructive), Some(idempotent), Some(open_world))
}

/// One call of a tool.
pub(super) struct Call {
    pub(super) handler: Handler,
    pub(super) arguments: Value,
    pub(super) context: RequestContext<RoleServer>,
}

/// The result of a tool: structured content or a failure.
pub(super) type Reply = Pin<Box<dyn Future<Output = Result<Value, Failure>> + Send>>;

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
        description: "Turns a rough idea into several finished prompts for a language model. Each variant passes the \
            phases prima-materia (extract the essence), solutio (natural instructions) and coagulatio (final \
            structure), follows a strategy of its own, is stored, and comes back ranked, best first, with the reasons \
            of its score. Use it when the user wants a prompt written or improved from an idea; only `input` is \
            needed. Put background the prompts must respect into `context`.",
        input: generate::input,
        output: generate::output,
        call: generate::call,
    },
    Definition {
        operation: Operation::Search,
        name: "search_prompts",
        title: "Search prompts by words",
        description: "Finds stored prompts that hold the words of `query` in their text, the idea they came from, their \
            tags or notes, best first, each with the piece of text that matches. All words must be there; \"several \
            words\" in this order, `begin*` for a beginning, `-word` for one that must not be there, `a OR b` for either. \
            Set `hybrid` to look by words and by meaning at once. `total` counts all that match. Rows leave out the \
            prompt's text unless `fields` asks for `content`.",
        input: prompts::search_input,
        output: prompts::search_output,
        call: prompts::search,
    },
    Definition {
        operation: Operation::Search,
        name: "semantic_search_prompts",
        title: "Search prompts by meaning",
        description: "Finds stored prompts about what `query` describes, whatever words they use, nearest first. Use it \
            when `search_prompts` finds nothing or the user remembers the subject and not the words. `match.score` is \
            the cosine; the last rows may be far from the query, so judge by it. Rows leave out the prompt's text \
            unless `fields` asks for `content`.",
        input: prompts::semantic_search_input,
        output: prompts::search_output,
        call: prompts::semantic_search,
    },
    Definition {
        operation: Operation::Similar,
        name: "similar_prompts",
        title: "Find prompts like one",
        description: "Finds the stored prompts nearest in meaning to one of them, nearest first, from vectors that are already \
            there: no model is asked. Use it to find earlier versions, duplicates and work on the same subject. \
            `match.score` is the cosine; the last rows may be far, so judge by it. Rows leave out the prompt's text unless \
            `fields` asks for `content`.",
        input: prompts::similar_input,
        output: prompts::search_output,
        call: prompts::similar,
    },
    Definition {
        operation: Operation::Show,
        name: "get_prompt_details",
        title: "Show a prompt",
        description: "Gives one stored prompt whole: its text, the idea it came from, what each phase made of it, \
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
        description: "Lists stored prompts, newest first unless `sort` says otherwise, filtered by phase, provider, \
            model, persona, tags and time. Give the answer's `next_cursor` as `cursor` for the next page; it is null \
            on the last one. Rows leave out the prompt's text unless `fields` asks for `content`.",
        input: prompts::list_input,
        output: prompts::list_output,
        call: prompts::list,
    },
    Definition {
        operation: Operation::Metrics,
        name: "get_prompt_metrics",
        title: "Measure a prompt",
        description: "Measures one stored prompt: tokens, cost and latency of each phase, how long its text is, what the \
            rules of the ranking read out of it (coverage, additions, structure, clarity, concision, each 0 to 1), its rank in its \
            run, what it was derived from and what was derived from it. A null cost is not known, not free.",
        input: statistics::prompt_input,
        output: statistics::prompt_output,
        call: statistics::prompt,
    },
    Definition {
        operation: Operation::Metrics,
        name: "analyze_prompt_performance",
        title: "Measure several prompts together",
        description: "Adds up and compares stored prompts: tokens, cost and latency percentiles in total and by phase, \
            provider and model, and the least, median and greatest of each figure. Name them in `prompt_ids`, or give \
            filters: then the newest that pass are measured, up to `limit`, and `matched` says how many pass.",
        input: statistics::selection_input,
        output: statistics::selection_output,
        call: statistics::selection,
    },
    Definition {
        operation: Operation::Why,
        name: "why_prompt",
        title: "Explain a prompt",
        description: "Tells how a stored prompt came to be and to its rank: what it was derived from, what each phase took, \
            the parts of its score with their weights, and what judges said of it against others. No model is asked. Use \
            it when the user asks why a prompt won or lost.",
        input: prompts::why_input,
        output: prompts::why_output,
        call: prompts::why,
    },
    Definition {
        operation: Operation::Spend,
        name: "spend",
        title: "Show what was spent",
        description: "Adds up what calls to providers cost, by day, model, provider, phase, tag or command, and tells the \
            budgets in force and what is left of them today. A null cost holds calls whose price is not known. Use it \
            before a costly run, or when the user asks what something cost.",
        input: statistics::spend_input,
        output: statistics::spend_output,
        call: statistics::spend,
    },
    Definition {
        operation: Operation::JobsShow,
        name: "job_status",
        title: "Show a job",
        description: "Tells how long work that was begun as a job stands: its state, how many of its units are done, what was \
            asked for, and its result once it has finished. Use it to look after a job whose id you were given; `@last` \
            is the newest.",
        input: jobs::input,
        output: jobs::status_output,
        call: jobs::status,
    },
    Definition {
        operation: Operation::JobsStop,
        name: "job_cancel",
        title: "Stop a job",
        description: "Stops a job. What is finished stays stored, and the job can be resumed later. Use it when the user no \
            longer wants a job's work done.",
        input: jobs::input,
        output: jobs::cancel_output,
        call: jobs::cancel,
    },
    Definition {
        operation: Operation::Compare,
        name: "compare_prompts",
        title: "Compare prompts",
        description: "Puts 2 to 64 stored prompts beside each other: the scores the rules of the ranking give each, their \
            lengths, how much they have in common, and for two the difference word by word. With `task_description` a \
            judge model says in `selection` which is best for that task and how sure that is; when `confident` is \
            false it is too close to call, so do not present the winner as better. Without a task no model is asked.",
        input: compare::input,
        output: compare::output,
        call: compare::call,
    },
    Definition {
        operation: Operation::Update,
        name: "update_prompt",
        title: "Change a prompt",
        description: "Changes the tags or notes of a stored prompt where it is. New `content` does not change the prompt: it stores a new one derived from it, which is the answer. Give `revision`, as last read, to be refused \
            when somebody else changed the prompt meanwhile.",
        input: prompts::update_input,
        output: prompts::prompt_output,
        call: prompts::update,
    },
    Definition {
        operation: Operation::Delete,
        name: "delete_prompt",
        title: "Delete a prompt",
        description: "Moves one stored prompt to the trash; until `restorable_until`, `restore_prompt` brings it back. With \
            `forever` it is deleted for good: ask the user first, as that cannot be undone.",
        input: prompts::delete_input,
        output: prompts::delete_output,
        call: prompts::delete,
    },
    Definition {
        operation: Operation::TrashRestore,
        name: "restore_prompt",
        title: "Restore a deleted prompt",
        description: "Brings a deleted prompt back from the trash, as it was, with its revision raised. `@last` is the one \
            that was deleted last.",
        input: prompts::restore_input,
        output: prompts::restore_output,
        call: prompts::restore,
    },
    Definition {
        operation: Operation::Export,
        name: "export_prompts",
        title: "Export prompts",
        description: "Exports stored prompts as one text in `format`: json, jsonl, csv and yaml hold every field and can be \
            imported again, markdown is a document for reading. The newest come, ten unless `limit` says otherwise, \
            filtered as in `list_prompts`; `total` says how many match the filters. Use it when the user wants a file \
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
            now, and if not, why. `builtin` is always there: it writes prompts without a model, a key or a network.",
        input: system::no_input,
        output: system::providers_output,
        call: system::providers,
    },
    Definition {
        operation: Operation::Validate,
        name: "validate_configuration",
        title: "Check the installation",
        description: "Checks everything a run needs here: configuration, database, personas, templates, providers and \
            the bindings of the phases. Use it to find out why something fails; each check says what to do. Every \
            page of the database is read unless `quick` is true.",
        input: system::validation_input,
        output: system::validation_output,
        call: system::validate,
    },
    Definition {
        operation: Operation::Version,
        name: "get_system_info",
        title: "Describe this server",
        description: "Returns this program's version and the phases, personas and providers that a request may name here.",
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

/// The tool of this name.
pub(super) fn find(name: &str) -> Option<&'static Definition> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, real)| real);
    TOOLS.iter().find(|tool| tool.name == name)
}

impl Definition {
    /// The tool as `tools/list` shows it, with these known names.
    pub(super) fn listed(&self, known: &Known) -> Tool {
        let input = match (self.input)(known) {
            Value::Object(schema) => schema,
            _ => JsonObject::new(),
        };
        Tool::new(self.name, self.description, input)
            .with_title(self.title)
            .with_raw_output_schema((self.output)().into())
            .with_annotations(annotations(operation::of(self.operation).effect))
    }

    pub(super) fn call(&self, call: Call) -> Reply {
        (self.call)(call)
    }
}

/// The input schema of a request.
fn input<R: Request>(known: &Known) -> Value {
    api::schema(R::FIELDS, known)
}

/// The result of a tool as JSON.
fn content(value: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(value).map_err(|error| Error::Internal(format!("an answer cannot be written: {error}")).into())
}
