//! Estimates a judge's errors from its audit: the scatter of margins and ratings around the mean of
//! their kind, and the size of its signal for a known difference.

use super::figures::Sample;
use super::profile::AuditAnswers;
use super::{Text, Trial};
use crate::domain::Calibration;

/// The least contrasts for an estimate of the scatter.
const LEAST_CONTRASTS: usize = 8;
/// The margin that a point of a rating is worth.
const MARGIN_OF_A_POINT: f64 = 0.4;

/// The trials whose two texts are also rated, in the order of the trial.
const KINDS: [(Trial, Text, Text); 4] = [
    (Trial::Worse, Text::Good, Text::Worse),
    (Trial::Pleading, Text::Good, Text::Pleading),
    (Trial::Padded, Text::Padded, Text::Good),
    (Trial::Own, Text::Own, Text::Good),
];

/// Estimates the calibration; `None` with too few answers.
pub(super) fn of(answers: &AuditAnswers<'_>) -> Option<Calibration> {
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
