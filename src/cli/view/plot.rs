//! Small plots made of characters: sparklines and bars.
//!
//! Drawn with block elements (Unicode U+2581 to U+258F), in eighths of a character. The numbers are
//! always shown as text too, for users who cannot see a plot.

use crate::cli::view::symbols::{FULL, is_ascii};

/// A series of values, one character each in eight heights; a missing value is a blank.
pub(crate) fn sparkline(values: &[Option<f64>]) -> String {
    const ASCII_HEIGHTS: [char; 8] = ['_', '.', ':', '-', '=', '+', '*', '#'];
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = values.iter().flatten().copied().fold(0.0, f64::max);
    let heights = if is_ascii() { ASCII_HEIGHTS } else { HEIGHTS };
    let mark = |value: &Option<f64>| match value {
        None => ' ',
        Some(value) => heights[eighths(*value, most, 1).saturating_sub(1).min(7)],
    };
    values.iter().map(mark).collect()
}

/// A bar of at most `width` characters for `value` of `most`; any value above zero is visible.
pub(crate) fn bar(value: f64, most: f64, width: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = eighths(value, most, width);
    let seen = if value > 0.0 { eighths.max(1) } else { eighths };
    if is_ascii() {
        return FULL.as_str().repeat(seen.div_ceil(8));
    }
    FULL.as_str().repeat(seen / 8) + PARTS[seen % 8]
}

/// The length for `value` of `most`, in eighths of `width` characters.
fn eighths(value: f64, most: f64, width: usize) -> usize {
    if most <= 0.0 {
        return 0;
    }
    let share = (value / most).clamp(0.0, 1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to eight times the width")]
    let eighths = (share * 8.0 * width as f64).round() as usize;
    eighths
}

/// Sums neighbours to get at most `width` marks; returns how many values each mark stands for, and
/// the sums. A mark without any value is missing, too.
pub(crate) fn squeezed(values: &[Option<f64>], width: usize) -> (usize, Vec<Option<f64>>) {
    let each = values.len().div_ceil(width.max(1)).max(1);
    let sum = |part: &[Option<f64>]| part.iter().flatten().copied().reduce(|a, b| a + b);
    (each, values.chunks(each).map(sum).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_has_gaps_where_nothing_is_known() {
        let values = [Some(0.0), Some(1.0), None, Some(4.0), Some(8.0)];
        assert_eq!(sparkline(&values), "▁▁ ▄█");
        assert_eq!(sparkline(&[Some(0.0), None]), "▁ ");
        assert_eq!(sparkline(&[]), "");
    }

    #[test]
    fn a_bar_is_as_long_as_its_share_and_never_longer() {
        let of = |value: f64| bar(value, 100.0, 4);
        assert_eq!([of(100.0), of(50.0), of(40.0), of(0.01), of(0.0)], ["████", "██", "█▋", "▏", ""]);
        assert_eq!((of(1e9), bar(0.0, 0.0, 4)), ("████".into(), String::new()));
    }

    #[test]
    fn a_long_series_is_squeezed_by_adding_neighbours_up() {
        let values: Vec<Option<f64>> =
            [1.0, 2.0, 3.0, 4.0].map(Some).into_iter().chain([None, None, Some(5.0)]).collect();
        assert_eq!(squeezed(&values, 7), (1, values.clone()));
        assert_eq!(squeezed(&values, 4), (2, vec![Some(3.0), Some(7.0), None, Some(5.0)]));
        assert_eq!(squeezed(&[], 4), (1, Vec::new()));
    }
}
