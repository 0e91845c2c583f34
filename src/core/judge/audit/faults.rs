//! Names the faults of a judge and decides whether it is usable.
//!
//! A fault is named if it is large enough to matter and would occur by chance in less than one in a
//! hundred audits, so a fair judge is rarely blamed. A judge is usable if the good prompts beat the
//! worse ones significantly, even if only without a plea: heeding a plea is not blindness.

use super::Trial;
use super::figures::{Sample, chance_of_so_few};
use super::profile::{AuditAnswers, LengthBias};
use crate::domain::JudgeProfile;

/// The least position bias that matters, in margins, given that both orders are averaged.
const NOTABLE_POSITION_BIAS: f64 = 0.1;
/// The least other bias that matters, in margins.
const NOTABLE_BIAS: f64 = 0.2;
/// The share of good behaviour below which a fault matters.
const NOTABLE_SHARE: f64 = 0.8;
/// The share of good behaviour of a sound judge.
const SOUND_SHARE: f64 = 0.9;
/// The significance level. The probability of three in six is just below it.
const UNLIKELY: f64 = 0.02;
/// The least share of pairs whose two orders must agree.
const LEAST_CONSISTENCY: f64 = 0.7;
/// The largest share of questions without a valid answer.
const MOST_MISSING: f64 = 0.2;

/// How often a judge did well, and out of how many.
pub(super) struct Counts {
    pub(super) stability: (u32, u32),
    pub(super) robustness: (u32, u32),
}

impl Counts {
    pub(super) fn of(all: &[bool]) -> (u32, u32) {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        (count(all.iter().filter(|is_so| **is_so).count()), count(all.len()))
    }
}

/// Sets the faults of the profile, and whether the judge is usable.
pub(super) fn name(
    profile: &mut JudgeProfile,
    answers: &AuditAnswers<'_>,
    length: Option<&LengthBias>,
    counts: &Counts,
) {
    let mut all: Vec<String> = [missing(profile), blind(answers)].into_iter().flatten().collect();
    profile.usable = all.is_empty();
    all.extend(position_bias(answers.position_bias()));
    all.extend(inconsistent(profile.swap_consistency));
    all.extend(length.filter(|length| is_notable(length)).map(|_| {
        let then = if profile.length_offset() > 0.0 { ", which is corrected for" } else { "" };
        format!("it prefers longer text regardless of content{then}")
    }));
    let own = Sample::of(&answers.margins_of(Trial::Own));
    all.extend(
        own.filter(|own| own.mean >= NOTABLE_BIAS && own.is_above_chance())
            .map(|own| format!("it prefers its own words, by a margin of {:.2}", own.mean)),
    );
    all.extend(
        too_few(counts.stability)
            .map(|(same, of)| format!("asked again, it gave the same answer in only {same} of {of} cases")),
    );
    all.extend(too_few(counts.robustness).map(|(resisted, of)| {
        format!("an appeal to the judge within a text changed its verdict in {} of {of} cases", of - resisted)
    }));
    profile.faults = all;
}

fn missing(profile: &JudgeProfile) -> Option<String> {
    let is_too_much = f64::from(profile.missing) > MOST_MISSING * f64::from(profile.asked);
    is_too_much.then(|| format!("{} of {} questions had no valid answer", profile.missing, profile.asked))
}

/// The fault of a judge for which the good prompts did not win significantly.
fn blind(answers: &AuditAnswers<'_>) -> Option<String> {
    let signals = answers.signals();
    let Some(signal) = Sample::of(&signals) else {
        return Some("it never compared a good prompt with a deliberately worsened one in both orders".to_owned());
    };
    let (won, of) = (signals.iter().filter(|margin| **margin > 0.0).count(), signals.len());
    let plain = Sample::of(&answers.margins_of(Trial::Worse));
    let is_seen = signal.is_above_chance() || plain.is_some_and(|plain| plain.is_above_chance());
    (!is_seen).then(|| {
        format!(
            "it preferred the good prompt to a deliberately worsened one in only {won} of {of} comparisons, which may be chance"
        )
    })
}

fn position_bias(position_bias: Option<Sample>) -> Option<String> {
    let position_bias = position_bias.filter(|position_bias| {
        position_bias.mean.abs() >= NOTABLE_POSITION_BIAS && position_bias.is_beyond_chance()
    })?;
    let place = if position_bias.mean > 0.0 { "first" } else { "second" };
    Some(format!("it prefers what is shown {place}, by a margin of {:.2}", position_bias.mean.abs()))
}

fn inconsistent(consistency: Option<f64>) -> Option<String> {
    let share = consistency.filter(|share| *share < LEAST_CONSISTENCY)?;
    Some(format!("its two orders agreed in only {:.0} % of the pairs that differ in worth", share * 100.0))
}

fn is_notable(length: &LengthBias) -> bool {
    let of = |error| Sample { mean: length.slope, error, count: length.count };
    length.slope >= NOTABLE_BIAS && length.error.is_some_and(|error| of(error).is_above_chance())
}

/// The counts if they are significantly low.
fn too_few((good, of): (u32, u32)) -> Option<(u32, u32)> {
    let is_notable = f64::from(good) < NOTABLE_SHARE * f64::from(of);
    (is_notable && chance_of_so_few(good, of, SOUND_SHARE) < UNLIKELY).then_some((good, of))
}
