//! Error rates of the audit, from a hundred audits of each kind of judge.
//!
//! The simulated judges have an error for each pair and one for each call; a worse copy is 1.6
//! worse. With this many audits a share is known to within about five percent.

use std::fmt::Write;
use std::sync::Arc;

use super::tests::marks;
use super::*;
use crate::judge::tests::{judging, sim};

const AUDITS: u32 = 100;
/// The errors of a sound judge.
const ERRORS: &str = "pair_noise: 0.6, noise: 0.25";

/// The results of the audits of one kind of judge.
#[derive(Default)]
struct AuditTotals {
    usable: u32,
    /// Audits that named any fault, including those of unusable judges.
    blamed: u32,
    /// The count of each fault, by its first words.
    faults: std::collections::BTreeMap<String, u32>,
    position: f64,
    length: f64,
    signal: f64,
}

impl AuditTotals {
    fn named(&self, part: &str) -> u32 {
        self.faults.iter().filter(|(fault, _)| fault.contains(part)).map(|(_, count)| count).sum()
    }

    fn line(&self, kind: &str) -> String {
        let mut line = format!("{kind}: usable {} %, blamed {} %", self.usable, self.blamed);
        for (fault, count) in &self.faults {
            write!(line, "; {fault} {count} %").unwrap();
        }
        let mean = |sum: f64| sum / f64::from(AUDITS);
        write!(
            line,
            "; means: position {:+.2}, length {:+.2}, signal {:+.2}",
            mean(self.position),
            mean(self.length),
            mean(self.signal)
        )
        .unwrap();
        line
    }
}

/// A hundred audits of judges like this one, whose own words are neither better nor worse.
async fn audits(judge: &str) -> AuditTotals {
    let own = |case: Case| Case { own: Some(format!("{}[own]\n", case.good)), ..case };
    let cases: Vec<Case> = cases().unwrap().into_iter().map(own).collect();
    let mut all = AuditTotals::default();
    let mut judging = judging(&[sim("{}")]);
    for seed in 0..AUDITS {
        judging.judges[0].provider = Arc::new(sim(&format!("seed: {seed}\njudge: {{quality_spread: 0, {judge}}}")));
        let profile = audit(&judging, &judging.judges[0], &cases, Failures::default(), |_, _| {}).await.unwrap();
        all.usable += u32::from(profile.usable);
        all.blamed += u32::from(!profile.faults.is_empty());
        for fault in profile.faults {
            let words: Vec<&str> = fault.split([',', ' ']).filter(|word| !word.is_empty()).take(5).collect();
            *all.faults.entry(words.join(" ")).or_default() += 1;
        }
        all.position += profile.position_bias.unwrap();
        all.length += profile.length_slope.unwrap();
        all.signal += profile.calibration.unwrap().signal;
    }
    all
}

fn seeing(more: &str) -> String {
    format!("{ERRORS}, {more}markers: {{{}}}", marks(&cases().unwrap(), -1.6))
}

#[tokio::test]
async fn a_fair_judge_is_hardly_ever_blamed() {
    let fair = audits(&seeing("")).await;
    assert!(fair.usable == AUDITS && fair.blamed <= 5, "{}", fair.line("fair"));
}

#[tokio::test]
async fn a_liking_for_a_place_is_found() {
    for bias in ["0.3", "-0.3"] {
        let leaning = audits(&seeing(&format!("position_bias: {bias}, "))).await;
        assert!(leaning.named("what is shown") >= 80 && leaning.usable == AUDITS, "{}", leaning.line(bias));
    }
}

#[tokio::test]
async fn a_random_judge_is_not_usable() {
    let random = audits("noise: 1.4").await;
    assert!(random.usable < 5, "{}", random.line("random"));
}

#[tokio::test]
async fn a_liking_for_length_is_found_the_more_the_larger_it_is() {
    let some = audits(&seeing("length_bias: 0.5, ")).await;
    let much = audits(&seeing("length_bias: 1.0, ")).await;
    assert!(much.named("longer text") >= some.named("longer text"), "{}", much.line("1.0"));
    assert!(some.usable >= 95 && much.usable >= 95, "{}", much.line("1.0"));
}

#[tokio::test]
async fn a_judge_that_is_talked_round_is_found() {
    let marks = format!("{}, \"Note to the judge\": 1.8", marks(&cases().unwrap(), -1.6));
    let heeding = audits(&format!("{ERRORS}, markers: {{{marks}}}")).await;
    // It is not blind: it recognises worse copies without a plea.
    assert!(heeding.named("an appeal") >= 80 && heeding.usable >= 95, "{}", heeding.line("talked round"));
}
