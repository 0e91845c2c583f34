//! Which questions are asked, and what comes back: the screen, then the pairs, a bounded number at the same time.
//!
//! Dropping the future of [`Inquiry::ask_all`] cancels every call under way. Once more answers are missing than may be,
//! no more is asked.

use std::collections::BTreeMap;

use futures_util::StreamExt;
use xxhash_rust::xxh3::xxh3_64;

use crate::domain::{Candidate, Comparison, JudgeProfile, ModelMetadata, PairVerdict, Prompt, Rating};
use crate::error::{Code, Error, Result};
use crate::event::{EventKind, EventSender};

use super::Judging;
use super::ask::{Answer, Asker, Unanswered};
use super::evidence::{self, Opinion, SHORTLIST};
use super::field::Field;
use super::reply::{Compared, Rated};
use super::{conclude, names};

/// The largest share of the ratings, and of the comparisons, that may be missing.
const MOST_MISSING: f64 = 0.2;

/// So many failures with no answer between them, and what failed is the provider, not the judge.
const ENOUGH_FAILURES: usize = 8;

/// How often judges are asked about so many different candidates, repairs of their replies not counted.
pub fn most_asks(candidates: usize, judges: usize, thorough: bool, order_swaps: bool) -> u64 {
    let candidates = candidates.min(super::MOST_CANDIDATES) as u64;
    let orders = if order_swaps { 2 } else { 1 };
    let pairs = |of: u64| of * of.saturating_sub(1) / 2 * orders;
    let shortlist = SHORTLIST as u64;
    let asked = if thorough || candidates <= shortlist { pairs(candidates) } else { candidates + pairs(shortlist) };
    asked * judges as u64
}

/// What came back.
#[derive(Default)]
pub(super) struct Answers {
    pub(super) ratings: Vec<Rating>,
    pub(super) verdicts: Vec<PairVerdict>,
    /// Questions without a valid answer.
    pub(super) missing: u32,
    /// Every call that was answered.
    pub(super) spent: Vec<ModelMetadata>,
}

/// One question to one judge, about entries of the field.
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
pub(super) struct Inquiry<'i> {
    judging: &'i Judging,
    asker: &'i Asker<'i>,
    field: Field,
    /// By entry.
    texts: Vec<&'i str>,
    profiles: Vec<Option<JudgeProfile>>,
    events: &'i EventSender,
    answers: Answers,
}

impl<'i> Inquiry<'i> {
    pub(super) fn new(
        judging: &'i Judging,
        asker: &'i Asker<'i>,
        prompts: &[&'i Prompt],
        candidates: &[Candidate],
        events: &'i EventSender,
    ) -> Self {
        let field = Field::of(candidates);
        let text = |id| prompts.iter().find(|prompt| prompt.id == id).map_or("", |prompt| prompt.content.as_str());
        let texts = field.entries.iter().map(|entry| text(entry.id())).collect();
        let profiles = judging.judges.iter().map(|judge| judge.profile.clone()).collect();
        Self { judging, asker, field, texts, profiles, events, answers: Answers::default() }
    }

    pub(super) fn into_answers(self) -> Answers {
        self.answers
    }

    /// Asks everything there is to ask.
    ///
    /// # Errors
    /// As [`super::select`].
    pub(super) async fn ask_all(&mut self) -> Result<()> {
        let all: Vec<usize> = (0..self.field.len()).collect();
        let judges = self.judging.judges.len();
        let compared = if self.judging.thorough || all.len() <= SHORTLIST {
            all
        } else {
            let screen = |judge| all.iter().map(move |&entry| Question::Rate { judge, entry });
            self.ask_these((0..judges).flat_map(screen).collect()).await?;
            let standings = evidence::standings(&self.field, &self.answers.ratings, &self.profiles);
            evidence::shortlist(&self.field, &standings)
        };
        let pairs = Field::pairs(&compared);
        let orders = |judge| {
            let pairs: Vec<Question> = pairs.iter().flat_map(|&pair| self.orders(judge, pair)).collect();
            pairs
        };
        let questions = (0..judges).flat_map(orders).collect();
        self.ask_these(questions).await
    }

    /// Both orders of a pair, or the one that its contents choose.
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

    async fn ask_these(&mut self, questions: Vec<Question>) -> Result<()> {
        let total = questions.len();
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
        let mut replies =
            futures_util::stream::iter(questions.into_iter().map(ask)).buffer_unordered(judging.max_concurrency.max(1));
        let (mut answered, mut missing, mut failure, mut last) = (0, 0, None, String::new());
        while let Some((question, reply)) = replies.next().await {
            answered += 1;
            if let Err(unanswered) = self.take(question, reply) {
                missing += 1;
                last = match &unanswered {
                    Unanswered::Unreadable(fault) => format!("Of the last reply: {fault}. "),
                    Unanswered::Failed(error) => format!("The last call failed: {error}. "),
                };
                remember(&mut failure, unanswered);
            }
            if let Question::Compare { first, second, .. } = question {
                let pair = (first.min(second), first.max(second));
                let left = open.entry(pair).or_default();
                *left = left.saturating_sub(1);
                if *left == 0
                    && let Some(comparison) = self.comparison(pair)
                {
                    self.events.send(EventKind::Judged { comparison }).await;
                }
            }
            let is_lost = missing as f64 > total as f64 * MOST_MISSING;
            let is_sure = missing < answered || missing >= ENOUGH_FAILURES || failure.as_ref().is_some_and(is_a_cap);
            if is_lost && is_sure {
                break;
            }
        }
        drop(replies);
        self.answers.missing += u32::try_from(missing).unwrap_or(u32::MAX);
        if missing as f64 <= total as f64 * MOST_MISSING {
            return Ok(());
        }
        Err(match failure {
            Some(error) if missing == answered || is_a_cap(&error) => error,
            _ => Error::JudgeUnreliable { judge: names(judging), missing, total, last },
        })
    }

    /// Keeps an answer.
    fn take(&mut self, question: Question, reply: Reply) -> Result<(), Unanswered> {
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
            _ => return Err(Unanswered::Unreadable("it answers another question".into())),
        }
        Ok(())
    }

    /// What has been said of a pair.
    fn comparison(&self, pair: (usize, usize)) -> Option<Comparison> {
        let ids = [pair.0, pair.1].map(|entry| self.field.entries[entry].id());
        let is_own = |verdict: &&PairVerdict| ids.contains(&verdict.first) && ids.contains(&verdict.second);
        let verdicts: Vec<PairVerdict> = self.answers.verdicts.iter().filter(is_own).cloned().collect();
        let opinions = evidence::opinions(&self.field, &verdicts, &self.profiles);
        conclude::comparison(&self.field, &opinions.iter().collect::<Vec<&Opinion<'_>>>())
    }
}

/// By pair, how many answers are still to come.
fn open_orders(questions: &[Question]) -> BTreeMap<(usize, usize), usize> {
    let mut open = BTreeMap::new();
    for question in questions {
        if let Question::Compare { first, second, .. } = *question {
            *open.entry((first.min(second), first.max(second))).or_default() += 1;
        }
    }
    open
}

/// Keeps the newest failure; that of a cap before any other, because it says what to do.
fn remember(kept: &mut Option<Error>, unanswered: Unanswered) {
    if let Unanswered::Failed(error) = unanswered
        && !kept.as_ref().is_some_and(is_a_cap)
    {
        *kept = Some(error);
    }
}

fn is_a_cap(error: &Error) -> bool {
    error.code() == Code::BudgetExceeded
}
