//! Chooses and asks the questions: ratings of four or more candidates, then pair after pair, each
//! time the one with the largest expected gain, until P(best) of the leader is high enough.
//!
//! Dropping the future of [`QuestionLoop::ask_all`] cancels every call under way. A judge without a
//! valid answer to more than a fifth of its questions is dropped, and the others of a panel
//! continue. When a cap is reached, asking ends, and the answers so far count.

use std::collections::BTreeMap;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use xxhash_rust::xxh3::xxh3_64;

use crate::domain::{Candidate, Comparison, JudgeProfile, ModelMetadata, PairVerdict, Prompt, Rating};
use crate::error::{Code, Error, Result};
use crate::event::EventKind;
use crate::event::run::EventSender;

use super::Judging;
use super::ask::{Answer, AnswerError, Asker};
use super::conclude;
use super::errors::ErrorModel;
use super::evidence::{self, PairOpinion};
use super::explain::MissingAnswers;
use super::field::CandidateGroups;
use super::reply::{Compared, Rated};
use super::strength::{self, StrengthFit};

/// The largest share of a judge's ratings, or comparisons, that may be missing.
const MOST_MISSING: f64 = 0.2;

/// After this many failures without any answer the provider is at fault, not the judge.
const ENOUGH_FAILURES: usize = 8;

/// From this many candidates on they are rated first.
const RATED_FROM: usize = 4;

/// The least expected gain, times the number of candidates, for asking a tested judge again.
const WORTH_ASKING: f64 = 0.05;

/// A thorough selection asks about one pair concurrently for every this many candidates.
const CANDIDATES_A_PAIR: usize = 4;

/// The most pairs that each judge is asked about.
pub const fn most_pairs(candidates: usize, thorough: bool) -> usize {
    let all = candidates * candidates.saturating_sub(1) / 2;
    if thorough || candidates < RATED_FROM {
        return all;
    }
    // Three of five, five of eight, six of sixteen, eight of sixty-four.
    let some = if candidates <= 5 { 3 } else { 2 + candidates.next_power_of_two().ilog2() as usize };
    if some < all { some } else { all }
}

/// The most questions to the judges about this many distinct candidates, without repairs.
pub fn most_asks(candidates: usize, judges: usize, thorough: bool, order_swaps: bool) -> u64 {
    let candidates = candidates.min(super::MOST_CANDIDATES);
    let orders = if order_swaps { 2 } else { 1 };
    let rated = if candidates < RATED_FROM { 0 } else { candidates };
    ((rated + orders * most_pairs(candidates, thorough)) * judges) as u64
}

/// The least questions to the judges for any basis of a choice: each rating, or one pair.
pub fn least_asks(candidates: usize, judges: usize, order_swaps: bool) -> u64 {
    let candidates = candidates.min(super::MOST_CANDIDATES);
    let orders = if order_swaps { 2 } else { 1 };
    let asked = match candidates {
        0 | 1 => 0,
        few if few < RATED_FROM => orders,
        many => many,
    };
    (asked * judges) as u64
}

/// The answers of a selection.
#[derive(Default)]
pub(super) struct CollectedAnswers {
    pub(super) ratings: Vec<Rating>,
    pub(super) verdicts: Vec<PairVerdict>,
    /// Questions without a valid answer.
    pub(super) lost: MissingAnswers,
    /// The error of the cap that ended the asking, if any.
    pub(super) cap: Option<String>,
    /// Warnings about judges that were dropped.
    pub(super) warnings: Vec<String>,
    /// The metadata of every answered call.
    pub(super) spent: Vec<ModelMetadata>,
}

/// One question to one judge, about entries by index.
#[derive(Clone, Copy)]
enum Question {
    Rate { judge: usize, entry: usize },
    Compare { judge: usize, first: usize, second: usize },
}

enum Reply {
    Rated(Answer<Rated>),
    Compared(Answer<Compared>),
}

/// A selection under way.
pub(super) struct QuestionLoop<'i> {
    judging: &'i Judging,
    asker: &'i Asker<'i>,
    field: CandidateGroups,
    /// The text of each entry.
    texts: Vec<&'i str>,
    profiles: Vec<Option<JudgeProfile>>,
    errors: ErrorModel,
    /// For each judge, whether it is still asked.
    is_active: Vec<bool>,
    events: &'i EventSender,
    answers: CollectedAnswers,
}

/// A judge's performance in one stage.
#[derive(Default)]
struct StageTally {
    answered: usize,
    missing: usize,
    /// The last failure of a call.
    failure: Option<Error>,
    /// What was wrong with the last question without a valid answer.
    last: String,
}

impl<'i> QuestionLoop<'i> {
    pub(super) fn new(
        judging: &'i Judging,
        asker: &'i Asker<'i>,
        prompts: &[&'i Prompt],
        candidates: &[Candidate],
        events: &'i EventSender,
    ) -> Self {
        let field = CandidateGroups::of(candidates);
        let text = |id| prompts.iter().find(|prompt| prompt.id == id).map_or("", |prompt| prompt.content.as_str());
        let texts = field.entries.iter().map(|entry| text(entry.id())).collect();
        let profiles: Vec<Option<JudgeProfile>> = judging.judges.iter().map(|judge| judge.profile.clone()).collect();
        let errors = ErrorModel::of(&profiles, judging.judges.len());
        let is_active = vec![true; judging.judges.len()];
        Self { judging, asker, field, texts, profiles, errors, is_active, events, answers: CollectedAnswers::default() }
    }

    pub(super) fn into_answers(self) -> CollectedAnswers {
        self.answers
    }

    /// Asks until P(best) is high enough, or nothing is left to ask. Fails like [`super::select`].
    pub(super) async fn ask_all(&mut self) -> Result<()> {
        let all: Vec<usize> = (0..self.field.len()).collect();
        if all.len() < 2 {
            return Ok(());
        }
        let most = most_pairs(all.len(), self.judging.thorough);
        let orders = if self.judging.order_swaps { 2 } else { 1 };
        let is_rated = all.len() >= RATED_FROM;
        let rated = if is_rated { all.len() } else { 0 };
        self.answers.lost.asked = count((rated + orders * most) * self.judging.judges.len());
        if is_rated {
            let screen = |judge| all.iter().map(move |&entry| Question::Rate { judge, entry });
            let questions: Vec<Question> = (0..self.judging.judges.len()).flat_map(screen).collect();
            let mut conducts = self.conducts();
            self.ask_batch(questions, all.len(), &mut conducts).await?;
            self.settle(conducts, all.len())?;
        }
        // Candidates that could not be rated are not compared.
        let known: Vec<usize> = if is_rated {
            let is_known =
                |at: &usize| self.answers.ratings.iter().any(|rating| rating.prompt_id == self.field.entries[*at].id());
            all.into_iter().filter(is_known).collect()
        } else {
            all
        };
        let mut open = CandidateGroups::pairs(&known);
        let (mut conducts, mut asked) = (self.conducts(), 0);
        while asked < most && self.answers.cap.is_none() {
            let batch = self.next_pairs(&mut open, most - asked, asked > 0 || is_rated);
            if batch.is_empty() {
                break;
            }
            asked += batch.len();
            let of_judge = |judge: usize| -> Vec<Question> {
                if !self.is_active[judge] {
                    return Vec::new();
                }
                batch.iter().flat_map(|&pair| self.orders(judge, pair)).collect()
            };
            let questions = (0..self.judging.judges.len()).flat_map(of_judge).collect();
            self.ask_batch(questions, most * orders, &mut conducts).await?;
        }
        self.settle(conducts, most * orders)
    }

    fn conducts(&self) -> Vec<StageTally> {
        self.judging.judges.iter().map(|_| StageTally::default()).collect()
    }

    /// Fits the strengths to the answers so far.
    fn fitted(&self) -> StrengthFit {
        let opinions = evidence::opinions(&self.field, &self.answers.verdicts, &self.profiles);
        let said = evidence::said(&self.field, &opinions, &self.answers.ratings, &self.profiles, &self.errors);
        strength::fit(&said, &self.errors.possibilities, conclude::seed(&self.field))
    }

    /// Takes the pairs to ask about next out of `open`; none if P(best) is high enough.
    fn next_pairs(&self, open: &mut Vec<(usize, usize)>, most: usize, is_anything_known: bool) -> Vec<(usize, usize)> {
        let mut batch = Vec::new();
        // Without any answer all pairs are alike, so take the first in content order.
        if !is_anything_known {
            if !open.is_empty() {
                batch.push(open.remove(0));
            }
            return batch;
        }
        let fitted = self.fitted();
        if fitted.leader().is_some_and(|chance| chance >= self.judging.confidence) {
            return batch;
        }
        let at_once = if self.judging.thorough { (self.field.len() / CANDIDATES_A_PAIR).max(1) } else { 1 };
        // The gain can only be estimated for tested judges.
        let least = if self.errors.is_known && !self.judging.thorough {
            WORTH_ASKING / self.field.len() as f64
        } else {
            f64::NEG_INFINITY
        };
        while batch.len() < at_once.min(most) {
            let Some((pair, _)) = fitted.next(open).filter(|(_, gain)| *gain >= least) else { break };
            open.retain(|other| *other != pair);
            batch.push(pair);
        }
        batch
    }

    /// Both orders of a pair, or one that depends on its contents.
    fn orders(&self, judge: usize, (a, b): (usize, usize)) -> Vec<Question> {
        let forward = Question::Compare { judge, first: a, second: b };
        let backward = Question::Compare { judge, first: b, second: a };
        if self.judging.order_swaps {
            return vec![forward, backward];
        }
        let hash = |entry: usize| self.field.entries[entry].head().content_hash.to_le_bytes();
        let is_forward = xxh3_64(&[hash(a), hash(b)].concat()).is_multiple_of(2);
        vec![if is_forward { forward } else { backward }]
    }

    /// Asks these questions, but none of a judge that is dropped meanwhile. Each judge has `total`
    /// in this stage.
    async fn ask_batch(&mut self, questions: Vec<Question>, total: usize, conducts: &mut [StageTally]) -> Result<()> {
        let mut open = open_orders(&questions);
        let (asker, judging, texts) = (self.asker, self.judging, self.texts.clone());
        let texts = &texts;
        let ask = |question: Question| async move {
            let reply = match question {
                Question::Rate { judge, entry } => Reply::Rated(asker.rate(&judging.judges[judge], texts[entry]).await),
                Question::Compare { judge, first, second } => {
                    Reply::Compared(asker.compare(&judging.judges[judge], texts[first], texts[second]).await)
                }
            };
            (question, reply)
        };
        let mut waiting = questions.into_iter();
        let mut replies = FuturesUnordered::new();
        loop {
            while replies.len() < judging.max_concurrency.max(1)
                && let Some(question) = waiting.next()
            {
                if self.is_active[question.judge()] {
                    replies.push(ask(question));
                } else {
                    self.close(question, &mut open).await;
                }
            }
            let Some((question, reply)) = replies.next().await else { return Ok(()) };
            let judge = question.judge();
            let conduct = &mut conducts[judge];
            conduct.answered += 1;
            if let Err(unanswered) = self.take(question, reply) {
                if let AnswerError::Failed(error) = &unanswered
                    && is_a_cap(error)
                {
                    conduct.answered -= 1;
                    self.answers.cap.get_or_insert_with(|| error.to_string());
                    continue;
                }
                conduct.miss(unanswered, &mut self.answers.lost);
            }
            self.close(question, &mut open).await;
            if conducts[judge].is_lost(total) && conducts[judge].is_sure() {
                let others = (0..self.is_active.len()).any(|other| other != judge && self.is_active[other]);
                if !others {
                    return Err(self.unreliable(judge, conducts, total));
                }
                self.leave_out(judge, &conducts[judge], total);
            }
        }
    }

    /// Counts a question as done, and reports the comparison of its pair with the last one.
    async fn close(&self, question: Question, open: &mut BTreeMap<(usize, usize), usize>) {
        let Question::Compare { first, second, .. } = question else { return };
        let pair = (first.min(second), first.max(second));
        let left = open.entry(pair).or_default();
        *left = left.saturating_sub(1);
        if *left == 0
            && let Some(comparison) = self.comparison(pair)
        {
            self.events.send(EventKind::Judged { comparison }).await;
        }
    }

    /// Drops the judges with too many missing answers after a stage.
    fn settle(&mut self, mut conducts: Vec<StageTally>, total: usize) -> Result<()> {
        let asked: Vec<usize> = (0..self.is_active.len()).filter(|judge| self.is_active[*judge]).collect();
        let (lost, good): (Vec<usize>, Vec<usize>) =
            asked.into_iter().partition(|judge| conducts[*judge].is_lost(total));
        if let (Some(&judge), true) = (lost.first(), good.is_empty()) {
            return Err(self.unreliable(judge, &mut conducts, total));
        }
        for judge in lost {
            self.leave_out(judge, &conducts[judge], total);
        }
        let is_nothing_known = self.answers.ratings.is_empty() && self.answers.verdicts.is_empty();
        match &self.answers.cap {
            Some(cap) if is_nothing_known => Err(Error::Budget(cap.clone())),
            _ => Ok(()),
        }
    }

    fn leave_out(&mut self, judge: usize, conduct: &StageTally, total: usize) {
        if !self.is_active[judge] {
            return;
        }
        self.is_active[judge] = false;
        let name = self.judging.judges[judge].name();
        self.answers.warnings.push(format!(
            "The judge `{}/{}` gave no valid answer to {} of {total} questions and was not asked further; its valid answers count. {}",
            name.provider, name.model, conduct.missing, conduct.last
        ));
    }

    /// The error when this judge, the last one left, is unreliable.
    fn unreliable(&self, judge: usize, conducts: &mut [StageTally], total: usize) -> Error {
        let conduct = std::mem::take(&mut conducts[judge]);
        let name = self.judging.judges[judge].name();
        match conduct.failure {
            Some(error) if conduct.missing == conduct.answered => error,
            _ => Error::JudgeUnreliable {
                judge: format!("{}/{}", name.provider, name.model),
                missing: conduct.missing,
                total,
                last: conduct.last,
            },
        }
    }

    /// Stores an answer.
    fn take(&mut self, question: Question, reply: Reply) -> Result<(), AnswerError> {
        let id = |entry: usize| self.field.entries[entry].id();
        let number = |judge: usize| u32::try_from(judge).unwrap_or(u32::MAX);
        match (question, reply) {
            (Question::Rate { judge, entry }, Reply::Rated(answer)) => {
                self.answers.spent.extend(answer.spent);
                let Rated { reasons, score } = answer.reply?;
                let rating = Rating { judge: number(judge), prompt_id: id(entry), score, reasoning: reasons };
                self.answers.ratings.push(rating);
            }
            (Question::Compare { judge, first, second }, Reply::Compared(answer)) => {
                self.answers.spent.extend(answer.spent);
                let Compared { reasons, criteria, margin } = answer.reply?;
                let (judge, first, second) = (number(judge), id(first), id(second));
                self.answers.verdicts.push(PairVerdict { judge, first, second, margin, criteria, reasoning: reasons });
            }
            _ => return Err(AnswerError::Unreadable("it answers another question".into())),
        }
        Ok(())
    }

    /// The comparison of a pair from the answers so far.
    fn comparison(&self, pair: (usize, usize)) -> Option<Comparison> {
        let ids = [pair.0, pair.1].map(|entry| self.field.entries[entry].id());
        let is_own = |verdict: &&PairVerdict| ids.contains(&verdict.first) && ids.contains(&verdict.second);
        let verdicts: Vec<PairVerdict> = self.answers.verdicts.iter().filter(is_own).cloned().collect();
        let opinions = evidence::opinions(&self.field, &verdicts, &self.profiles);
        conclude::comparison(&self.field, &opinions.iter().collect::<Vec<&PairOpinion<'_>>>())
    }
}

/// The number of outstanding answers for each pair.
fn open_orders(questions: &[Question]) -> BTreeMap<(usize, usize), usize> {
    let mut open = BTreeMap::new();
    for question in questions {
        if let Question::Compare { first, second, .. } = *question {
            *open.entry((first.min(second), first.max(second))).or_default() += 1;
        }
    }
    open
}

impl Question {
    const fn judge(&self) -> usize {
        match *self {
            Self::Rate { judge, .. } | Self::Compare { judge, .. } => judge,
        }
    }
}

impl StageTally {
    /// Counts a question without a valid answer.
    fn miss(&mut self, unanswered: AnswerError, lost: &mut MissingAnswers) {
        self.missing += 1;
        match unanswered {
            AnswerError::Unreadable(fault) => {
                self.last = format!("Of the last reply: {fault}. ");
                lost.unreadable += 1;
            }
            AnswerError::Failed(error) => {
                self.last = format!("The last call failed: {error}. ");
                let place = if error.code() == Code::ProviderTimeout { &mut lost.timed_out } else { &mut lost.failed };
                *place += 1;
                self.failure = Some(error);
            }
        }
    }

    /// True if too many answers are missing in a stage of `total` questions.
    fn is_lost(&self, total: usize) -> bool {
        self.missing as f64 > total as f64 * MOST_MISSING
    }

    /// True if it is clear whether the judge or its provider is at fault.
    const fn is_sure(&self) -> bool {
        self.missing < self.answered || self.missing >= ENOUGH_FAILURES
    }
}

fn is_a_cap(error: &Error) -> bool {
    error.code() == Code::BudgetExceeded
}

fn count(questions: usize) -> u32 {
    u32::try_from(questions).unwrap_or(u32::MAX)
}
