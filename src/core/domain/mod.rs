//! The vocabulary: the things the program's users meet, as plain data.
//!
//! Owns the shapes of the contract's section 1 and nothing else: no input, no output, no clock, no async.
//! Every type here serialises to exactly the names and shapes all four faces show, so a face never
//! re-shapes a result. Field order is the order shown to people. With them are the [`limits`] of the contract and what
//! more than one layer chooses by: [`Filter`], [`Order`], [`TargetFamily`].
//!
//! What happens *while* a prompt is made is in [`crate::event`]; what can go wrong is in [`crate::error`].

mod agreement;
mod batch;
mod brief;
mod compare;
mod family;
mod filter;
mod found;
mod grade;
mod health;
mod ids;
mod import;
mod job;
mod judge_profile;
mod judgement;
pub mod limits;
mod mcp_config;
mod metadata;
mod metrics;
pub(crate) mod moment;
mod offered;
mod operation;
mod outline;
mod phase;
mod prompt;
mod provider;
mod reindexed;
mod result;
mod runs;
mod scope;
mod selection;
mod spend;
mod stats;
mod summary;
mod token;
mod trace_context;
mod why;

pub use agreement::{Agreement, AgreementBin, LabelledMargin};
pub use batch::{BatchRow, BatchSummary, RowStatus};
pub use brief::{BriefPrompt, CutText};
pub use compare::{CompareResult, DiffOp, DiffPart};
pub use family::{TargetFamily, maker_of};
pub use filter::{Filter, Order};
pub use found::{FoundPrompt, ListedPrompt, Match, MatchKind, SearchResult};
pub use grade::Grade;
pub use health::{Dependency, HealthReport, HealthStatus};
pub use ids::{JudgementId, ParseIdError, PromptId, SHORT_ID_LENGTH, SessionId};
pub use import::{Conflict, ImportReport, Skip};
pub use jiff::Timestamp;
pub use job::{Job, JobDetails, JobList, JobResult, JobState};
pub use judge_profile::{Calibration, JudgeAudit, JudgeProfile};
pub use judgement::{Candidate, Conclusion, JudgeName, Judgement, PairVerdict, Rating};
pub use mcp_config::{McpConfig, McpConfigSyntax, McpHost, McpInstallOutcome, McpInstallation};
pub use metadata::{ModelMetadata, TokenUsage};
pub use metrics::{Figure, MetricsReport, MetricsSummary, PromptMetrics, StepMetrics, TextSize};
pub use moment::write_moment;
pub use offered::{OfferedArgument, OfferedPage, OfferedPrompt, Suggestions};
pub use operation::Operation;
pub use outline::PromptOutline;
pub use phase::{Phase, UnknownPhase};
pub use prompt::{Prompt, Source, Step};
pub use provider::{
    BUILTIN, ProviderCheck, ProviderCheckName, ProviderCheckStatus, ProviderInfo, ProviderKind, ProviderTest,
    ProviderTests,
};
pub use reindexed::Reindexed;
pub use result::{CheckMet, GenerationResult, Ranking, VariantFailure};
pub use runs::{RunRows, by_run};
pub use scope::{Scope, Scopes};
pub use selection::{Comparison, RankedCandidate, SelectResult, chance, likelihood, with_names};
pub use spend::{SpendBy, SpendCaps, SpendLine, SpendReport, SpendTotals};
pub use stats::{Spread, StatsBy, StatsGroup, StatsLine, StatsReport, StatsTotals};
pub use summary::{PromptFields, PromptSummary, PromptTexts, SelectedPrompt};
pub use token::MintedToken;
pub use trace_context::TraceContext;
pub use why::{Ancestor, JudgeStatus, JudgementExplanation, Opponent, OrderVerdict, PromptRating, Why};
