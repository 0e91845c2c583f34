//! Means with standard errors, and significance tests.

/// The least standard deviation assumed for measured margins: grades are coarse, so a few equal
/// ones are weaker evidence than they seem.
pub(super) const LEAST_SPREAD: f64 = 0.1;

/// The one-sided 1 % quantile of the standard normal distribution.
const ONE_IN_A_HUNDRED: f64 = 2.326;

/// The mean of measurements, and its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    pub(super) mean: f64,
    /// The standard error of the mean.
    pub(super) error: f64,
    /// The number of measurements.
    pub(super) count: f64,
}

impl Sample {
    /// `None` with fewer than two measurements.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let (mean, count) = (mean(values)?, values.len() as f64);
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let spread = (squares / (count - 1.0)).sqrt().max(LEAST_SPREAD);
        (count >= 2.0).then(|| Self { mean, error: spread / count.sqrt(), count })
    }

    /// True if the mean is significantly above 0, at the 1 % level.
    pub(super) fn is_above_chance(&self) -> bool {
        self.mean > critical(self.count - 1.0) * self.error
    }

    /// The same in either direction from 0.
    pub(super) fn is_beyond_chance(&self) -> bool {
        self.mean.abs() > critical(self.count - 1.0) * self.error
    }
}

/// The one-sided 1 % quantile of Student's distribution: the Cornish-Fisher expansion, to within a
/// hundredth from three degrees of freedom on.
fn critical(degrees: f64) -> f64 {
    let z = ONE_IN_A_HUNDRED;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    let fourth =
        (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5) - 1920.0 * z.powi(3) - 945.0 * z) / 92_160.0;
    z + first / degrees + second / degrees.powi(2) + third / degrees.powi(3) + fourth / degrees.powi(4)
}

/// The binomial probability of at most this many successes.
pub(super) fn chance_of_so_few(successes: u32, attempts: u32, chance: f64) -> f64 {
    let mut of_exactly = (1.0 - chance).powi(i32::try_from(attempts).unwrap_or(i32::MAX));
    let mut sum = 0.0;
    for number in 0..=successes.min(attempts) {
        sum += of_exactly;
        of_exactly *= f64::from(attempts - number) / f64::from(number + 1) * chance / (1.0 - chance);
    }
    sum
}

/// The mean; `None` without values.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_critical_values_are_those_of_the_tables() {
        for (degrees, expected) in [(3.0, 4.541), (4.0, 3.747), (5.0, 3.365), (10.0, 2.764), (29.0, 2.462)] {
            let found = critical(degrees);
            assert!((found - expected).abs() < 0.03, "{degrees}: {found}");
        }
    }

    #[test]
    fn a_mean_has_the_error_of_its_measurements_and_one_has_none() {
        assert_eq!(Sample::of(&[0.5]), None);
        let sample = Sample::of(&[0.0, 1.0, 0.5, 0.5]).unwrap();
        assert!((sample.mean - 0.5).abs() < 1e-12 && (sample.error - 1.0 / 24.0_f64.sqrt()).abs() < 1e-12);
        assert!(!sample.is_above_chance());
        // For equal values the least spread is assumed.
        let same = Sample::of(&[-1.0; 4]).unwrap();
        assert!((same.error - 0.05).abs() < 1e-12 && same.is_beyond_chance() && !same.is_above_chance());
    }

    #[test]
    fn the_chance_of_few_successes_adds_up() {
        assert!((chance_of_so_few(3, 6, 0.9) - 0.01585).abs() < 1e-5);
        assert!((chance_of_so_few(0, 2, 0.5) - 0.25).abs() < 1e-12);
        assert!((chance_of_so_few(6, 6, 0.9) - 1.0).abs() < 1e-12);
        assert!((chance_of_so_few(0, 0, 0.9) - 1.0).abs() < 1e-12);
    }
}
