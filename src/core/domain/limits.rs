//! The limits of the contract, in one place. Texts are counted in characters (Unicode scalar values).

/// Longest `input`, `task_description`, `notes`, `content` and each `context`.
pub const TEXT_CHARS: usize = 100_000;
/// Longest stored text by a model: `content`, also of a step. As long as an answer can be.
pub const STORED_CHARS: usize = 4 * 1024 * 1024;
/// Longest `query`.
pub const QUERY_CHARS: usize = 10_000;
/// Most variants of one run.
pub const MAX_COUNT: u64 = 100;
/// Highest `temperature`.
pub const MAX_TEMPERATURE: f64 = 2.0;
/// Highest `max_tokens`.
pub const MAX_TOKENS: u64 = 1_000_000;
/// Most rows of one page.
pub const MAX_LIMIT: u64 = 1000;
/// Default rows of a page.
pub const DEFAULT_LIMIT: u32 = 10;
/// Default days of a report.
pub const DEFAULT_DAYS: u32 = 30;
/// Default number of prompts measured together.
pub const DEFAULT_MEASURED: u32 = 100;
/// Most tags of one prompt.
pub const MAX_TAGS: usize = 32;
/// Longest tag.
pub const TAG_CHARS: usize = 64;
/// Most `context` texts.
pub const MAX_CONTEXTS: usize = 32;
/// Fewest `prompt_ids` of a comparison.
pub const MIN_PROMPT_IDS: usize = 2;
/// Most `prompt_ids` of one request.
pub const MAX_PROMPT_IDS: usize = 64;
/// Most judges of one panel.
pub const MAX_JUDGES: usize = 8;
/// Most criteria of a rubric.
pub const MAX_CRITERIA: usize = 12;
/// Highest weight of a criterion.
pub const MAX_WEIGHT: f64 = 1_000_000.0;
/// Most prompts of one deletion.
pub const MAX_DELETIONS: usize = 1000;
/// Longest whole run, in seconds: one day.
pub const MAX_TIMEOUT_S: f64 = 86_400.0;
/// Lowest `budget_usd`: a millionth of a US dollar.
pub const MIN_BUDGET_USD: f64 = 0.000_001;
/// Highest `budget_usd`.
pub const MAX_BUDGET_USD: f64 = 1_000_000.0;
/// Highest `max_calls`.
pub const MAX_CALLS: u64 = 1_000_000;

/// Most rows of a batch that are in the request.
pub const MAX_INLINE_ROWS: usize = 1_000;
/// Most models that the prompts of a batch are for.
pub const MAX_TARGET_MODELS: usize = 16;
/// Most variants at once of a batch.
pub const MAX_CONCURRENCY: u64 = 1_000;
/// Highest `assume_price`, in US dollars for a million tokens.
pub const MAX_PRICE: f64 = 1_000_000.0;
/// Longest names of providers and models.
pub const NAME_CHARS: usize = 200;
/// Default `max_chars` of a prompt shown to a model: about 5,000 tokens of English.
pub const SHOWN_CHARS: u64 = 20_000;
/// Highest `max_chars`.
pub const MAX_SHOWN_CHARS: u64 = 100_000_000;
/// Fewest characters of a shortened id.
pub const ID_FRAGMENT_CHARS: usize = 6;
/// Largest HTTP body, in bytes.
pub const BODY_BYTES: usize = 4 * 1024 * 1024;
/// Most tools that a server can be told to offer by name.
pub const MAX_TOOLS: usize = 64;
