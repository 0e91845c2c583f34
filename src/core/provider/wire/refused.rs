//! Finds the refused parameter in an error message, for errors without a specific code.
//!
//! A mere mention counts: a wrong guess costs one more request, a missed one the answer.

/// A parameter and its names at a vendor.
pub(super) type Parameter = (&'static str, &'static [&'static str]);

/// The parameter that `message` names first, as a whole word.
pub(super) fn refused(message: &str, parameters: &[Parameter]) -> Option<&'static str> {
    let place = |names: &[&str]| names.iter().filter_map(|name| word(message, name)).min();
    let named = parameters.iter().filter_map(|(ours, names)| Some((place(names)?, *ours)));
    named.min().map(|(_, ours)| ours)
}

/// The position of `word` in `text` as a whole word.
fn word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).map(|(start, _)| start).find(|start| {
        let (before, after) = (&text[..*start], &text[start + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: [Parameter; 2] = [("temperature", &["temperature", "top_p"]), ("max_tokens", &["max_tokens"])];

    #[test]
    fn the_first_parameter_that_is_named_is_the_one() {
        for (message, parameter) in [
            ("temperature: Extra inputs are not permitted", Some("temperature")),
            ("`top_p` is deprecated for this model.", Some("temperature")),
            ("max_tokens: 9 > 8, unlike temperature", Some("max_tokens")),
            ("max_tokens_to_sample: Field required", None),
            ("my_temperature and temperatures", None),
            ("", None),
        ] {
            assert_eq!(refused(message, &PARAMETERS), parameter, "{message}");
        }
    }
}
