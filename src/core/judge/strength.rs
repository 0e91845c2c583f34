//! Fits strengths and P(best) of the candidates from margins and ratings.
//!
//! A candidate's worth w is normal around 0. A judge perceives v = w + taste (+ an effect of
//! length). The mean margin of a pair is v_a - v_b plus an error; a rating is v plus another error,
//! around its own mean. Given the variances of an [`ErrorHypothesis`] everything is normal, so the
//! posterior of the worths is exact; the hypotheses are weighted by their evidence and summed. So a
//! judge that contradicts itself counts less, and an unknown one never makes anything near certain.
//!
//! P(best) and the intervals come from antithetic draws of a seeded generator: the same evidence
//! gives the same numbers, and an even pair is exactly even.

use super::errors::ErrorHypothesis;
use super::linear;

/// The mean margin of two entries over both orders and all judges; positive favours `a`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Margin {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) mean: f64,
    /// Variance in addition to that of every pair.
    pub(super) extra: f64,
}

/// The observations.
#[derive(Debug, Clone, Default)]
pub(super) struct Observations {
    pub(super) margins: Vec<Margin>,
    /// For each entry, its rating above the average, in margins; `None` if unrated.
    pub(super) ratings: Vec<Option<f64>>,
    /// For each entry, the logarithm of its length.
    pub(super) lengths: Vec<f64>,
    /// For each judge, its position bias in each pair.
    pub(super) position_biases: Vec<Vec<f64>>,
}

/// The fitted strength of one entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Strength {
    /// The probability of beating an average candidate, 0..=1.
    pub(super) score: f64,
    /// The 5 % and 95 % quantiles of the score.
    pub(super) interval: [f64; 2],
    /// The share of draws in which it is best.
    pub(super) best: f64,
}

/// All strengths, and the draws they are from.
pub(super) struct StrengthFit {
    /// `None` for an entry without observations.
    pub(super) strengths: Vec<Option<Strength>>,
    draws: Vec<Draw>,
}

/// A posterior draw.
struct Draw {
    /// For each entry; below all others without observations.
    worth: Vec<f64>,
    /// For each entry, what the judge perceives.
    seen: Vec<f64>,
    best: usize,
    /// False if the judge is uninformative in this draw, so that no question would help.
    is_informed: bool,
    /// The variance of the error of a pair.
    pair: f64,
}

/// The number of draws, half of them mirrored.
const DRAWS: usize = 1000;
/// Below this share of worth in a judge's margins the judge is uninformative.
const INFORMED: f64 = 0.02;
/// Strengths closer than this are equal.
const SAME: f64 = 1e-9;
/// The log odds of a win for a difference of one margin.
const WIN_OF_A_MARGIN: f64 = 2.0;
/// The prior variance of judges' position bias.
const POSITION_BIAS_VARIANCE: f64 = 0.2;
/// Hypotheses less likely than this get no draws.
const NEGLIGIBLE: f64 = 1e-9;

/// Fits the strengths under these hypotheses.
pub(super) fn fit(said: &Observations, possibilities: &[ErrorHypothesis], seed: u64) -> StrengthFit {
    let count = said.ratings.len();
    // If none is rated, entries not compared yet may be as good as any.
    let is_any_rated = said.ratings.iter().any(Option::is_some);
    let is_known = |at: usize| said.ratings[at].is_some() || said.margins.iter().any(|one| one.a == at || one.b == at);
    let known: Vec<usize> = (0..count).filter(|&at| !is_any_rated || is_known(at)).collect();
    if !known.iter().any(|&at| is_known(at)) {
        return StrengthFit { strengths: vec![None; count], draws: Vec::new() };
    }
    let problem = FitProblem::of(said, &known);
    let mut solved: Vec<HypothesisFit> = possibilities.iter().map(|possibility| problem.solve(possibility)).collect();
    let most = solved.iter().map(|one| one.evidence).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = solved.iter().map(|one| (one.evidence - most).exp()).collect();
    let total: f64 = weights.iter().sum();
    for (one, weight) in solved.iter_mut().zip(weights) {
        one.weight = weight / total;
    }
    let mut estimate = vec![0.0; known.len()];
    for one in &solved {
        for (sum, worth) in estimate.iter_mut().zip(problem.worth(one, &one.seen)) {
            *sum += one.weight * worth;
        }
    }
    let draws = problem.draws(&solved, seed);
    let strengths = summarise(&estimate, &draws);
    let place = |at: usize| known.iter().position(|known| *known == at);
    StrengthFit {
        strengths: (0..count).map(|at| place(at).map(|place| strengths[place])).collect(),
        draws: draws.into_iter().map(|draw| draw.spread_out(&known, count)).collect(),
    }
}

impl StrengthFit {
    /// The share of draws in which `one` is at least as strong as `other`.
    pub(super) fn at_least(&self, one: usize, other: usize) -> f64 {
        let count = self.draws.iter().filter(|draw| draw.worth[one] >= draw.worth[other] - SAME).count();
        count as f64 / self.draws.len().max(1) as f64
    }

    /// P(best) of the strongest entry.
    pub(super) fn leader(&self) -> Option<f64> {
        let known = self.strengths.iter().flatten();
        known.copied().reduce(|most, next| if next.score > most.score { next } else { most }).map(|one| one.best)
    }

    /// For each entry, P(best) among the draws in which the judge is informative.
    fn informed_best(&self) -> Vec<f64> {
        let mut best = vec![0.0; self.strengths.len()];
        let mut all = 0.0;
        for draw in self.draws.iter().filter(|draw| draw.is_informed) {
            best[draw.best] += 1.0;
            all += 1.0;
        }
        for share in &mut best {
            *share /= f64::max(all, 1.0);
        }
        best
    }

    /// The pair of `open` with the largest expected gain in the probability of choosing the best,
    /// and that gain; among equal ones the first. `None` if `open` is empty.
    pub(super) fn next(&self, open: &[(usize, usize)]) -> Option<((usize, usize), f64)> {
        let best = self.informed_best();
        let mut leaders: Vec<usize> = (0..best.len()).collect();
        leaders.sort_by(|a, b| best[*b].total_cmp(&best[*a]).then(a.cmp(b)));
        leaders.truncate(LEADERS);
        let near = open.iter().filter(|(a, b)| leaders.contains(a) && leaders.contains(b));
        let mut found: Option<((usize, usize), f64)> = None;
        for &pair in near {
            let gain = self.gain(pair);
            if found.is_none_or(|(_, most)| gain > most + SAME) {
                found = Some((pair, gain));
            }
        }
        found.or_else(|| open.first().map(|&pair| (pair, 0.0)))
    }

    /// The expected gain in the probability of choosing the best from an answer about a pair.
    fn gain(&self, (a, b): (usize, usize)) -> f64 {
        let count = self.strengths.len();
        // For each answer and entry, how often the entry is best given that answer.
        let mut by_answer = vec![0.0; ANSWERS.len() * count];
        let (mut now, mut all) = (vec![0.0; count], 0.0);
        for draw in self.draws.iter().filter(|draw| draw.is_informed) {
            now[draw.best] += 1.0;
            all += 1.0;
            let difference = (draw.seen[a] - draw.seen[b]).clamp(-1.0, 1.0);
            let likely = ANSWERS.map(|answer| (-0.5 * (answer - difference).powi(2) / draw.pair).exp());
            let total: f64 = likely.iter().sum();
            for (at, likelihood) in likely.into_iter().enumerate() {
                by_answer[at * count + draw.best] += likelihood / total;
            }
        }
        let largest = |shares: &[f64]| shares.iter().copied().fold(0.0, f64::max);
        let after: f64 = by_answer.chunks(count).map(largest).sum();
        (after - largest(&now)) / f64::max(all, 1.0)
    }
}

/// How many of the leading entries are considered for the next pair.
const LEADERS: usize = 12;
/// The possible mean margins of two orders.
const ANSWERS: [f64; 9] = [-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0];

impl Draw {
    /// The draw extended to all entries; those without observations are below all others.
    fn spread_out(self, known: &[usize], count: usize) -> Self {
        let spread = |values: &[f64]| {
            let mut all = vec![f64::NEG_INFINITY; count];
            for (value, at) in values.iter().zip(known) {
                all[*at] = *value;
            }
            all
        };
        Self { worth: spread(&self.worth), seen: spread(&self.seen), best: known[self.best], ..self }
    }
}

/// The observations, restricted to the known entries.
struct FitProblem {
    size: usize,
    margins: Vec<Margin>,
    /// The rated entries.
    rated: Vec<usize>,
    /// Ratings less their mean; 0 if unrated.
    ratings: Vec<f64>,
    /// Log lengths less their mean.
    lengths: Vec<f64>,
    position_biases: Vec<Vec<f64>>,
}

/// The posterior under one hypothesis.
struct HypothesisFit {
    possibility: ErrorHypothesis,
    /// The log evidence, up to a common constant.
    evidence: f64,
    weight: f64,
    /// The Cholesky factor of the precision of what is perceived.
    factor: Vec<f64>,
    /// The mean of what is perceived.
    seen: Vec<f64>,
}

impl FitProblem {
    fn of(said: &Observations, known: &[usize]) -> Self {
        let place = |at: usize| known.iter().position(|known| *known == at);
        let margins = said.margins.iter().filter_map(|one| Some(Margin { a: place(one.a)?, b: place(one.b)?, ..*one }));
        let rated: Vec<usize> = (0..known.len()).filter(|&at| said.ratings[known[at]].is_some()).collect();
        let mean = rated.iter().filter_map(|&at| said.ratings[known[at]]).sum::<f64>() / rated.len().max(1) as f64;
        let lengths: Vec<f64> = known.iter().map(|&at| said.lengths.get(at).copied().unwrap_or_default()).collect();
        let length = lengths.iter().sum::<f64>() / known.len() as f64;
        Self {
            size: known.len(),
            margins: margins.collect(),
            ratings: known.iter().map(|&at| said.ratings[at].map_or(0.0, |rating| rating - mean)).collect(),
            rated,
            lengths: lengths.into_iter().map(|own| own - length).collect(),
            position_biases: said.position_biases.clone(),
        }
    }

    /// The share of length in `seen`; its covariance is `spread (I + share/(1 - share |l|²) l lᵀ)`.
    fn share_of_length(&self, possibility: &ErrorHypothesis) -> f64 {
        let squares: f64 = self.lengths.iter().map(|length| length * length).sum();
        possibility.length / (possibility.worth + possibility.taste + possibility.length * squares)
    }

    fn solve(&self, possibility: &ErrorHypothesis) -> HypothesisFit {
        let size = self.size;
        let spread = possibility.worth + possibility.taste;
        let share = self.share_of_length(possibility);
        let mut precision = vec![0.0; size * size];
        let mut pull = vec![0.0; size];
        for row in 0..size {
            for column in 0..size {
                precision[row * size + column] = -share * self.lengths[row] * self.lengths[column] / spread;
            }
            precision[row * size + row] += 1.0 / spread;
        }
        let (mut squares, mut logarithms) = (0.0, 0.0);
        for one in &self.margins {
            let variance = possibility.pair + one.extra;
            let held = 1.0 / variance;
            precision[one.a * size + one.a] += held;
            precision[one.b * size + one.b] += held;
            precision[one.a * size + one.b] -= held;
            precision[one.b * size + one.a] -= held;
            pull[one.a] += held * one.mean;
            pull[one.b] -= held * one.mean;
            squares += held * one.mean * one.mean;
            logarithms += variance.ln();
        }
        let raters = self.rated.len() as f64;
        let held = 1.0 / possibility.rating;
        for &row in &self.rated {
            precision[row * size + row] += held;
            for &column in &self.rated {
                precision[row * size + column] -= held / raters;
            }
            pull[row] += held * self.ratings[row];
            squares += held * self.ratings[row] * self.ratings[row];
        }
        // The mean of the ratings is a free parameter.
        logarithms += (raters - 1.0).max(0.0) * possibility.rating.ln();
        let of_lengths: f64 = self.lengths.iter().map(|length| length * length).sum();
        logarithms += size as f64 * spread.ln() + (possibility.length * of_lengths / spread).ln_1p();
        logarithms += linear::factor(&mut precision, size);
        let mut seen = pull;
        linear::forward(&precision, &mut seen);
        let explained: f64 = seen.iter().map(|part| part * part).sum();
        linear::backward(&precision, &mut seen);
        let of_leans: f64 =
            self.position_biases.iter().map(|position_biases| scattered(position_biases, possibility.scatter)).sum();
        let evidence =
            possibility.weight.max(f64::MIN_POSITIVE).ln() - 0.5 * (logarithms + squares - explained) + of_leans;
        HypothesisFit { possibility: *possibility, evidence, weight: 0.0, factor: precision, seen }
    }

    /// The mean worth of the entries given what the judge perceives.
    fn worth(&self, solved: &HypothesisFit, seen: &[f64]) -> Vec<f64> {
        let ErrorHypothesis { worth, taste, .. } = solved.possibility;
        let along: f64 = self.lengths.iter().zip(seen).map(|(length, seen)| length * seen).sum();
        let share = self.share_of_length(&solved.possibility) * along;
        let part = worth / (worth + taste);
        self.lengths.iter().zip(seen).map(|(length, seen)| part * (seen - share * length)).collect()
    }

    /// Posterior draws, under each hypothesis in proportion to its weight.
    fn draws(&self, solved: &[HypothesisFit], seed: u64) -> Vec<Draw> {
        let mut random = SplitMix(seed);
        let mut draws = Vec::with_capacity(DRAWS);
        let mut due = 0.5;
        for one in solved {
            due += one.weight * DRAWS as f64 / 2.0;
            if one.weight < NEGLIGIBLE {
                continue;
            }
            let mean = self.worth(one, &one.seen);
            while due >= 1.0 {
                due -= 1.0;
                let (worth, seen) = self.deviation(one, &mut random);
                for side in [1.0, -1.0] {
                    draws.push(Draw::of(one, &mean, side, (&worth, &seen)));
                }
            }
        }
        draws
    }

    /// A random deviation of worths and perceptions from their means (Matheron's rule).
    fn deviation(&self, solved: &HypothesisFit, random: &mut SplitMix) -> (Vec<f64>, Vec<f64>) {
        let ErrorHypothesis { worth, taste, length, .. } = solved.possibility;
        let mut seen: Vec<f64> = (0..self.size).map(|_| random.normal()).collect();
        linear::backward(&solved.factor, &mut seen);
        let slope = length.sqrt() * random.normal();
        let mut drawn = Vec::with_capacity(self.size);
        let mut rest = Vec::with_capacity(self.size);
        for (seen, along) in seen.iter().zip(&self.lengths) {
            let own = worth.sqrt() * random.normal();
            rest.push(seen - (own + taste.sqrt() * random.normal() + slope * along));
            drawn.push(own);
        }
        for (own, more) in drawn.iter_mut().zip(self.worth(solved, &rest)) {
            *own += more;
        }
        (drawn, seen)
    }
}

impl Draw {
    fn of(solved: &HypothesisFit, mean: &[f64], side: f64, (worth, seen): (&[f64], &[f64])) -> Self {
        let moved = |mean: &[f64], by: &[f64]| -> Vec<f64> {
            mean.iter().zip(by).map(|(mean, by)| side.mul_add(*by, *mean)).collect()
        };
        let worth = moved(mean, worth);
        let seen = moved(&solved.seen, seen);
        let mut best = 0;
        for at in 1..worth.len() {
            if worth[at] > worth[best] {
                best = at;
            }
        }
        let ErrorHypothesis { worth: of_worth, taste, pair, .. } = solved.possibility;
        let is_informed = of_worth > INFORMED * (of_worth + taste + pair / 2.0);
        Self { worth, seen, best, is_informed, pair }
    }
}

/// The log likelihood of this scatter of position bias for a variance, with an unknown mean, up to
/// a common constant; 0 for the variance 0, from which nothing is concluded.
fn scattered(position_biases: &[f64], variance: f64) -> f64 {
    if position_biases.is_empty() || variance <= 0.0 {
        return 0.0;
    }
    let count = position_biases.len() as f64;
    let mean = position_biases.iter().sum::<f64>() / count;
    let within: f64 = position_biases.iter().map(|position_bias| (position_bias - mean).powi(2)).sum();
    let of_mean = variance + count * POSITION_BIAS_VARIANCE;
    -0.5 * ((count - 1.0) * variance.ln() + of_mean.ln() + within / variance + count * mean * mean / of_mean)
}

fn summarise(estimate: &[f64], draws: &[Draw]) -> Vec<Strength> {
    let scores = scores(estimate);
    let mut best = vec![0.0; estimate.len()];
    let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(draws.len()); estimate.len()];
    for draw in draws {
        best[draw.best] += 1.0 / draws.len() as f64;
        for (at, score) in self::scores(&draw.worth).into_iter().enumerate() {
            drawn[at].push(score);
        }
    }
    let mut summary = Vec::with_capacity(estimate.len());
    for (at, score) in scores.into_iter().enumerate() {
        let of_this = &mut drawn[at];
        of_this.sort_by(f64::total_cmp);
        let cut = of_this.len() / 20;
        let end = |place: Option<&f64>| place.copied().unwrap_or(score);
        let low = end(of_this.get(cut)).min(score);
        let high = end(of_this.iter().rev().nth(cut)).max(score);
        summary.push(Strength { score, interval: [low, high], best: best[at] });
    }
    summary
}

/// The probability of each to beat a candidate of mean worth.
fn scores(worths: &[f64]) -> Vec<f64> {
    let mean = worths.iter().sum::<f64>() / worths.len().max(1) as f64;
    worths.iter().map(|worth| logistic(WIN_OF_A_MARGIN * (worth - mean))).collect()
}

fn logistic(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

/// The standard normal distribution function at `z`, to within a hundredth.
pub(super) fn normal_share(z: f64) -> f64 {
    logistic(1.702 * z)
}

/// A small, fast generator (Steele, Lea and Flood 2014). Not for secrets.
struct SplitMix(u64);

impl SplitMix {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (((z ^ (z >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// A standard normal draw (Box and Muller, 1958).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
#[path = "strength_tests.rs"]
mod tests;
