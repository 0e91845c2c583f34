//! A series of values as columns of block elements (Unicode U+2581 to U+2588), in eighths of a row.
//!
//! The numbers are always shown as text too, for users who cannot see a chart.

/// The blocks from one eighth to a full cell.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The `height` rows of a chart from the top, a column per value. Any value above 0 is visible.
pub(crate) fn columns(values: &[f64], height: usize) -> Vec<String> {
    let most = values.iter().copied().fold(0.0, f64::max);
    let eighths: Vec<usize> = values.iter().map(|value| eighths(*value, most, height)).collect();
    let row = |below: usize| {
        let cell = |eighths: &usize| match eighths.saturating_sub(below * 8) {
            0 => ' ',
            over => HEIGHTS[over.min(8) - 1],
        };
        eighths.iter().map(cell).collect()
    };
    (0..height).rev().map(row).collect()
}

fn eighths(value: f64, most: f64, height: usize) -> usize {
    if value <= 0.0 || most <= 0.0 {
        return 0;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to eight times the height")]
    let eighths = ((value / most).clamp(0.0, 1.0) * 8.0 * height as f64).round() as usize;
    eighths.max(1)
}

/// Sums neighbours to get at most `width` values; returns them and how many values each one sums.
pub(crate) fn squeezed(values: &[f64], width: usize) -> (Vec<f64>, usize) {
    let each = values.len().div_ceil(width.max(1)).max(1);
    (values.chunks(each).map(|part| part.iter().sum()).collect(), each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_grow_by_eighths_and_little_is_not_nothing() {
        assert_eq!(columns(&[0.0, 0.001, 4.0, 8.0], 1), [" ▁▄█"]);
        assert_eq!(columns(&[0.0, 0.001, 5.0, 8.0], 2), ["  ▂█", " ▁██"]);
        assert_eq!(columns(&[0.0, 0.0], 2), ["  ", "  "]);
        assert!(columns(&[1.0], 0).is_empty());
    }

    #[test]
    fn what_does_not_fit_is_added_up() {
        assert_eq!(squeezed(&[1.0, 2.0, 3.0], 2), (vec![3.0, 3.0], 2));
        assert_eq!(squeezed(&[1.0, 2.0, 3.0], 9), (vec![1.0, 2.0, 3.0], 1));
        assert_eq!(squeezed(&[], 0), (Vec::new(), 1));
    }
}
