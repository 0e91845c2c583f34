//! The rows of the table of keys, in the order people read them.
//!
//! A row is all there is to its key. To add a setting, add a row here and a field of the same name
//! to the structs in [`super::settings`]; a test fails while they disagree. See [`super::keys`].

use super::keys::{DefaultValue, Key};
use super::kind::Kind;

const PROVIDER_KINDS: &[&str] = &["openai", "anthropic", "google", "openrouter", "ollama", "builtin", "sim"];

/// The key maps of the workbench.
pub const KEYMAPS: &[&str] = &["standard", "emacs", "vi"];

const fn row(pattern: &'static str, kind: Kind, default: DefaultValue, doc: &'static str) -> Key {
    Key { pattern, kind, default, doc }
}

/// Every key.
pub static TABLE: &[Key] = &[
    row(
        "mode",
        Kind::Choice(&["workbench", "server"]),
        DefaultValue::Text("workbench"),
        "What `aludel` without a command starts: the workbench, or the HTTP server.",
    ),
    row(
        "providers.*.kind",
        Kind::Choice(PROVIDER_KINDS),
        DefaultValue::Unset,
        "The protocol it speaks: openai, anthropic, google, openrouter, ollama, builtin or sim. Unset: its name.",
    ),
    row(
        "providers.*.api_key",
        Kind::Secret,
        DefaultValue::Unset,
        "The key, best as ${NAME} of an environment variable. Unset: <NAME>_API_KEY of the environment.",
    ),
    row(
        "providers.*.api_key_cmd",
        Kind::Command,
        DefaultValue::Unset,
        "A command whose first line of output is the key, such as `pass show openai`; run when the key is first needed, without the keys of other providers in its environment.",
    ),
    row(
        "providers.*.base_url",
        Kind::Url,
        DefaultValue::Unset,
        "The root of the service; a trailing slash is fine. Unset: the vendor's own.",
    ),
    row(
        "providers.*.allow_http",
        Kind::Flag,
        DefaultValue::Flag(false),
        "Whether a key may be sent unencrypted: to an http:// address that is not this machine.",
    ),
    row("providers.*.model", Kind::Text, DefaultValue::Unset, "The model used when none is named."),
    row("providers.*.embedding_model", Kind::Text, DefaultValue::Unset, "The model for embeddings."),
    row(
        "providers.*.ca_file",
        Kind::Path,
        DefaultValue::Unset,
        "A PEM file with an additional root certificate to trust.",
    ),
    row(
        "providers.*.timeout_s",
        Kind::Whole(1, 3600),
        DefaultValue::Whole(120),
        "Seconds without data after which a call fails.",
    ),
    row(
        "providers.*.max_retries",
        Kind::Whole(0, 20),
        DefaultValue::Whole(3),
        "How often a call is retried after a temporary failure; 0 means never.",
    ),
    row(
        "providers.*.max_concurrency",
        Kind::Whole(1, 1000),
        DefaultValue::Unset,
        "Concurrent calls to it. Unset: only `run.max_concurrency` limits them.",
    ),
    row("providers.*.headers.*", Kind::Secret, DefaultValue::Unset, "A header sent with every call; never shown."),
    row("providers.*.script", Kind::Path, DefaultValue::Unset, "The script of a provider of kind sim, a YAML file."),
    row(
        "phases.<phase>.provider",
        Kind::Text,
        DefaultValue::Unset,
        "The provider of this phase. Unset: the first of `providers`, or builtin when there is none.",
    ),
    row("phases.<phase>.model", Kind::Text, DefaultValue::Unset, "The model of this phase. Unset: the provider's."),
    row(
        "phases.<phase>.temperature",
        Kind::Number(0.0, 2.0),
        DefaultValue::Unset,
        "The temperature of this phase. Unset: `generation.default_temperature`.",
    ),
    row(
        "phases.<phase>.max_tokens",
        Kind::Whole(1, 1_000_000),
        DefaultValue::Unset,
        "The most tokens this phase may write. Unset: `generation.default_max_tokens`.",
    ),
    row(
        "phases.<phase>.fallback",
        Kind::List,
        DefaultValue::List(&[]),
        "Providers tried in order, each `provider` or `provider/model`, when the first is down, limited or too slow, refuses the key or the request, takes no prompt so long, or answers nothing.",
    ),
    row(
        "phases.<phase>.fallback_on_refusal",
        Kind::Flag,
        DefaultValue::Flag(false),
        "Whether the fallbacks are tried, too, when a model declines to answer.",
    ),
    row(
        "generation.default_temperature",
        Kind::Number(0.0, 2.0),
        DefaultValue::Number(0.7),
        "The sampling temperature, for models that take one.",
    ),
    row(
        "generation.default_max_tokens",
        Kind::Whole(1, 1_000_000),
        DefaultValue::Whole(2000),
        "The most tokens each phase may write.",
    ),
    row("generation.default_count", Kind::Whole(1, 100), DefaultValue::Whole(3), "How many variants are made."),
    row(
        "generation.use_parallel",
        Kind::Flag,
        DefaultValue::Flag(true),
        "Run variants in parallel; false: one after the other.",
    ),
    row(
        "generation.default_target_model",
        Kind::Text,
        DefaultValue::Unset,
        "The model the prompts are written for; its family decides their form.",
    ),
    row(
        "generation.default_embedding_model",
        Kind::Text,
        DefaultValue::Unset,
        "The provider of embeddings, as `provider` or `provider/model`. Unset: the built-in model.",
    ),
    row(
        "generation.default_embedding_dimensions",
        Kind::Whole(1, 65_536),
        DefaultValue::Unset,
        "Dimensions of embeddings. Unset: the model's own.",
    ),
    row(
        "generation.default_persona",
        Kind::Text,
        DefaultValue::Unset,
        "The persona prompts are written for. Unset: generic.",
    ),
    row(
        "storage.database",
        Kind::Database,
        DefaultValue::Unset,
        "The database file. Unset: aludel.db in the data folder.",
    ),
    row(
        "storage.trash_days",
        Kind::Whole(0, 36_500),
        DefaultValue::Whole(30),
        "Days for which deleted prompts can be restored; 0 deletes for good at once.",
    ),
    row("server.host", Kind::Text, DefaultValue::Text("localhost"), "The address the HTTP server listens on."),
    row("server.port", Kind::Whole(0, 65_535), DefaultValue::Whole(8080), "Its port; 0 takes any free one."),
    row(
        "server.max_connections",
        Kind::Whole(1, 100_000),
        DefaultValue::Whole(100),
        "Requests served at once; more are refused as `overloaded`.",
    ),
    row(
        "server.shutdown_grace_s",
        Kind::Whole(0, 3600),
        DefaultValue::Whole(30),
        "Seconds that running requests may take to finish when the server stops.",
    ),
    row(
        "server.allowed_hosts",
        Kind::List,
        DefaultValue::List(&[]),
        "Values of the Host header taken besides localhost, 127.0.0.1 and [::1].",
    ),
    row(
        "server.insecure_no_auth",
        Kind::Flag,
        DefaultValue::Flag(false),
        "Allow the server to listen beyond this machine without requiring tokens.",
    ),
    row("server.auth.enabled", Kind::Flag, DefaultValue::Flag(false), "Whether requests need a token."),
    row(
        "server.auth.type",
        Kind::Choice(&["jwt"]),
        DefaultValue::Text("jwt"),
        "The kind of token: jwt, signed with HS256.",
    ),
    row(
        "server.auth.secret",
        Kind::Secret,
        DefaultValue::Unset,
        "The secret that signs tokens, 32 bytes or more; needed when enabled.",
    ),
    row("server.auth.issuer", Kind::Text, DefaultValue::Unset, "The `iss` a token must have. Unset: any."),
    row("server.auth.audience", Kind::Text, DefaultValue::Unset, "The `aud` a token must have. Unset: any."),
    row("server.rate_limiting.enabled", Kind::Flag, DefaultValue::Flag(false), "Whether clients are limited."),
    row(
        "server.rate_limiting.requests_per_minute",
        Kind::Whole(1, 1_000_000),
        DefaultValue::Whole(60),
        "Requests a minute, for each token, else for each address.",
    ),
    row(
        "server.rate_limiting.burst",
        Kind::Whole(1, 1_000_000),
        DefaultValue::Whole(100),
        "Requests a client may make at once before the rate counts.",
    ),
    row("server.cors.enabled", Kind::Flag, DefaultValue::Flag(false), "Whether browsers of other origins may call."),
    row(
        "server.cors.allowed_origins",
        Kind::List,
        DefaultValue::List(&[]),
        "Origins that may call, such as https://example.com.",
    ),
    row(
        "server.cors.allowed_methods",
        Kind::List,
        DefaultValue::List(&["GET", "POST", "PATCH", "DELETE"]),
        "Methods they may use.",
    ),
    row(
        "server.cors.allowed_headers",
        Kind::List,
        DefaultValue::List(&[
            "Authorization",
            "Content-Type",
            "Idempotency-Key",
            "If-Match",
            "If-None-Match",
            "Last-Event-ID",
            "Prefer",
            "X-Request-Id",
        ]),
        "Headers they may send.",
    ),
    row("learning.enabled", Kind::Flag, DefaultValue::Flag(false), "Whether feedback changes the ranking."),
    row(
        "learning.learning_rate",
        Kind::Number(0.0, 1.0),
        DefaultValue::Number(0.1),
        "How far one piece of feedback moves what was learned.",
    ),
    row(
        "learning.decay_rate",
        Kind::Number(0.0, 1.0),
        DefaultValue::Number(0.01),
        "The share of what was learned that is forgotten each day.",
    ),
    row(
        "learning.min_confidence",
        Kind::Number(0.0, 1.0),
        DefaultValue::Number(0.6),
        "Below this confidence nothing is recommended.",
    ),
    row("learning.schedule", Kind::Text, DefaultValue::Unset, "When the training run starts, as a cron line."),
    row(
        "cache.enabled",
        Kind::Flag,
        DefaultValue::Flag(false),
        "Whether answers of generations are kept for equal requests; the judge's always are.",
    ),
    row(
        "cache.ttl",
        Kind::Whole(1, 31_536_000),
        DefaultValue::Whole(3600),
        "Seconds an answer of a generation is kept.",
    ),
    row(
        "cache.max_size",
        Kind::Whole(1, 10_000_000),
        DefaultValue::Whole(1000),
        "Answers of generations kept at most.",
    ),
    row(
        "spend.daily_budget_usd",
        Kind::Number(0.0, f64::MAX),
        DefaultValue::Unset,
        "Maximum US dollars spent per day by all runs together. Unset: no limit.",
    ),
    row(
        "spend.preflight_usd",
        Kind::Number(0.0, f64::MAX),
        DefaultValue::Unset,
        "A run that may cost more US dollars than this asks first. Unset: never.",
    ),
    row(
        "run.max_concurrency",
        Kind::Whole(1, 1000),
        DefaultValue::Whole(16),
        "Calls to providers at the same time, of all runs of a process.",
    ),
    row(
        "ranking.weights.*",
        Kind::Number(0.0, 1.0),
        DefaultValue::Unset,
        "How much a component counts in the score: coverage, additions, structure, clarity, gaps, history. Unset: the built-in weights.",
    ),
    row(
        "judge.provider",
        Kind::Text,
        DefaultValue::Unset,
        "The provider of the judge. Unset: one of this file of another model family than the prompts', else that of coagulatio.",
    ),
    row("judge.model", Kind::Text, DefaultValue::Unset, "The model that judges. Unset: the provider's."),
    row(
        "judge.criteria",
        Kind::Path,
        DefaultValue::Unset,
        "A file of criteria and weights. Unset: those of the persona.",
    ),
    row(
        "judge.order_swaps",
        Kind::Flag,
        DefaultValue::Flag(true),
        "Whether every pair is judged in both orders, which doubles the calls and removes the bias for a place.",
    ),
    row(
        "tui.theme",
        Kind::Text,
        DefaultValue::Text("ansi16"),
        "The workbench's colours: ansi16, the terminal's own; dark, light or high-contrast; mono, none; auto, dark or light as the terminal says by COLORFGBG; or a theme of yours, themes/NAME.yaml of the data folder.",
    ),
    row(
        "tui.keymap",
        Kind::Choice(KEYMAPS),
        DefaultValue::Text("standard"),
        "The workbench's keys: standard; emacs; or vi, with modes in the input.",
    ),
    row(
        "tui.mouse",
        Kind::Flag,
        DefaultValue::Flag(false),
        "Whether the workbench takes the mouse: wheel, click and drag. The terminal then selects text only with Shift held.",
    ),
    row(
        "tui.screen_reader",
        Kind::Flag,
        DefaultValue::Flag(false),
        "Plain lines that are only ever appended, for screen readers.",
    ),
    row(
        "tui.keys.*",
        Kind::List,
        DefaultValue::Unset,
        "The keys of an action of the workbench, by its name, such as [Ctrl+T, F5]; its palette (Ctrl+P) tells the names.",
    ),
    row(
        "log.level",
        Kind::LogLevel,
        DefaultValue::Text("info"),
        "What the log file keeps: error, warn, info, debug or trace, also by target.",
    ),
    row(
        "log.file",
        Kind::Path,
        DefaultValue::Unset,
        "The log file; the day is put before its ending, and seven days are kept. Unset: logs/aludel.log in the data folder.",
    ),
    row(
        "log.format",
        Kind::Choice(&["text", "json"]),
        DefaultValue::Text("text"),
        "The form of the log file: text, or json, a line each.",
    ),
];
