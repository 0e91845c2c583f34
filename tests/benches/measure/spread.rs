//! How measured values are spread; for benches that need nothing else of `measure`.

/// The value that a part of all (0..=1) do not pass: of 0.5 the middle one, of an even number the upper. Sorts them.
pub(crate) fn percentile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a short list")]
    let place = (values.len() as f64 * part) as usize;
    values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}
