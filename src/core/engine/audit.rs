//! `judge audit`: tests a judge on known cases and stores its profile.

use std::sync::Arc;

use super::estimate::{Estimate, JudgingInput, Preflight};
use super::judging::JudgePanel;
use super::prepared::{PlannedRun, Prepared};
use super::{Engine, spend, wiring};
use crate::api::JudgeAuditRequest;
use crate::domain::{JudgeAudit, JudgeProfile, ModelMetadata, Operation, ProviderKind, SessionId};
use crate::error::{Error, Result};
use crate::event::{Outcome, part};
use crate::judge::audit::{self, Case, Failures};
use crate::judge::{self, Judge, Judging};
use crate::ledger::Labels;
use crate::pipeline::Reporter;

impl Engine {
    /// Prepares the audit of a judge. It bypasses the cache and stores the judge's profile; if that
    /// fails, the run has a warning with the code `storage`. Dropping the run cancels the calls and
    /// stores nothing. The run fails with the provider's error, or with `judge_unreliable` when
    /// eight calls in a row give no valid reply.
    ///
    /// # Errors
    /// `validation_failed` for a judge that cannot be used; `file` for a template that cannot.
    pub fn prepare_audit(&self, request: JudgeAuditRequest) -> Result<Prepared> {
        let preflight = self.against_preflight(request.budget_usd, || self.estimate_audit(&request))?;
        Ok(self.prepared_audit(preflight, request, "choose a cheaper judge", |audit| async move {
            let profile = audit.run_audit().await?;
            Ok(JudgeAudit { profile, tested: true, warnings: Vec::new() })
        }))
    }

    /// The stored judge profiles, by provider and model.
    ///
    /// # Errors
    /// `storage`.
    pub async fn judge_profiles(&self) -> Result<Vec<JudgeProfile>> {
        self.store().profiles().await
    }

    /// Prepares an audit that runs `test`. `cheaper` is the advice for a cost that is too high.
    pub(super) fn prepared_audit<F: Future<Output = Result<JudgeAudit>> + Send>(
        &self,
        preflight: Preflight,
        request: JudgeAuditRequest,
        cheaper: &'static str,
        test: impl FnOnce(Audit) -> F + Send + 'static,
    ) -> Prepared {
        let (engine, asked, budget_usd) = (self.clone(), preflight.clone(), request.budget_usd);
        Prepared::new(preflight, budget_usd, Arc::clone(&self.inner.keeper), move |budget_usd, _| {
            let warning = engine.consent(&asked, budget_usd, cheaper)?;
            let request = JudgeAuditRequest { budget_usd, ..request };
            let session = engine.inner.ids.session();
            let panel = engine.panel_for_audit(&request)?;
            let judging = engine.judging_of_audit(&request, &panel, session)?;
            let judge =
                judging.judges.first().cloned().ok_or_else(|| Error::value("judge_provider", "names no judge"))?;
            let warnings: Vec<String> = warning.into_iter().chain(panel.warnings).collect();
            let start = move || {
                let counting = engine.clone();
                counting.start_task(session, Operation::JudgeAudit, None, move |report| async move {
                    let audit = Audit { engine: engine.clone(), judging, judge, report: report.clone() };
                    let mut audited = test(audit).await?;
                    // The test is paid for, so its result is returned even if it cannot be stored.
                    if let Err(error) = engine.store().put_profile(audited.profile.clone()).await {
                        report.warn_unsaved(&error).await;
                    }
                    audited.warnings.splice(..0, warnings);
                    for warning in &audited.warnings {
                        report.warn(warning).await;
                    }
                    Ok(Outcome::JudgeAudit(Box::new(audited)))
                })
            };
            Ok(PlannedRun { journal: None, start: Box::new(start) })
        })
    }

    /// The judge to test.
    pub(super) fn panel_for_audit<'a>(&'a self, request: &'a JudgeAuditRequest) -> Result<JudgePanel<'a>> {
        self.panel(request.judge_provider.as_slice(), self.default_judge(), &[])
    }

    /// The judging context and the account of an audit.
    pub(super) fn judging_of_audit(
        &self,
        request: &JudgeAuditRequest,
        panel: &JudgePanel<'_>,
        session: SessionId,
    ) -> Result<Judging> {
        let caps = spend::caps(request.budget_usd, request.max_calls, request.assume_price);
        let labels = Labels { session: Some(session), command: "judge audit", ..Labels::default() };
        Ok(Judging {
            judges: self.judges(&panel.targets, true)?,
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

    pub(super) fn estimate_audit(&self, request: &JudgeAuditRequest) -> Result<Estimate> {
        let persona = wiring::default_persona(self.config());
        let cases = audit::cases()?;
        let length = |case: &Case| case.good.len() + case.padding.len().max(case.worse.len());
        let longest = cases.iter().map(length).max().unwrap_or_default() as u64;
        let mut judgeable = JudgingInput {
            task: cases.iter().map(|case| case.task.as_str()).max_by_key(|task| task.len()).unwrap_or_default(),
            persona,
            rubric: self.rubric(None, persona)?,
            targets: &self.panel_for_audit(request)?.targets,
            candidates: 2,
            longest,
            thorough: true,
        };
        let price = spend::caps(None, None, request.assume_price).assumed_price;
        // The judge's own words can be the longest text; asking for them costs less than judging.
        let (about_own, others) = audit::most_calls(&cases);
        let rest = self.estimate_of_questions(&judgeable, others, price)?;
        judgeable.longest = longest.max(audit::OWN_BYTES);
        Ok(rest.and(self.estimate_of_questions(&judgeable, about_own, price)?))
    }
}

/// A judge being tested.
pub(super) struct Audit {
    pub(super) engine: Engine,
    pub(super) judging: Judging,
    pub(super) judge: Judge,
    pub(super) report: Reporter,
}

impl Audit {
    /// Reports how many questions of this part are answered.
    pub(super) fn report_progress(&self, part: &str, done: usize, total: usize) {
        self.report.progress(part, done as u64, Some(total as u64));
    }

    /// Tests the judge. Its stored agreement with a person's labels is kept.
    pub(super) async fn run_audit(&self) -> Result<JudgeProfile> {
        let Self { engine, judging, judge, .. } = self;
        let mut failures = Failures::default();
        let (cases, restated) = self.own_words(audit::cases()?, &mut failures).await?;
        let told = |done, total| self.report_progress(part::TEST, done, total);
        let mut profile = audit::audit(judging, judge, &cases, failures, told).await?;
        profile.model_metadata = ModelMetadata::sum(restated.iter().chain([&profile.model_metadata]));
        profile.labels = engine.store().profile(judge.name()).await.ok().flatten().and_then(|known| known.labels);
        Ok(profile)
    }

    /// The cases with texts in the judge's own words; `builtin` has none, as it cannot paraphrase.
    async fn own_words(&self, cases: Vec<Case>, failures: &mut Failures) -> Result<(Vec<Case>, Vec<ModelMetadata>)> {
        let settings = self.engine.inner.registry.settings(self.judge.provider.name());
        if settings.is_some_and(|settings| settings.kind == ProviderKind::Builtin) {
            return Ok((cases, Vec::new()));
        }
        audit::in_own_words(&self.judging, &self.judge, cases, failures).await
    }
}
