//! How far a judge errs, from its test: what the margins and the ratings of the same two texts scatter about the mean of
//! their kind, and how large the judge makes a difference that is known to be there.

use super::figures::Sample;
use super::profile::Answers;
use super::{Text, Trial};
use crate::domain::Calibration;

/// Fewer contrasts say too little of the scatter.
const LEAST_CONTRASTS: usize = 8;
/// What a point of a rating is worth in margins.
const MARGIN_OF_A_POINT: f64 = 0.4;

/// The pairs whose two texts are rated too; of each the one that the trial names first comes first.
const KINDS: [(Trial, Text, Text); 4] = [
    (Trial::Worse, Text::Good, Text::Worse),
    (Trial::Pleading, Text::Good, Text::Pleading),
    (Trial::Padded, Text::Padded, Text::Good),
    (Trial::Own, Text::Own, Text::Good),
];

/// `None` with too few answers.
pub(super) fn of(answers: &Answers<'_>) -> Option<Calibration> {
    let signal = Sample::of(&answers.signals())?;
    let length_error = answers.length()?.error?;
    let (mut contrasts, mut kinds) = (0, 0);
    let (mut pair_scatter, mut rating_scatter, mut joint_scatter) = (0.0, 0.0, 0.0);
    for (trial, first, second) in KINDS {
        let contrast = |(case, margin): (usize, f64)| {
            let difference = answers.rating(first, case)? - answers.rating(second, case)?;
            Some((margin, MARGIN_OF_A_POINT * difference))
        };
        let own: Vec<(f64, f64)> = answers.margins(trial).into_iter().filter_map(contrast).collect();
        if own.is_empty() {
            continue;
        }
        kinds += 1;
        contrasts += own.len();
        let count = own.len() as f64;
        let (pairs, ratings) = own.iter().fold((0.0, 0.0), |(p, r), one| (p + one.0 / count, r + one.1 / count));
        for (pair, rating) in own {
            pair_scatter += (pair - pairs).powi(2);
            rating_scatter += (rating - ratings).powi(2);
            joint_scatter += (pair - pairs) * (rating - ratings);
        }
    }
    (contrasts >= LEAST_CONTRASTS).then(|| Calibration {
        signal: signal.mean,
        signal_error: signal.error,
        pair_scatter,
        rating_scatter,
        joint_scatter,
        degrees: (contrasts - kinds) as f64,
        length_error,
    })
}
