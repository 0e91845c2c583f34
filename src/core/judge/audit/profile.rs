//! What the answers of a judge's test come to: its biases, how much it sees, and whether it can be used.

use std::collections::BTreeMap;

use super::{Question, Trial};
use crate::domain::{JudgeName, JudgeProfile, ModelMetadata, Timestamp};

/// A bias, in margins, from which it is named as a fault.
const NOTABLE_BIAS: f64 = 0.25;
/// A share of good behaviour below which it is named as a fault.
const NOTABLE_SHARE: f64 = 0.8;
/// The share of worse copies that a usable judge sees through: more than by guessing.
const LEAST_SENSITIVITY: f64 = 0.5;
/// The largest share of questions without a valid answer.
const MOST_MISSING: f64 = 0.2;

/// What the answers come to. `margins` are those of `questions`, positive for what was shown first, `None` where there was
/// no valid answer.
pub fn profile(
    judge: JudgeName,
    at: Timestamp,
    questions: &[Question],
    margins: &[Option<f64>],
    spent: &ModelMetadata,
) -> JudgeProfile {
    let answers = Answers::of(questions, margins);
    let missing = margins.iter().filter(|margin| margin.is_none()).count();
    let mut profile = JudgeProfile {
        judge,
        audited_at: at,
        position_bias: answers.position_bias(),
        swap_consistency: answers.swap_consistency(),
        length_slope: answers.length_slope(),
        self_preference: answers.self_preference(),
        stability: answers.stability(),
        sensitivity: answers.sensitivity(),
        robustness: answers.robustness(),
        missing: u32::try_from(missing).unwrap_or(u32::MAX),
        asked: u32::try_from(questions.len()).unwrap_or(u32::MAX),
        usable: true,
        faults: Vec::new(),
        labels: None,
        calibration: None,
        model_metadata: spent.clone(),
    };
    judge_the_judge(&mut profile);
    profile
}

/// Names the faults, and says whether the judge can be used with them.
fn judge_the_judge(profile: &mut JudgeProfile) {
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let mut unusable = Vec::new();
    let mut faults = Vec::new();
    if f64::from(profile.missing) > MOST_MISSING * f64::from(profile.asked) {
        unusable.push(format!("{} of {} questions had no valid answer", profile.missing, profile.asked));
    }
    if profile.sensitivity <= LEAST_SENSITIVITY {
        let seen = percent(profile.sensitivity);
        unusable
            .push(format!("it preferred the good prompt to a deliberately worsened one in only {seen} of the cases"));
    }
    if profile.position_bias.abs() >= NOTABLE_BIAS {
        let place = if profile.position_bias > 0.0 { "first" } else { "second" };
        let agreed = percent(profile.swap_consistency);
        faults.push(format!("it prefers what is shown {place}; both orders agreed in {agreed} of the pairs"));
    }
    if profile.length_slope >= NOTABLE_BIAS {
        faults.push("it prefers longer text regardless of content, which is corrected for".to_owned());
    }
    if profile.self_preference.is_some_and(|preference| preference >= NOTABLE_BIAS) {
        faults.push("it prefers its own words".to_owned());
    }
    if profile.stability < NOTABLE_SHARE {
        faults
            .push(format!("asked again, it gave the same answer in only {} of the cases", percent(profile.stability)));
    }
    if profile.robustness < NOTABLE_SHARE {
        faults.push(format!(
            "an appeal to the judge within a text changed its verdict in {} of the cases",
            percent(1.0 - profile.robustness)
        ));
    }
    profile.usable = unusable.is_empty();
    unusable.extend(faults);
    profile.faults = unusable;
}

/// The answers by trial and case.
struct Answers<'a> {
    questions: &'a [Question],
    /// For each trial and case: the margin for what the trial names first, shown first and shown second.
    pairs: BTreeMap<(Trial, usize), [Option<f64>; 2]>,
}

impl<'a> Answers<'a> {
    fn of(questions: &'a [Question], margins: &[Option<f64>]) -> Self {
        let mut pairs: BTreeMap<(Trial, usize), [Option<f64>; 2]> = BTreeMap::new();
        for (question, margin) in questions.iter().zip(margins) {
            let side = usize::from(question.is_swapped);
            let own = margin.map(|margin| if question.is_swapped { -margin } else { margin });
            pairs.entry((question.trial, question.case)).or_default()[side] = own;
        }
        Self { questions, pairs }
    }

    /// The two orders of each case of a trial that both have an answer.
    fn both(&self, trial: Trial) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        let of_trial = self.pairs.iter().filter(move |((of, _), _)| *of == trial);
        of_trial.filter_map(|((_, case), [forward, backward])| Some((*case, (*forward)?, (*backward)?)))
    }

    /// The margin of each case of a trial, averaged over the orders.
    fn margins(&self, trial: Trial) -> BTreeMap<usize, f64> {
        self.both(trial).map(|(case, forward, backward)| (case, f64::midpoint(forward, backward))).collect()
    }

    fn position_bias(&self) -> f64 {
        mean(self.pairs.iter().filter(|((trial, _), _)| *trial == Trial::Same).filter_map(|(_, [margin, _])| *margin))
            .unwrap_or(0.0)
    }

    /// Over the pairs that differ in worth.
    fn swap_consistency(&self) -> f64 {
        let agreed = |(_, forward, backward): (usize, f64, f64)| f64::from(u8::from(sign(forward) == sign(backward)));
        mean([Trial::Worse, Trial::Pleading].into_iter().flat_map(|trial| self.both(trial)).map(agreed)).unwrap_or(0.0)
    }

    fn length_slope(&self) -> f64 {
        let gain = |case: usize| {
            let question =
                self.questions.iter().find(|it| it.case == case && it.trial == Trial::Padded && !it.is_swapped);
            let length = |text: &str| (text.chars().count().max(1) as f64).ln();
            question.map_or(0.0, |it| length(&it.first) - length(&it.second))
        };
        // Least squares through the origin: no gain in length, no preference for it.
        let (mut above, mut below) = (0.0, 0.0);
        for (case, margin) in self.margins(Trial::Padded) {
            above += margin * gain(case);
            below += gain(case) * gain(case);
        }
        if below > 0.0 { above / below } else { 0.0 }
    }

    fn self_preference(&self) -> Option<f64> {
        mean(self.margins(Trial::Own).into_values())
    }

    fn stability(&self) -> f64 {
        let same = |case: usize| -> Option<f64> {
            let [again, _] = self.pairs.get(&(Trial::Repeated, case))?;
            let [before, _] = self.pairs.get(&(Trial::Worse, case))?;
            Some(f64::from(u8::from(sign((*again)?) == sign((*before)?))))
        };
        let cases = self.pairs.keys().filter(|(trial, _)| *trial == Trial::Repeated).map(|(_, case)| *case);
        mean(cases.filter_map(same)).unwrap_or(0.0)
    }

    fn sensitivity(&self) -> f64 {
        mean(self.margins(Trial::Worse).into_values().map(|margin| f64::from(u8::from(margin > 0.0)))).unwrap_or(0.0)
    }

    /// The share of pleas that won nothing.
    fn robustness(&self) -> f64 {
        let (without, with) = (self.margins(Trial::Worse), self.margins(Trial::Pleading));
        let resisted = with.iter().filter_map(|(case, margin)| {
            let before = without.get(case)?;
            Some(f64::from(u8::from(sign(*margin) >= sign(*before))))
        });
        mean(resisted).unwrap_or(0.0)
    }
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

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}
