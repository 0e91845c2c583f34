//! Number formats shared by the command line and the workbench.
//!
//! Formats that differ between the two (short amounts, ages) stay with each of them.

/// `1,234,567`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A line of `width` characters for 0 to 1, heavy from `low` to `high`, with a dot at `value`.
pub(crate) fn interval(low: f64, value: f64, high: f64, width: usize) -> String {
    let last = width.saturating_sub(1);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to the width")]
    let place = |number: f64| (number.clamp(0.0, 1.0) * last as f64).round() as usize;
    let (from, dot, to) = (place(low), place(value), place(high));
    let mark = |at: usize| match at {
        at if at == dot => '●',
        at if (from..=to).contains(&at) => '━',
        _ => '·',
    };
    (0..width).map(mark).collect()
}

/// `12 a second`, or by the minute or hour where it is slower.
pub(crate) fn rate(count: u64, elapsed_ms: u64) -> String {
    let in_time = |unit_ms: u64| (count.saturating_mul(unit_ms) + elapsed_ms / 2) / elapsed_ms.max(1);
    let units = [(1_000, "a second"), (60_000, "a minute"), (3_600_000, "an hour")];
    let (unit_ms, unit) = units.into_iter().find(|(unit_ms, _)| in_time(*unit_ms) >= 3).unwrap_or(units[2]);
    format!("{} {unit}", thousands(in_time(unit_ms)))
}

/// A duration: `12 ms`, `1.4 s`, `2 min 5 s`, `3 h 20 min`.
pub(crate) fn span(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match milliseconds {
        0..1000 => format!("{milliseconds} ms"),
        1000..60_000 => format!("{}.{} s", seconds, milliseconds % 1000 / 100),
        60_000..3_600_000 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_parted() {
        assert_eq!([0, 7, 1_234, 1_234_567].map(thousands), ["0", "7", "1,234", "1,234,567"]);
    }

    #[test]
    fn a_duration_has_two_units_at_most() {
        let told = [12, 1_450, 125_000, 3_599_999, 12_000_000].map(span);
        assert_eq!(told, ["12 ms", "1.4 s", "2 min 5 s", "59 min 59 s", "3 h 20 min"]);
    }

    #[test]
    fn an_interval_is_heavy_within_and_has_a_dot_at_its_value() {
        assert_eq!(interval(0.25, 0.5, 0.75, 9), "··━━●━━··");
        assert_eq!(interval(0.0, 1.0, 1.0, 5), "━━━━●");
        assert_eq!((interval(0.5, 0.5, 0.5, 1), interval(0.1, 0.2, 0.3, 0)), ("●".into(), String::new()));
        assert_eq!(interval(-1.0, f64::NAN, 9.0, 3), "●━━");
    }
}
