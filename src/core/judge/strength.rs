//! From margins and ratings to strengths, and to the chance of each candidate to be the best.
//!
//! A candidate's worth w is normal about 0; a judge sees v = w + taste (+ what length does to it); the mean margin of a
//! pair is v_a - v_b with an error, a rating is v with another, about a mean of its own. With the variances of a
//! [`Possibility`] all of it is normal, so what follows for the worths is exact; the possibilities are weighed by how well
//! they explain what was said, and summed over. So a judge whose verdicts contradict each other or its ratings is believed
//! less, and one of whom little is known never makes anything near certain: the rest of the chance is that the judge errs.
//!
//! The chance of being the best and the intervals are taken from draws, half of them mirrors of the others, from a seeded
//! generator: the same evidence gives the same numbers, and an even pair is exactly even.

use super::errors::Possibility;
use super::linear;

/// What was said of two entries, both orders and all judges taken together, in margins; positive favours `a`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Margin {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) mean: f64,
    /// Variance beside that of every pair.
    pub(super) extra: f64,
}

/// All that was said.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) margins: Vec<Margin>,
    /// By entry, in margins above what is usual; `None` for one that nobody rated.
    pub(super) ratings: Vec<Option<f64>>,
    /// By entry, the logarithm of its length.
    pub(super) lengths: Vec<f64>,
    /// By judge, what it gave to the first place in each pair.
    pub(super) leans: Vec<Vec<f64>>,
}

/// How one entry stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Strength {
    /// The chance to beat an average candidate, 0..=1.
    pub(super) score: f64,
    /// 5 % and 95 % of the draws of the score.
    pub(super) interval: [f64; 2],
    /// The share of draws in which it was best.
    pub(super) best: f64,
}

/// All strengths, and the draws behind them.
pub(super) struct Fitted {
    /// `None` for an entry of which nothing is known.
    pub(super) strengths: Vec<Option<Strength>>,
    draws: Vec<Draw>,
}

/// What may be true.
struct Draw {
    /// By entry; below all others where nothing is known.
    worth: Vec<f64>,
    /// By entry, what the judge sees.
    seen: Vec<f64>,
    best: usize,
    /// False where the judge's verdicts say next to nothing of worth, so that no question would help.
    is_informed: bool,
    /// The variance of the error of a pair.
    pair: f64,
}

/// Draws, half of them mirrors of the others.
const DRAWS: usize = 1000;
/// Below this share of worth in what a judge says of a pair, it says next to nothing.
const INFORMED: f64 = 0.02;
/// Strengths nearer than this are the same.
const SAME: f64 = 1e-9;
/// How much of a win a margin is: 1 is a whole win beside an even chance.
const WIN_OF_A_MARGIN: f64 = 2.0;
/// The variance of judges' preferences for the first place.
const PLACE: f64 = 0.2;
/// Possibilities less likely than this are left out of the draws.
const NEGLIGIBLE: f64 = 1e-9;

/// The strengths under these possibilities.
pub(super) fn fit(said: &Said, possibilities: &[Possibility], seed: u64) -> Fitted {
    let count = said.ratings.len();
    // Where none is rated, those that were not compared yet may be as good as any.
    let is_any_rated = said.ratings.iter().any(Option::is_some);
    let is_known = |at: usize| said.ratings[at].is_some() || said.margins.iter().any(|one| one.a == at || one.b == at);
    let known: Vec<usize> = (0..count).filter(|&at| !is_any_rated || is_known(at)).collect();
    if !known.iter().any(|&at| is_known(at)) {
        return Fitted { strengths: vec![None; count], draws: Vec::new() };
    }
    let problem = Problem::of(said, &known);
    let mut solved: Vec<Solved> = possibilities.iter().map(|possibility| problem.solve(possibility)).collect();
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
    Fitted {
        strengths: (0..count).map(|at| place(at).map(|place| strengths[place])).collect(),
        draws: draws.into_iter().map(|draw| draw.spread_out(&known, count)).collect(),
    }
}

impl Fitted {
    /// The share of draws in which `one` was at least as strong as `other`.
    pub(super) fn at_least(&self, one: usize, other: usize) -> f64 {
        let count = self.draws.iter().filter(|draw| draw.worth[one] >= draw.worth[other] - SAME).count();
        count as f64 / self.draws.len().max(1) as f64
    }

    /// The chance that the strongest entry is the best.
    pub(super) fn leader(&self) -> Option<f64> {
        let known = self.strengths.iter().flatten();
        known.copied().reduce(|most, next| if next.score > most.score { next } else { most }).map(|one| one.best)
    }

    /// By entry, the share of those draws in which it was best where the judge says something at all.
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

    /// The pair among `open` that is worth most to ask about next, and by how much its answer is expected to raise the
    /// chance to choose the best; of equal ones the first. `None` where there is none.
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

    /// By how much the answer about a pair is expected to raise the chance to choose the best.
    fn gain(&self, (a, b): (usize, usize)) -> f64 {
        let count = self.strengths.len();
        // By answer and entry, how often the entry is best where that is answered.
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

/// Entries among which the next pair is looked for.
const LEADERS: usize = 12;
/// The margins that two orders can come to.
const ANSWERS: [f64; 9] = [-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0];

impl Draw {
    /// The same with all entries; those of which nothing is known are below all others.
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

/// What was said, of the entries that are known.
struct Problem {
    size: usize,
    margins: Vec<Margin>,
    /// The rated entries.
    rated: Vec<usize>,
    /// Ratings less their mean; 0 where there is none.
    ratings: Vec<f64>,
    /// Logarithms of lengths less their mean.
    lengths: Vec<f64>,
    leans: Vec<Vec<f64>>,
}

/// What follows under one possibility.
struct Solved {
    possibility: Possibility,
    /// The logarithm of how likely it is, up to what all have in common.
    evidence: f64,
    weight: f64,
    /// Cholesky's factor of the precision of what is seen.
    factor: Vec<f64>,
    /// The mean of what is seen.
    seen: Vec<f64>,
}

impl Problem {
    fn of(said: &Said, known: &[usize]) -> Self {
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
            leans: said.leans.clone(),
        }
    }

    /// How far lengths go into what is seen: the covariance of `seen` is `spread (I + share/(1 - share |l|²) l lᵀ)`.
    fn share_of_length(&self, possibility: &Possibility) -> f64 {
        let squares: f64 = self.lengths.iter().map(|length| length * length).sum();
        possibility.length / (possibility.worth + possibility.taste + possibility.length * squares)
    }

    fn solve(&self, possibility: &Possibility) -> Solved {
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
        // The mean of the ratings is free.
        logarithms += (raters - 1.0).max(0.0) * possibility.rating.ln();
        let of_lengths: f64 = self.lengths.iter().map(|length| length * length).sum();
        logarithms += size as f64 * spread.ln() + (possibility.length * of_lengths / spread).ln_1p();
        logarithms += linear::factor(&mut precision, size);
        let mut seen = pull;
        linear::forward(&precision, &mut seen);
        let explained: f64 = seen.iter().map(|part| part * part).sum();
        linear::backward(&precision, &mut seen);
        let of_leans: f64 = self.leans.iter().map(|leans| scattered(leans, possibility.scatter)).sum();
        let evidence =
            possibility.weight.max(f64::MIN_POSITIVE).ln() - 0.5 * (logarithms + squares - explained) + of_leans;
        Solved { possibility: *possibility, evidence, weight: 0.0, factor: precision, seen }
    }

    /// The mean worth of entries of which the judge sees this.
    fn worth(&self, solved: &Solved, seen: &[f64]) -> Vec<f64> {
        let Possibility { worth, taste, .. } = solved.possibility;
        let along: f64 = self.lengths.iter().zip(seen).map(|(length, seen)| length * seen).sum();
        let share = self.share_of_length(&solved.possibility) * along;
        let part = worth / (worth + taste);
        self.lengths.iter().zip(seen).map(|(length, seen)| part * (seen - share * length)).collect()
    }

    /// Draws of what may be true, as many under each possibility as it is likely.
    fn draws(&self, solved: &[Solved], seed: u64) -> Vec<Draw> {
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

    /// How far worths and what is seen of them may be from their means (Matheron's rule).
    fn deviation(&self, solved: &Solved, random: &mut SplitMix) -> (Vec<f64>, Vec<f64>) {
        let Possibility { worth, taste, length, .. } = solved.possibility;
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
    fn of(solved: &Solved, mean: &[f64], side: f64, (worth, seen): (&[f64], &[f64])) -> Self {
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
        let Possibility { worth: of_worth, taste, pair, .. } = solved.possibility;
        let is_informed = of_worth > INFORMED * (of_worth + taste + pair / 2.0);
        Self { worth, seen, best, is_informed, pair }
    }
}

/// The logarithm of how likely what a judge gave to the place scatters like this with the variance, its preference for the
/// place being unknown, up to what all variances have in common; 0 for the variance 0, under which nothing follows.
fn scattered(leans: &[f64], variance: f64) -> f64 {
    if leans.is_empty() || variance <= 0.0 {
        return 0.0;
    }
    let count = leans.len() as f64;
    let mean = leans.iter().sum::<f64>() / count;
    let within: f64 = leans.iter().map(|position_bias| (position_bias - mean).powi(2)).sum();
    let of_mean = variance + count * PLACE;
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

/// The chance of each to beat a candidate of the mean worth.
fn scores(worths: &[f64]) -> Vec<f64> {
    let mean = worths.iter().sum::<f64>() / worths.len().max(1) as f64;
    worths.iter().map(|worth| logistic(WIN_OF_A_MARGIN * (worth - mean))).collect()
}

fn logistic(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

/// The share of the standard normal distribution below `z`, to within a hundredth.
pub(super) fn normal_share(z: f64) -> f64 {
    logistic(1.702 * z)
}

/// A small, fast generator (Steele, Lea and Flood 2014); good enough for draws, never for secrets.
struct SplitMix(u64);

impl SplitMix {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (((z ^ (z >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// A draw of the standard normal distribution (Box and Muller, 1958).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
#[path = "strength_tests.rs"]
mod tests;
