//! The configuration as typed values: exactly the keys of [`super::table`], each with its value or its default.
//!
//! The defaults are in the table. The structs are filled from the merged values by name, and a test
//! fails when a field has no row or a row no field. Serialising writes secrets as
//! [`REDACTED`](super::REDACTED).

use std::collections::BTreeMap;
use std::path::PathBuf;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Secret;
use super::bindings::{PhasesConfig, ProviderConfig};
use crate::domain::{Phase, ProviderKind};

/// Everything that can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What the program starts without a command.
    pub mode: Mode,
    /// Providers by name: the file's in its order, then those only in the environment or flags.
    pub providers: IndexMap<String, ProviderConfig>,
    /// The bindings of the three phases.
    pub phases: PhasesConfig,
    /// Defaults of a generation request.
    pub generation: GenerationConfig,
    /// Where prompts are stored.
    pub storage: StorageConfig,
    /// The HTTP server.
    pub server: ServerConfig,
    /// Learning from feedback.
    pub learning: LearningConfig,
    /// The cache of model answers.
    pub cache: CacheConfig,
    /// Spending limits.
    pub spend: SpendConfig,
    /// Limits of a run.
    pub run: RunConfig,
    /// The ranking.
    pub ranking: RankingConfig,
    /// The judge.
    pub judge: JudgeConfig,
    /// The workbench.
    pub tui: TuiConfig,
    /// Logging.
    pub log: LogConfig,
    /// The first provider of the file, used by phases without a binding.
    #[serde(skip)]
    pub(super) first_of_file: Option<String>,
    /// How many of the providers are in the file.
    #[serde(skip)]
    pub(super) in_file: usize,
}

impl Config {
    /// The provider of a phase without a binding: the first of the file, or `builtin`. A provider
    /// that only the environment names is not used by default, as that would spend money unasked.
    pub fn default_provider(&self) -> &str {
        self.first_of_file.as_deref().unwrap_or(ProviderKind::Builtin.as_str())
    }

    /// The providers of the file, in its order.
    pub fn providers_of_file(&self) -> impl Iterator<Item = &str> {
        self.providers.keys().take(self.in_file).map(String::as_str)
    }

    /// The provider that a phase is bound to.
    pub fn provider_of(&self, phase: Phase) -> &str {
        self.phases.get(phase).provider.as_deref().unwrap_or_else(|| self.default_provider())
    }

    /// Every secret that must be masked wherever it appears. Only headers with secret-sounding
    /// names count: masking every header's value would mask ordinary words.
    pub fn secrets(&self) -> impl Iterator<Item = &Secret> {
        let keys = self.providers.values().filter_map(|provider| provider.api_key.as_ref());
        let headers = self.providers.values().flat_map(|provider| &provider.headers);
        let secret_headers = headers.filter(|(name, _)| sounds_secret(name)).map(|(_, value)| value);
        keys.chain(secret_headers).chain(&self.server.auth.secret)
    }
}

/// True for a header's name that suggests a credential.
pub(super) fn sounds_secret(header: &str) -> bool {
    let name = header.to_ascii_lowercase();
    ["auth", "key", "token", "secret", "cookie", "password"].iter().any(|word| name.contains(word))
}

/// What `aludel` without a command starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The workbench on a terminal, else help.
    Workbench,
    /// The HTTP server.
    Server,
}

/// Defaults of a generation request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationConfig {
    /// The temperature, 0..=2.
    pub default_temperature: f64,
    /// The most tokens of a phase, 1..=1,000,000.
    pub default_max_tokens: u32,
    /// Variants, 1..=100.
    pub default_count: u32,
    /// Whether variants run in parallel.
    pub use_parallel: bool,
    /// The model the prompts are for.
    pub default_target_model: Option<String>,
    /// The model for embeddings.
    pub default_embedding_model: Option<String>,
    /// Dimensions of embeddings, 1..=65,536.
    pub default_embedding_dimensions: Option<u32>,
    /// The persona.
    pub default_persona: Option<String>,
}

/// Where prompts are stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageConfig {
    /// The database file; [`Paths::database`](super::Paths::database) has it with the default filled in.
    pub database: Option<PathBuf>,
    /// Days for which deleted prompts can be restored; 0 deletes them at once.
    pub trash_days: u32,
}

/// The HTTP server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// The address to listen on.
    pub host: String,
    /// The port; 0 takes any free one.
    pub port: u16,
    /// Requests served at once.
    pub max_connections: usize,
    /// Seconds that running requests may take when the server stops.
    pub shutdown_grace_s: u64,
    /// Allowed `Host` names besides those of the loopback.
    pub allowed_hosts: Vec<String>,
    /// Whether it may listen beyond this machine without authentication.
    pub insecure_no_auth: bool,
    /// Authentication.
    pub auth: AuthConfig,
    /// The rate limiter.
    pub rate_limiting: RateLimitConfig,
    /// Cross-origin requests from browsers.
    pub cors: CorsConfig,
}

/// Tokens of the HTTP server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthConfig {
    /// Whether requests need a token.
    pub enabled: bool,
    /// `jwt`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The secret that signs tokens; 32 bytes or more when enabled.
    pub secret: Option<Secret>,
    /// The `iss` a token must have.
    pub issuer: Option<String>,
    /// The `aud` a token must have.
    pub audience: Option<String>,
}

/// The rate limiter of the HTTP server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimitConfig {
    /// Whether clients are limited.
    pub enabled: bool,
    /// Requests a minute.
    pub requests_per_minute: u32,
    /// Size of a burst.
    pub burst: u32,
}

/// Cross-origin requests from browsers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorsConfig {
    /// Whether they are allowed.
    pub enabled: bool,
    /// Allowed origins.
    pub allowed_origins: Vec<String>,
    /// Allowed methods.
    pub allowed_methods: Vec<String>,
    /// Allowed headers.
    pub allowed_headers: Vec<String>,
}

/// Learning from feedback.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearningConfig {
    /// Whether feedback changes the ranking.
    pub enabled: bool,
    /// How far one piece of feedback moves what was learned, 0..=1.
    pub learning_rate: f64,
    /// The share forgotten a day, 0..=1.
    pub decay_rate: f64,
    /// The confidence below which nothing is recommended, 0..=1.
    pub min_confidence: f64,
    /// When training starts, as a cron expression.
    pub schedule: Option<String>,
}

/// The cache of generation answers. The judge's answers are always cached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheConfig {
    /// Whether answers of generations are cached.
    pub enabled: bool,
    /// Seconds an answer stays cached; the key is `cache.ttl`.
    #[serde(rename = "ttl")]
    pub ttl_s: u64,
    /// The most answers cached.
    pub max_size: usize,
}

/// Spending limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpendConfig {
    /// US dollars a day for all runs together.
    pub daily_budget_usd: Option<f64>,
    /// US dollars above which a run asks first.
    pub preflight_usd: Option<f64>,
}

/// Limits of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// Calls of one run at the same time, 1..=1000.
    pub max_concurrency: usize,
}

/// The ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankingConfig {
    /// Weights by component, 0..=1; missing ones have built-in values.
    #[serde(default)]
    pub weights: BTreeMap<String, f64>,
}

/// The judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeConfig {
    /// The provider that judges.
    pub provider: Option<String>,
    /// The model that judges.
    pub model: Option<String>,
    /// A file of criteria.
    pub criteria: Option<PathBuf>,
    /// Whether every pair is judged in both orders.
    pub order_swaps: bool,
}

/// The workbench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuiConfig {
    /// The theme's name.
    pub theme: String,
    /// The key map's name.
    pub keymap: String,
    /// Whether it uses the mouse.
    pub mouse: bool,
    /// Plain lines, for screen readers.
    pub screen_reader: bool,
    /// Keys by action name; actions that are not here use the key map.
    #[serde(default)]
    pub keys: BTreeMap<String, Vec<String>>,
}

/// Logging.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogConfig {
    /// What is logged to the file: a level, or levels by target.
    pub level: String,
    /// The log file; `logs/aludel.log` below the data folder when unset.
    pub file: Option<PathBuf>,
    /// The format of the file.
    pub format: LogFormat,
}

/// The format of the log file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// A line per record, for people.
    Text,
    /// A JSON object per record.
    Json,
}
