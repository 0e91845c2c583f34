//! `judge audit --labels`: measures and stores how often a judge agrees with a person's choices.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::estimate::{Estimate, JudgingInput, Preflight};
use super::prepared::Prepared;
use super::{Engine, spend, wiring};
use crate::api::{JudgeAuditRequest, PromptKey, ShowRequest};
use crate::assets::Rubric;
use crate::domain::{JudgeAudit, Prompt};
use crate::error::{Error, Result};
use crate::event::part;
use crate::judge::labels::parse::{self, Label, Side, unusable};
use crate::judge::labels::{self, LabelledPair};

/// Below this number of pairs the interval is too wide to be useful.
const FEW_PAIRS: u32 = 10;

/// The pairs of a labels file with their texts.
#[derive(Debug, Clone)]
pub struct LabelledPairs {
    pairs: Vec<LabelledPair>,
}

impl LabelledPairs {
    /// The number of pairs, 1 or more.
    pub fn count(&self) -> usize {
        self.pairs.len()
    }
}

impl Engine {
    /// Reads a labels file and looks up the prompts it names.
    ///
    /// # Errors
    /// `file` for a file that cannot be read or used, with the line and the field; `storage`.
    pub async fn labels(&self, path: &Path) -> Result<LabelledPairs> {
        let mut reading =
            LabelResolver { engine: self, path: path.to_owned(), prompts: HashMap::new(), rubrics: BTreeMap::new() };
        let mut pairs = Vec::new();
        for label in parse::read(path)? {
            pairs.push(reading.pair(label).await?);
        }
        Ok(LabelledPairs { pairs })
    }

    /// Prepares a run that asks a judge about every pair in both orders and stores its agreement in
    /// its profile. A judge without a profile is audited first, under the same caps. The calls
    /// bypass the cache; dropping the run cancels them.
    ///
    /// The run fails like that of [`Engine::prepare_audit`], and with `judge_unreliable` when no
    /// pair has a valid reply in both orders. The audit is stored even if the labels fail.
    ///
    /// # Errors
    /// `validation_failed` for a judge that cannot be used; `file` for a template that cannot; `storage`.
    pub async fn prepare_labels_audit(&self, request: JudgeAuditRequest, pairs: LabelledPairs) -> Result<Prepared> {
        let preflight = self.preflight_labels(&request, &pairs).await?;
        let cheaper = "choose a cheaper judge or fewer labels";
        Ok(self.prepared_audit(preflight, request, cheaper, |audit| async move {
            let stored = audit.engine.store().profile(audit.judge.name()).await?;
            let tested = stored.is_none();
            let mut profile = match stored {
                Some(profile) => profile,
                None => {
                    let profile = audit.run_audit().await?;
                    // It is paid for, so store it even if the labels fail. Errors show at the end.
                    if let Err(error) = audit.engine.store().put_profile(profile.clone()).await {
                        tracing::warn!(%error, "the judge's profile cannot be stored");
                    }
                    profile
                }
            };
            let told = |done, total| audit.report_progress(part::LABELS, done, total);
            let agreement = labels::ask_pairs(&audit.judging, &audit.judge, &pairs.pairs, told).await?;
            let few = (agreement.pairs < FEW_PAIRS).then(|| {
                format!(
                    "fewer than {FEW_PAIRS} labelled pairs were answered ({}), so the intervals are wide; 40 pairs make them useful",
                    agreement.pairs
                )
            });
            profile.labels = Some(agreement);
            Ok(JudgeAudit { profile, tested, warnings: few.into_iter().collect() })
        }))
    }

    async fn preflight_labels(&self, request: &JudgeAuditRequest, pairs: &LabelledPairs) -> Result<Preflight> {
        let panel = self.panel_for_audit(request)?;
        let is_known = match self.judges(&panel.targets, true)?.first() {
            Some(judge) => self.store().profile(judge.name()).await?.is_some(),
            None => true,
        };
        self.against_preflight(request.budget_usd, || {
            let labels = self.estimate_labels(request, pairs)?;
            Ok(if is_known { labels } else { labels.and(self.estimate_audit(request)?) })
        })
    }

    fn estimate_labels(&self, request: &JudgeAuditRequest, pairs: &LabelledPairs) -> Result<Estimate> {
        let panel = self.panel_for_audit(request)?;
        let price = spend::caps(None, None, request.assume_price).assumed_price;
        let mut by_persona: BTreeMap<&str, Vec<&LabelledPair>> = BTreeMap::new();
        for pair in &pairs.pairs {
            by_persona.entry(&pair.persona).or_default().push(pair);
        }
        let mut total: Option<Estimate> = None;
        for (persona, pairs) in by_persona {
            let Some(first) = pairs.first() else { continue };
            let judgeable = JudgingInput {
                task: pairs.iter().map(|pair| pair.task.as_str()).max_by_key(|task| task.len()).unwrap_or_default(),
                persona,
                rubric: Arc::clone(&first.rubric),
                targets: &panel.targets,
                candidates: 2,
                longest: pairs.iter().map(|pair| pair.a.len().max(pair.b.len())).max().unwrap_or_default() as u64,
                thorough: true,
            };
            let estimate = self.estimate_of_questions(&judgeable, 2 * pairs.len() as u64, price)?;
            total = Some(match total {
                Some(total) => total.and(estimate),
                None => estimate,
            });
        }
        total.ok_or_else(|| Error::Internal("there are no labels".to_owned()))
    }
}

/// Looks up the texts of labels.
struct LabelResolver<'a> {
    engine: &'a Engine,
    path: PathBuf,
    /// Prompts already read; a prompt is often in several pairs.
    prompts: HashMap<PromptKey, Arc<Prompt>>,
    rubrics: BTreeMap<String, Arc<Rubric>>,
}

/// A resolved side of a label.
enum LabelText {
    Prompt(Arc<Prompt>),
    Text(String),
}

impl LabelResolver<'_> {
    async fn pair(&mut self, label: Label) -> Result<LabelledPair> {
        let Label { line, choice, task, persona, .. } = label;
        let a = self.side(line, "a", label.a).await?;
        let b = self.side(line, "b", label.b).await?;
        if a.text().trim() == b.text().trim() {
            return Err(self.fault(line, "a and b are the same text; leave the line out"));
        }
        let task = match task {
            Some(task) => task,
            None => a.common(&b, |prompt| prompt.original_input.trim()).map(str::to_owned).ok_or_else(|| {
                self.fault(
                    line,
                    "task: is needed here, because it is not stored what both were made from; say what they are for",
                )
            })?,
        };
        let usual = wiring::default_persona(self.engine.config());
        let persona = persona.unwrap_or_else(|| a.common(&b, |prompt| &prompt.persona).unwrap_or(usual).to_owned());
        let rubric = match self.rubrics.get(&persona) {
            Some(rubric) => Arc::clone(rubric),
            None => {
                let rubric = self.engine.rubric(None, &persona)?;
                self.rubrics.insert(persona.clone(), Arc::clone(&rubric));
                rubric
            }
        };
        Ok(LabelledPair { task, persona, rubric, a: a.into_text(), b: b.into_text(), choice })
    }

    async fn side(&mut self, line: u64, name: &str, side: Side) -> Result<LabelText> {
        let key = match side {
            Side::Text(text) => return Ok(LabelText::Text(text)),
            Side::Stored(key) => key,
        };
        if let Some(prompt) = self.prompts.get(&key) {
            return Ok(LabelText::Prompt(Arc::clone(prompt)));
        }
        match self.engine.show(ShowRequest { prompt_id: key.clone() }).await {
            Ok(prompt) => {
                let prompt = Arc::new(prompt);
                self.prompts.insert(key, Arc::clone(&prompt));
                Ok(LabelText::Prompt(prompt))
            }
            Err(Error::NotFound { .. }) => Err(self.fault(
                line,
                &format!(
                    "{name}: no stored prompt matches `{key}`; leave the line out, or write the text as `{name}_text`"
                ),
            )),
            Err(Error::Value(faults)) => {
                let told: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
                Err(self.fault(line, &format!("{name}: {}", told.join("; "))))
            }
            Err(error) => Err(error),
        }
    }

    fn fault(&self, line: u64, reason: &str) -> Error {
        unusable(&self.path, format!("line {line}: {reason}"))
    }
}

impl LabelText {
    fn text(&self) -> &str {
        match self {
            Self::Prompt(prompt) => &prompt.content,
            Self::Text(text) => text,
        }
    }

    fn into_text(self) -> String {
        match self {
            Self::Prompt(prompt) => prompt.content.clone(),
            Self::Text(text) => text,
        }
    }

    /// The value that two stored prompts share, if they do and it is not empty.
    fn common<'a>(&'a self, other: &'a Self, of: impl Fn(&'a Prompt) -> &'a str) -> Option<&'a str> {
        match (self, other) {
            (Self::Prompt(a), Self::Prompt(b)) if of(a) == of(b) && !of(a).is_empty() => Some(of(a)),
            _ => None,
        }
    }
}
