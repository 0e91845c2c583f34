//! `why`: explains the origin and the rank of a prompt from stored data.
//!
//! Makes no calls: a ranking is computed from texts, and a judgement is recomputed from its
//! evidence. It uses the judges' current profiles; if that changes the choice, both are reported.

use std::collections::BTreeMap;

use super::Engine;
use super::retrieve::no_prompt;
use super::wiring;
use crate::api::WhyRequest;
use crate::domain::{
    Ancestor, Filter, JudgeName, JudgeProfile, JudgeStatus, Judgement, JudgementExplanation, Opponent, Order,
    OrderVerdict, Prompt, PromptId, PromptRating, Ranking, StepMetrics, Timestamp, Why, limits,
};
use crate::error::{Error, Result};
use crate::judge;
use crate::rank;
use crate::store::PageSpec;

/// The most ancestors followed. No real derivation is longer.
const MOST_ANCESTORS: usize = 100;
const MILLIS_A_DAY: f64 = 86_400_000.0;

impl Engine {
    /// Explains the origin and the rank of a prompt. Makes no calls.
    ///
    /// # Errors
    /// `not_found`; `validation_failed` for a shortened id that could mean several; `storage`.
    pub async fn why(&self, request: WhyRequest) -> Result<Why> {
        let id = self.resolve(&request.prompt_id).await?;
        let prompt = self.store().get(id).await?.ok_or_else(|| no_prompt(&request.prompt_id))?;
        let ancestors = self.ancestors(&prompt).await?;
        let relations = self.store().relations(vec![id]).await?.pop().unwrap_or_default();
        let ranking = self.ranking_now(&prompt).await?;
        let limit = request.limit.unwrap_or(limits::DEFAULT_LIMIT);
        let judgements = self.store().judgements_of(id, limit).await?;
        let profiles = self.profiles_of(&judgements).await?;
        let now = self.inner.clock.now();
        let as_seen_from = |judgement: &Judgement| as_seen_from(judgement, id, &profiles, now);
        Ok(Why {
            prompt_id: id,
            session_id: prompt.session_id,
            variant: prompt.variant,
            created_at: prompt.created_at,
            source: prompt.source,
            ancestors,
            children: relations.children,
            steps: prompt
                .steps
                .into_iter()
                .map(|step| StepMetrics { phase: step.phase, model_metadata: step.model_metadata })
                .collect(),
            original_input: prompt.original_input,
            persona: prompt.persona,
            strategy: prompt.strategy,
            model_metadata: prompt.model_metadata,
            score: prompt.score,
            rank: relations.rank,
            ranked: relations.ranked,
            ranking,
            judgements: judgements.iter().filter_map(as_seen_from).collect(),
        })
    }

    /// The prompts it was derived from, up to one that was not derived or is no longer stored.
    async fn ancestors(&self, prompt: &Prompt) -> Result<Vec<Ancestor>> {
        let mut ancestors: Vec<Ancestor> = Vec::new();
        let mut next = prompt.parent_id;
        while let Some(id) = next.filter(|id| *id != prompt.id && ancestors.iter().all(|known| known.prompt_id != *id))
        {
            if ancestors.len() == MOST_ANCESTORS {
                break;
            }
            let parent = self.store().get(id).await?;
            ancestors.push(Ancestor { prompt_id: id, source: parent.as_ref().map(|parent| parent.source) });
            next = parent.and_then(|parent| parent.parent_id);
        }
        Ok(ancestors)
    }

    /// Its ranking among the stored prompts of its run, recomputed now.
    async fn ranking_now(&self, prompt: &Prompt) -> Result<Ranking> {
        let filter = Filter { session_id: Some(prompt.session_id), ..Filter::default() };
        let most = u32::try_from(limits::MAX_LIMIT).unwrap_or(u32::MAX);
        let page = PageSpec { limit: most, offset: 0, cursor: None };
        let mut run = self.store().page(filter, Order::Newest, page).await?.items;
        // A prompt derived from a variant belongs to the run but was never ranked with it.
        run.retain(|other| other.id == prompt.id || other.score.is_some());
        let persona = self.inner.assets.persona(&prompt.persona).ok();
        let weights = wiring::ranking_weights(self.config(), self.origins())?;
        let inputs = rank::RankInputs {
            original_input: &prompt.original_input,
            context: &prompt.context,
            gaps: self.inner.registry.writer().gaps(&prompt.original_input, !prompt.context.is_empty())?,
            checks: persona.as_deref().map_or(&[], |persona| &persona.checks),
            weights: &weights,
            history: None,
        };
        let ranking = rank::rank(&run, &inputs).into_iter().find(|ranking| ranking.prompt_id == prompt.id);
        ranking.ok_or_else(|| Error::Internal("a prompt is missing from its own run".into()))
    }

    /// The profiles of the judges of these judgements.
    async fn profiles_of(&self, judgements: &[Judgement]) -> Result<BTreeMap<JudgeName, JudgeProfile>> {
        let mut profiles = BTreeMap::new();
        for judge in judgements.iter().flat_map(|judgement| &judgement.judges) {
            if !profiles.contains_key(judge)
                && let Some(profile) = self.store().profile(judge.clone()).await?
            {
                profiles.insert(judge.clone(), profile);
            }
        }
        Ok(profiles)
    }
}

/// A judgement as seen from `id`; `None` if `id` is not in its ranking.
fn as_seen_from(
    judgement: &Judgement,
    id: PromptId,
    profiles: &BTreeMap<JudgeName, JudgeProfile>,
    now: Timestamp,
) -> Option<JudgementExplanation> {
    let known: Vec<Option<JudgeProfile>> = judgement.judges.iter().map(|judge| profiles.get(judge).cloned()).collect();
    let concluded = judge::conclude(judgement, &known)?;
    let place = concluded.ranking.iter().position(|standing| standing.prompt_id == id)?;
    let standing = concluded.ranking.get(place)?.clone();
    let judge = |(name, profile): (&JudgeName, &Option<JudgeProfile>)| JudgeStatus {
        name: name.clone(),
        audit_age_days: profile.as_ref().map(|profile| days_between(profile.audited_at, now)),
        usable: profile.as_ref().map(|profile| profile.usable),
    };
    let opponents = concluded.comparisons.iter().filter_map(|comparison| {
        let (other, margin) = match id {
            id if id == comparison.a => (comparison.b, comparison.margin),
            id if id == comparison.b => (comparison.a, -comparison.margin),
            _ => return None,
        };
        Some(Opponent {
            prompt_id: other,
            margin: margin + 0.0,
            agreed: comparison.agreed,
            verdicts: orders(judgement, id, other),
        })
    });
    let ratings = judgement.ratings.iter().filter(|rating| rating.prompt_id == id);
    Some(JudgementExplanation {
        id: judgement.id,
        created_at: judgement.created_at,
        operation: judgement.operation.clone(),
        task: judgement.task.clone(),
        rubric: judgement.rubric.clone(),
        criteria: judgement.criteria.clone(),
        judges: judgement.judges.iter().zip(&known).map(judge).collect(),
        candidates: u32::try_from(judgement.candidates.len()).unwrap_or(u32::MAX),
        recorded: judgement.conclusion.clone(),
        winner_changed: judgement.conclusion.winner != concluded.conclusion.winner,
        recomputed: concluded.conclusion.clone(),
        place: u32::try_from(place + 1).unwrap_or(u32::MAX),
        standing,
        ratings: ratings
            .map(|rating| PromptRating {
                judge: rating.judge,
                score: rating.score,
                reasoning: rating.reasoning.clone(),
            })
            .collect(),
        opponents: opponents.collect(),
        swap_consistency: concluded.swap_consistency,
        missing: judgement.missing,
        reasoning: concluded.reasoning.clone(),
        model_metadata: judgement.model_metadata.clone(),
    })
}

/// The verdicts on these two prompts, seen from `id`.
fn orders(judgement: &Judgement, id: PromptId, other: PromptId) -> Vec<OrderVerdict> {
    let seen = judgement.verdicts.iter().filter_map(|verdict| {
        let shown_first = match (verdict.first, verdict.second) {
            pair if pair == (id, other) => true,
            pair if pair == (other, id) => false,
            _ => return None,
        };
        Some(OrderVerdict {
            judge: verdict.judge,
            shown_first,
            // Avoids negative zero, which would look like a margin.
            margin: if shown_first { verdict.margin } else { 0.0 - verdict.margin },
            reasoning: judge::in_order(&verdict.reasoning, verdict.first, verdict.second),
        })
    });
    seen.collect()
}

fn days_between(earlier: Timestamp, later: Timestamp) -> f64 {
    (later.as_millisecond() - earlier.as_millisecond()).max(0) as f64 / MILLIS_A_DAY
}
