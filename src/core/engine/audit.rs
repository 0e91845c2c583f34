//! `judge audit`: a judge put to its own test, and what came of it kept.

use std::sync::Arc;

use super::estimate::{Estimate, Judgeable, Preflight};
use super::judging::Bench;
use super::{Engine, spend, wiring};
use crate::api::JudgeAuditRequest;
use crate::domain::{JudgeProfile, ModelMetadata, ProviderKind};
use crate::error::{Error, Result};
use crate::judge::audit::{self, Case, Failures};
use crate::judge::{self, Judge, Judging};
use crate::ledger::Labels;

/// What came of a judge's test.
#[derive(Debug)]
pub struct Audited {
    /// What the judge is like.
    pub profile: JudgeProfile,
    /// What the user should know of the test.
    pub warnings: Vec<String>,
    /// Why the profile is not kept, where it could not be stored.
    pub not_kept: Option<Error>,
}

impl Engine {
    /// Tests a judge and keeps what it is like; `told` hears how many of how many questions are answered. Asks past the
    /// cache. Dropping the future cancels the calls, and nothing is kept then. Needs a tokio runtime.
    ///
    /// # Errors
    /// `validation_failed` for a judge that cannot be used; `budget_exceeded`; the provider's own error, or
    /// `judge_unreliable`, when eight calls in a row bring no valid answer. Nothing is kept then.
    pub async fn audit_judge(&self, request: JudgeAuditRequest, told: impl Fn(usize, usize)) -> Result<Audited> {
        let warning = self.pass_preflight(&self.preflight_audit(&request)?, "choose a cheaper judge")?;
        let bench = self.bench_of_audit(&request)?;
        let judging = self.judging_of_audit(&request, &bench)?;
        let judge = judging.judges.first().ok_or_else(|| Error::value("judge_provider", "names no judge"))?;
        let profile = self.put_to_test(&judging, judge, told).await?;
        // The test is paid for: what it says is given, kept or not.
        let not_kept = self.store().put_profile(profile.clone()).await.err();
        Ok(Audited { profile, warnings: warning.into_iter().chain(bench.warnings).collect(), not_kept })
    }

    /// Who is tested.
    pub(super) fn bench_of_audit<'a>(&'a self, request: &'a JudgeAuditRequest) -> Result<Bench<'a>> {
        self.bench(request.judge_provider.as_slice(), self.usual_judge(), &[])
    }

    /// How a judge is tested, and who pays.
    pub(super) fn judging_of_audit(&self, request: &JudgeAuditRequest, bench: &Bench<'_>) -> Result<Judging> {
        let caps = spend::caps(request.budget_usd, request.max_calls, request.assume_price);
        let labels = Labels { session: Some(self.inner.ids.session()), command: "judge audit", tags: Vec::new() };
        Ok(Judging {
            judges: self.judges(&bench.targets, true)?,
            assets: Arc::clone(&self.inner.assets),
            rubric: self.rubric(None, wiring::default_persona(self.config()))?,
            task: String::new(),
            persona: wiring::default_persona(self.config()).to_owned(),
            thorough: false,
            confidence: judge::CONFIDENT,
            order_swaps: true,
            max_concurrency: self.config().run.max_concurrency,
            account: self.account(caps, labels),
            id: self.inner.ids.judgement(),
            now: self.inner.clock.now(),
            operation: "judge audit".to_owned(),
        })
    }

    /// Puts a judge to its own test. What is known of its agreement with a person stays.
    pub(super) async fn put_to_test(
        &self,
        judging: &Judging,
        judge: &Judge,
        told: impl Fn(usize, usize),
    ) -> Result<JudgeProfile> {
        let mut failures = Failures::default();
        let (cases, restated) = self.own_words(judging, judge, audit::cases()?, &mut failures).await?;
        let mut profile = audit::audit(judging, judge, &cases, failures, told).await?;
        profile.model_metadata = ModelMetadata::sum(restated.iter().chain([&profile.model_metadata]));
        profile.labels = self.store().profile(judge.name()).await.ok().flatten().and_then(|known| known.labels);
        Ok(profile)
    }

    /// What is known of judges, by provider and model.
    ///
    /// # Errors
    /// `storage`.
    pub async fn judge_profiles(&self) -> Result<Vec<JudgeProfile>> {
        self.store().profiles().await
    }

    /// Whether a test may begin without a question.
    ///
    /// # Errors
    /// `validation_failed` for a judge that cannot be used; `file` for a template that cannot.
    pub fn preflight_audit(&self, request: &JudgeAuditRequest) -> Result<Preflight> {
        self.against_preflight(request.budget_usd, || self.estimate_audit(request))
    }

    pub(super) fn estimate_audit(&self, request: &JudgeAuditRequest) -> Result<Estimate> {
        let persona = wiring::default_persona(self.config());
        let cases = audit::cases()?;
        let length = |case: &Case| case.good.len() + case.padding.len().max(case.worse.len());
        let longest = cases.iter().map(length).max().unwrap_or_default() as u64;
        let mut judgeable = Judgeable {
            task: cases.iter().map(|case| case.task.as_str()).max_by_key(|task| task.len()).unwrap_or_default(),
            persona,
            rubric: self.rubric(None, persona)?,
            targets: &self.bench_of_audit(request)?.targets,
            candidates: 2,
            longest,
            thorough: true,
        };
        let price = spend::caps(None, None, request.assume_price).assumed_price;
        // A text in the judge's own words may be longer than any other. To be asked for it costs less than a question does.
        let (about_own, others) = audit::most_calls(&cases);
        let rest = self.estimate_of_questions(&judgeable, others, price)?;
        judgeable.longest = longest.max(audit::OWN_BYTES);
        Ok(rest.and(self.estimate_of_questions(&judgeable, about_own, price)?))
    }

    /// The cases with texts in the judge's own words; `builtin` has none, because it does not write from understanding.
    async fn own_words(
        &self,
        judging: &Judging,
        judge: &Judge,
        cases: Vec<Case>,
        failures: &mut Failures,
    ) -> Result<(Vec<Case>, Vec<ModelMetadata>)> {
        let settings = self.inner.registry.settings(judge.provider.name());
        if settings.is_some_and(|settings| settings.kind == ProviderKind::Builtin) {
            return Ok((cases, Vec::new()));
        }
        audit::in_own_words(judging, judge, cases, failures).await
    }
}
