//! Expands `${NAME}` and `${NAME:-default}` in texts of the file; `$${` writes a plain `${`.
//!
//! As in a shell, the default also replaces a variable that is set but empty. A single `$` and
//! `$NAME` have no meaning. Expanded text may be a secret, so messages show the text as written.

use super::env::Environment;

/// How references are resolved.
#[derive(Debug, Clone, Copy)]
pub(super) enum VariableLookup<'a> {
    /// Looked up. One that is unset and has no default is a fault.
    Given(&'a Environment),
    /// Not looked up, because the file is checked for another process: values stay unknown.
    Unknown,
}

/// The result of expanding a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Expanded {
    /// It had no references; escapes are resolved.
    Plain(String),
    /// It had references, now filled in.
    Filled(String),
    /// It has references that were not looked up.
    Unknown,
}

/// Expands one text.
///
/// # Errors
/// A sentence that names the unset variable or the malformed reference.
pub(super) fn expand(text: &str, variables: VariableLookup<'_>) -> Result<Expanded, String> {
    if !text.contains("${") {
        return Ok(Expanded::Plain(text.to_owned()));
    }
    let mut output = String::with_capacity(text.len());
    let (mut found, mut unknown) = (false, false);
    let mut missing: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            output.push_str(&rest[..at]);
            output.push('{');
            rest = &rest[at + 2..];
            continue;
        }
        output.push_str(&rest[..at]);
        let inside = &rest[at + 2..];
        let end = inside.find('}').ok_or("`${` without `}`; write `$${` for a plain `${`")?;
        let (name, default) = match inside[..end].split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (&inside[..end], None),
        };
        if !is_variable(name) {
            return Err("expected the name of an environment variable in `${…}`: letters, digits and `_`; write `$${` for a plain `${`".to_owned());
        }
        found = true;
        match variables {
            VariableLookup::Unknown => unknown = true,
            VariableLookup::Given(environment) => match environment.get(name).or(default) {
                Some(value) => output.push_str(value),
                None => missing.push(name),
            },
        }
        rest = &inside[end + 1..];
    }
    output.push_str(rest);
    if !missing.is_empty() {
        let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
        let (variable, is) =
            if names.len() == 1 { ("environment variable", "is") } else { ("environment variables", "are") };
        return Err(format!(
            "the {variable} {} {is} not set; set it, or give a default with ${{{}:-…}}",
            names.join(" and "),
            missing[0]
        ));
    }
    Ok(match (unknown, found) {
        (true, _) => Expanded::Unknown,
        (false, true) => Expanded::Filled(output),
        (false, false) => Expanded::Plain(output),
    })
}

/// Escapes `text` so that expanding gives it back.
pub(super) fn escape(text: &str) -> String {
    text.replace("${", "$${")
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn expanded(text: &str) -> Result<Expanded, String> {
        let environment = Environment::from_pairs([("NAME", "value"), ("EMPTY", "")]);
        expand(text, VariableLookup::Given(&environment))
    }

    #[test]
    fn references_are_filled_in() {
        for (text, filled) in [
            ("${NAME}", "value"),
            ("a ${NAME}b${NAME}", "a valueb value".replace(' ', "").as_str().replacen("avalue", "a value", 1).as_str()),
            ("${MISSING:-d}", "d"),
            ("${EMPTY:-d}", "d"),
            ("${MISSING:-}", ""),
            ("${NAME:-d}", "value"),
            ("$${NAME} ${NAME}", "${NAME} value"),
        ] {
            assert_eq!(expanded(text), Ok(Expanded::Filled(filled.to_owned())), "{text}");
        }
    }

    #[test]
    fn texts_without_references_stay_as_they_are() {
        for (text, plain) in [("$NAME costs $5", "$NAME costs $5"), ("$${NAME}", "${NAME}"), ("", "")] {
            assert_eq!(expanded(text), Ok(Expanded::Plain(plain.to_owned())));
        }
    }

    #[test]
    fn a_missing_variable_is_named() {
        let message = expanded("${MISSING}").unwrap_err();
        assert_eq!(
            message,
            "the environment variable `MISSING` is not set; set it, or give a default with ${MISSING:-…}"
        );
        let message = expanded("${MISSING} ${EMPTY}").unwrap_err();
        assert!(message.contains("`MISSING` and `EMPTY` are not set"), "{message}");
    }

    #[test]
    fn malformed_references_are_refused() {
        for text in ["${NAME", "${}", "${a b}", "${1X}", "${NAME-x}"] {
            assert!(expanded(text).is_err(), "{text}");
        }
    }

    #[test]
    fn without_an_environment_the_value_is_unknown() {
        assert_eq!(expand("x ${NAME}", VariableLookup::Unknown), Ok(Expanded::Unknown));
        assert!(expand("${NAME", VariableLookup::Unknown).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn an_escaped_text_expands_to_itself(text in "[ $a-c{}:-]{0,30}") {
            prop_assert_eq!(expanded(&escape(&text)), Ok(Expanded::Plain(text)));
        }
    }
}
