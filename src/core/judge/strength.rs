//! From margins to strengths: a Bradley-Terry model, its uncertainty by a Bayesian bootstrap.
//!
//! A margin m between two candidates counts as (1 + m) / 2 of a win, once for each of its two orders. Every pair that was
//! compared also carries one imagined win each way, so that few comparisons never make certainty. Strengths maximise the
//! likelihood (minorise-maximise, Hunter 2004, Annals of Statistics 32, section 2). For the uncertainty every
//! observation is weighted anew by an exponential draw (Rubin 1981, Annals of Statistics 9) and the fit repeated; the
//! generator is seeded, so the same comparisons give the same numbers.

/// Two candidates, by place, and the margin between them, -1..=1; positive favours `a`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Duel {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) margin: f64,
}

/// How one candidate stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Strength {
    /// The chance to beat an average candidate, 0..=1.
    pub(super) score: f64,
    /// 5 % and 95 % of the draws of the score.
    pub(super) interval: [f64; 2],
    /// The share of draws in which it was best; a draw's ties are shared.
    pub(super) best: f64,
}

const DRAWS: usize = 400;
const STEPS: usize = 60;
/// How many observations a pair's verdicts count for: one for each order.
const ORDERS: f64 = 2.0;

/// The strengths of `count` candidates from their duels.
pub(super) fn fit(count: usize, duels: &[Duel], seed: u64) -> Vec<Strength> {
    let scores = scores(&strengths(count, duels, &mut || 1.0));
    let mut random = SplitMix(seed);
    let mut draws: Vec<Vec<f64>> = vec![Vec::with_capacity(DRAWS); count];
    let mut best = vec![0.0; count];
    for _ in 0..DRAWS {
        let drawn = self::scores(&strengths(count, duels, &mut || random.exponential()));
        let top = drawn.iter().copied().fold(f64::MIN, f64::max);
        let leaders: Vec<usize> = (0..count).filter(|&at| top - drawn[at] < 1e-9).collect();
        for &leader in &leaders {
            best[leader] += 1.0 / (leaders.len() * DRAWS) as f64;
        }
        for (at, score) in drawn.into_iter().enumerate() {
            draws[at].push(score);
        }
    }
    let strength = |at: usize| {
        draws_sorted(&draws[at]).map_or([scores[at]; 2], |sorted| [sorted[DRAWS / 20], sorted[DRAWS - 1 - DRAWS / 20]])
    };
    (0..count).map(|at| Strength { score: scores[at], interval: strength(at), best: best[at] }).collect()
}

fn draws_sorted(draws: &[f64]) -> Option<Vec<f64>> {
    let mut sorted = draws.to_vec();
    sorted.sort_by(f64::total_cmp);
    (sorted.len() == DRAWS).then_some(sorted)
}

/// Fits the model with each observation weighted by a draw of `weight`.
fn strengths(count: usize, duels: &[Duel], weight: &mut impl FnMut() -> f64) -> Vec<f64> {
    let mut wins = vec![vec![0.0; count]; count];
    for duel in duels {
        let (seen, for_a, for_b) = (weight() + weight() * (ORDERS - 1.0), weight(), weight());
        let share = f64::midpoint(1.0, duel.margin);
        wins[duel.a][duel.b] += seen * share + for_a;
        wins[duel.b][duel.a] += seen * (1.0 - share) + for_b;
    }
    let mut strengths = vec![1.0; count];
    for _ in 0..STEPS {
        let next: Vec<f64> = (0..count)
            .map(|i| {
                let won: f64 = wins[i].iter().sum();
                let met: f64 = (0..count)
                    .filter(|&j| j != i)
                    .map(|j| (wins[i][j] + wins[j][i]) / (strengths[i] + strengths[j]))
                    .sum();
                if met > 0.0 { won / met } else { strengths[i] }
            })
            .collect();
        let mean = next.iter().sum::<f64>() / count.max(1) as f64;
        strengths = next.into_iter().map(|strength| strength / mean).collect();
    }
    strengths
}

/// The chance of each to beat a candidate of the geometric mean strength.
fn scores(strengths: &[f64]) -> Vec<f64> {
    let mean = (strengths.iter().map(|strength| strength.ln()).sum::<f64>() / strengths.len().max(1) as f64).exp();
    strengths.iter().map(|strength| strength / (strength + mean)).collect()
}

/// A small, fast generator (Steele, Lea and Flood 2014); good enough for weights, never for secrets.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// An exponential draw with mean 1.
    fn exponential(&mut self) -> f64 {
        let uniform = ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        -uniform.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duel(a: usize, b: usize, margin: f64) -> Duel {
        Duel { a, b, margin }
    }

    #[test]
    fn a_clear_order_is_found_and_sure() {
        let fitted = fit(3, &[duel(0, 1, 1.0), duel(0, 2, 1.0), duel(1, 2, 1.0)], 1);
        assert!(fitted[0].score > fitted[1].score && fitted[1].score > fitted[2].score);
        assert!(fitted[0].best > 0.6, "{}", fitted[0].best);
    }

    #[test]
    fn even_margins_are_never_sure() {
        let fitted = fit(3, &[duel(0, 1, 0.0), duel(0, 2, 0.0), duel(1, 2, 0.0)], 1);
        assert!(fitted.iter().all(|strength| strength.best < 0.6 && (strength.score - 0.5).abs() < 1e-9));
    }

    #[test]
    fn one_slight_verdict_is_less_sure_than_one_clear_one() {
        let slight = fit(2, &[duel(0, 1, 0.25)], 1)[0].best;
        let clear = fit(2, &[duel(0, 1, 1.0)], 1)[0].best;
        assert!(0.5 < slight && slight < clear && clear < 1.0, "{slight} {clear}");
    }

    #[test]
    fn scores_and_intervals_are_chances() {
        for strength in fit(4, &[duel(0, 1, 1.0), duel(2, 3, -0.5), duel(0, 3, 0.0)], 9) {
            assert!((0.0..=1.0).contains(&strength.score) && strength.interval[0] <= strength.interval[1]);
        }
    }

    #[test]
    fn one_candidate_needs_no_duel() {
        let fitted = fit(1, &[], 1);
        assert!((fitted[0].best - 1.0).abs() < 1e-9 && (fitted[0].score - 0.5).abs() < 1e-9);
    }
}
