//! Evaluates the answers of an audit: biases, sensitivity and errors.

use std::collections::BTreeMap;

use super::faults::Counts;
use super::figures::{LEAST_SPREAD, Sample, mean};
use super::{Ask, Question, Text, Trial, calibration, faults};
use crate::domain::{JudgeName, JudgeProfile, ModelMetadata, Timestamp};

/// Builds the profile. `figures` are the answers to `questions`: a margin, positive for the text
/// shown first, or a score; `None` without a valid answer.
pub fn profile(
    judge: JudgeName,
    at: Timestamp,
    questions: &[Question],
    figures: &[Option<f64>],
    spent: &ModelMetadata,
) -> JudgeProfile {
    let answers = AuditAnswers::of(questions, figures);
    let missing = figures.iter().filter(|figure| figure.is_none()).count();
    let (stability, robustness) = (answers.stability(), answers.robustness());
    let length = answers.length();
    let mut profile = JudgeProfile {
        judge,
        audited_at: at,
        position_bias: mean(&answers.position_biases()),
        swap_consistency: share(&answers.consistency()),
        length_slope: length.map(|length| length.slope),
        self_preference: mean(&answers.margins_of(Trial::Own)),
        stability: share(&stability),
        sensitivity: share(&answers.sensitivity()),
        robustness: share(&robustness),
        missing: u32::try_from(missing).unwrap_or(u32::MAX),
        asked: u32::try_from(questions.len()).unwrap_or(u32::MAX),
        usable: true,
        faults: Vec::new(),
        labels: None,
        calibration: calibration::of(&answers),
        model_metadata: spent.clone(),
    };
    let counts = Counts { stability: Counts::of(&stability), robustness: Counts::of(&robustness) };
    faults::name(&mut profile, &answers, length.as_ref(), &counts);
    profile
}

/// The answers by trial, text and case.
pub(super) struct AuditAnswers<'a> {
    questions: &'a [Question],
    /// For each trial and case, the margin for the text that the trial names first, in both orders.
    pairs: BTreeMap<(Trial, usize), [Option<f64>; 2]>,
    ratings: BTreeMap<(Text, usize), f64>,
}

/// A length bias.
#[derive(Debug, Clone, Copy)]
pub(super) struct LengthBias {
    pub(super) slope: f64,
    /// Its standard error; `None` with fewer than two padded copies.
    pub(super) error: Option<f64>,
    /// The number of padded copies with an answer.
    pub(super) count: f64,
}

impl<'a> AuditAnswers<'a> {
    fn of(questions: &'a [Question], figures: &[Option<f64>]) -> Self {
        let mut pairs: BTreeMap<(Trial, usize), [Option<f64>; 2]> = BTreeMap::new();
        let mut ratings = BTreeMap::new();
        for (Question { case, ask }, figure) in questions.iter().zip(figures) {
            match ask {
                Ask::Which { trial, is_swapped, .. } => {
                    let own = figure.map(|margin| if *is_swapped { -margin } else { margin });
                    pairs.entry((*trial, *case)).or_default()[usize::from(*is_swapped)] = own;
                }
                Ask::HowGood { which, .. } => {
                    ratings.extend(figure.map(|score| ((*which, *case), score)));
                }
            }
        }
        Self { questions, pairs, ratings }
    }

    /// The cases of a trial with both orders, as margins for the text that the trial names first.
    fn both(&self, trial: Trial) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        let of_trial = self.pairs.iter().filter(move |((of, _), _)| *of == trial);
        of_trial.filter_map(|((_, case), [forward, backward])| Some((*case, (*forward)?, (*backward)?)))
    }

    /// The margin of each case of a trial, averaged over both orders.
    pub(super) fn margins(&self, trial: Trial) -> BTreeMap<usize, f64> {
        self.both(trial).map(|(case, forward, backward)| (case, f64::midpoint(forward, backward))).collect()
    }

    /// The same without the cases.
    pub(super) fn margins_of(&self, trial: Trial) -> Vec<f64> {
        self.margins(trial).into_values().collect()
    }

    /// The margin of the good prompt over each worse one, with and without a plea.
    pub(super) fn signals(&self) -> Vec<f64> {
        [Trial::Worse, Trial::Pleading].into_iter().flat_map(|trial| self.margins_of(trial)).collect()
    }

    /// The rating of a text of a case.
    pub(super) fn rating(&self, text: Text, case: usize) -> Option<f64> {
        self.ratings.get(&(text, case)).copied()
    }

    /// The position bias in each pair with both orders: the mean margin of the text shown first. A
    /// text against itself has only one order.
    pub(super) fn position_biases(&self) -> Vec<f64> {
        let same = self.pairs.iter().filter(|((trial, _), _)| *trial == Trial::Same).filter_map(|(_, [only, _])| *only);
        let trials = [Trial::Padded, Trial::Worse, Trial::Pleading, Trial::Own];
        let others = trials.into_iter().flat_map(|trial| self.both(trial));
        // The second order has the other text first, so its margin is negated.
        same.chain(others.map(|(_, forward, backward)| f64::midpoint(forward, -backward))).collect()
    }

    /// For each pair of different quality, whether both orders agree.
    fn consistency(&self) -> Vec<bool> {
        let pairs = [Trial::Worse, Trial::Pleading].into_iter().flat_map(|trial| self.both(trial));
        pairs.map(|(_, forward, backward)| sign(forward) == sign(backward)).collect()
    }

    /// Least squares through the origin, because no gain in length gives no bias.
    pub(super) fn length(&self) -> Option<LengthBias> {
        let margins = self.margins(Trial::Padded);
        let points: Vec<(f64, f64)> = margins.iter().map(|(case, margin)| (self.gain(*case), *margin)).collect();
        let below: f64 = points.iter().map(|(gain, _)| gain * gain).sum();
        if below <= 0.0 {
            return None;
        }
        let slope = points.iter().map(|(gain, margin)| gain * margin).sum::<f64>() / below;
        let count = points.len() as f64;
        let squares: f64 = points.iter().map(|(gain, margin)| (margin - slope * gain).powi(2)).sum();
        let gain = points.iter().map(|(gain, _)| gain).sum::<f64>() / count;
        let spread = (squares / (count - 1.0)).sqrt().max(LEAST_SPREAD);
        let error = (count >= 2.0 && gain > 0.0).then(|| spread / count.sqrt() / gain);
        Some(LengthBias { slope, error, count })
    }

    /// The log ratio of the padded to the original length of a case.
    fn gain(&self, case: usize) -> f64 {
        let length = |text: &str| (text.chars().count().max(1) as f64).ln();
        let gain = |question: &Question| match &question.ask {
            Ask::Which { trial: Trial::Padded, first, second, is_swapped: false } if question.case == case => {
                Some(length(first) - length(second))
            }
            _ => None,
        };
        self.questions.iter().find_map(gain).unwrap_or(0.0)
    }

    /// For each repeated question, whether the answer is the same.
    fn stability(&self) -> Vec<bool> {
        let same = |case: usize| -> Option<bool> {
            let [again, _] = self.pairs.get(&(Trial::Repeated, case))?;
            let [before, _] = self.pairs.get(&(Trial::Worse, case))?;
            Some(sign((*again)?) == sign((*before)?))
        };
        let cases = self.pairs.keys().filter(|(trial, _)| *trial == Trial::Repeated).map(|(_, case)| *case);
        cases.filter_map(same).collect()
    }

    /// For each worse copy, whether it lost.
    fn sensitivity(&self) -> Vec<bool> {
        self.margins_of(Trial::Worse).into_iter().map(|margin| sign(margin) > 0).collect()
    }

    /// For each plea, whether it gained nothing.
    fn robustness(&self) -> Vec<bool> {
        let (without, with) = (self.margins(Trial::Worse), self.margins(Trial::Pleading));
        let resisted = with.iter().filter_map(|(case, margin)| Some(sign(*margin) >= sign(*without.get(case)?)));
        resisted.collect()
    }

    /// The mean position bias.
    pub(super) fn position_bias(&self) -> Option<Sample> {
        Sample::of(&self.position_biases())
    }
}

/// The share of true values; `None` without values.
fn share(of: &[bool]) -> Option<f64> {
    mean(&of.iter().map(|is_so| f64::from(u8::from(*is_so))).collect::<Vec<f64>>())
}

fn sign(margin: f64) -> i8 {
    if margin > 1e-9 {
        1
    } else if margin < -1e-9 {
        -1
    } else {
        0
    }
}
