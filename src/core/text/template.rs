//! Templates: a thin, strict wrapper around minijinja, so that all templates behave alike.
//!
//! An unknown variable is an error with its line, never an empty text. Blocks on their own line
//! leave no blank line. Nothing is escaped, and values are inserted once, as they are: a value that
//! looks like a template is never evaluated. Templates cannot include others or read files.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;

const NAME: &str = "template";

/// A parsed template.
#[derive(Debug)]
pub struct Template {
    environment: Environment<'static>,
}

/// An error in a template or in its values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TemplateError {
    /// Line in the template, from 1.
    pub line: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl Template {
    /// Parses `source` (Jinja syntax: `{{ value }}`, `{% if … %}`, `{# comment #}`).
    ///
    /// # Errors
    /// A syntax error, with its line.
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(|error| describe(&error))?);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.add_template_owned(NAME, source.to_owned()).map_err(|error| describe(&error))?;
        Ok(Self { environment })
    }

    /// Renders with `values`, a map or a struct with named fields.
    ///
    /// # Errors
    /// An undefined variable, or an operation that does not fit its value, with the line.
    pub fn render(&self, values: impl Serialize) -> Result<String, TemplateError> {
        let template = self.environment.get_template(NAME).map_err(|error| describe(&error))?;
        template.render(Serde(&values)).map_err(|error| describe(&error))
    }
}

fn describe(error: &minijinja::Error) -> TemplateError {
    let kind = error.kind().to_string();
    let message = match error.detail() {
        Some(detail) => format!("{kind}: {detail}"),
        None => kind,
    };
    TemplateError { line: error.line().unwrap_or(1), message }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_that_looks_like_a_template_is_inserted_as_it_is() {
        let template = Template::parse("<{{ text }}>").unwrap();
        let rendered = template.render(json!({ "text": "{{ secret }} {% if x %} <b>&" })).unwrap();
        assert_eq!(rendered, "<{{ secret }} {% if x %} <b>&>");
    }

    #[test]
    fn an_unknown_variable_is_an_error_with_its_line() {
        let template = Template::parse("one\ntwo {{ nothing }}\n").unwrap();
        assert_eq!(template.render(json!({})).unwrap_err().line, 2);
    }

    #[test]
    fn a_fault_of_syntax_is_an_error_with_its_line() {
        let error = Template::parse("one\ntwo\n{% if x %}\n{{ y").unwrap_err();
        assert_eq!(error.line, 4);
    }

    #[test]
    fn blocks_on_lines_of_their_own_leave_no_blank_lines() {
        let template = Template::parse("a\n  {% for x in list %}\n- {{ x }}\n  {% endfor %}\nb").unwrap();
        assert_eq!(template.render(json!({ "list": ["1", "2"] })).unwrap(), "a\n- 1\n- 2\nb");
    }
}
