//! Messages: the templates for the phases and the judge, and the texts inserted into them.
//!
//! A message is a Markdown file: front matter with `name`, `description` and `task` (the end of the
//! user message), then the system message, a template whose variables are the fields of
//! [`PhaseValues`] or [`JudgeValues`]. A strategy or a form has no `task`; its body is plain text.

use serde::{Deserialize, Serialize};

use super::{AssetFault, AssetKind, front_matter};
use crate::domain::{Phase, TargetFamily};
use crate::error::Error;
use crate::text::template::Template;

/// The message for a phase or the judge.
#[derive(Debug)]
pub struct MessageTemplate {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The last sentence of the user message: what to do now.
    pub task: String,
    template: Template,
    body_line: usize,
}

/// A short text inserted into messages: a strategy or a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The text.
    pub text: String,
}

/// The variables of a phase's template.
#[derive(Debug, Clone, Serialize)]
pub struct PhaseValues<'a> {
    /// The phase's name.
    pub phase: &'a str,
    /// Its position among the phases of this request, from 1.
    pub position: usize,
    /// How many phases there are.
    pub total: usize,
    /// True in the first phase, which works on the request itself.
    pub first: bool,
    /// True in the last phase, whose answer is the finished prompt.
    pub last: bool,
    /// The variant, from 1.
    pub variant: u32,
    /// The persona.
    pub persona: PersonaValues<'a>,
    /// How this variant is shaped.
    pub strategy: StrategyValues<'a>,
    /// The family of models the prompt is for: `generic`, `gpt`, `claude`, `gemini`, `llama`.
    pub target: &'a str,
    /// The form that suits this family.
    pub form: &'a str,
    /// True when there are background texts.
    pub has_context: bool,
}

/// The persona, for templates.
#[derive(Debug, Clone, Serialize)]
pub struct PersonaValues<'a> {
    /// Its name.
    pub name: &'a str,
    /// The role the model takes.
    pub role: &'a str,
    /// What matters in this phase.
    pub guidance: &'a str,
    /// What a finished prompt should do, as clauses.
    pub checks: Vec<&'a str>,
}

/// The strategy, for templates.
#[derive(Debug, Clone, Serialize)]
pub struct StrategyValues<'a> {
    /// Its name.
    pub name: &'a str,
    /// How the variant is shaped.
    pub instruction: &'a str,
}

/// The variables of the judge's templates.
#[derive(Debug, Clone, Serialize)]
pub struct JudgeValues<'a> {
    /// The criteria.
    pub criteria: Vec<CriterionValues<'a>>,
    /// The persona the candidates were written for.
    pub persona: &'a str,
}

/// A criterion, for templates.
#[derive(Debug, Clone, Serialize)]
pub struct CriterionValues<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its weight in percent, a whole number.
    pub weight: u32,
    /// The question it asks of a candidate.
    pub question: &'a str,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageHead {
    name: String,
    description: String,
    task: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordingHead {
    name: String,
    description: String,
}

/// Parses a message.
pub(super) fn parse(name: &str, text: &str) -> Result<MessageTemplate, AssetFault> {
    let document = front_matter::parse::<MessageHead>(text)?;
    let head = document.head;
    front_matter::check_name(name, &head.name, 2)?;
    let body_line = document.body_line;
    let template = Template::parse(document.body).map_err(|error| AssetFault::of_template(error, body_line))?;
    if document.body.trim().is_empty() {
        return Err(AssetFault::new(body_line, "the template is empty; write the instructions for the model"));
    }
    Ok(MessageTemplate { name: head.name, description: head.description, task: head.task, template, body_line })
}

/// Parses a strategy or a form.
pub(super) fn parse_wording(name: &str, text: &str) -> Result<Wording, AssetFault> {
    let document = front_matter::parse::<WordingHead>(text)?;
    front_matter::check_name(name, &document.head.name, 2)?;
    let text = document.body.trim();
    if text.is_empty() {
        return Err(AssetFault::new(document.body_line, "the text is empty; write the instructions for the model"));
    }
    Ok(Wording { name: document.head.name, description: document.head.description, text: text.to_owned() })
}

impl MessageTemplate {
    /// Fills in the values.
    ///
    /// # Errors
    /// `internal` when the template uses a missing variable, which reading it has ruled out.
    pub fn render(&self, values: impl Serialize) -> Result<String, Error> {
        let text = self.fill(values).map_err(|fault| Error::Internal(format!("template `{}`: {fault}", self.name)))?;
        Ok(text.trim().to_owned())
    }

    fn fill(&self, values: impl Serialize) -> Result<String, AssetFault> {
        self.template.render(values).map_err(|error| AssetFault::of_template(error, self.body_line))
    }

    /// Renders with sample values of every kind, so that a misspelt variable is found on reading.
    pub(super) fn try_out(&self, kind: AssetKind) -> Result<(), AssetFault> {
        if kind == AssetKind::Judge {
            let criteria = vec![CriterionValues { name: "n", weight: 100, question: "q" }];
            return self.fill(JudgeValues { criteria, persona: "p" }).map(drop);
        }
        for (position, total) in [(1, 1), (1, 2), (2, 2)] {
            for (has_context, checks) in [(false, vec![]), (true, vec!["c"])] {
                for target in TargetFamily::ALL {
                    self.fill(PhaseValues {
                        phase: Phase::Solutio.as_str(),
                        position,
                        total,
                        first: position == 1,
                        last: position == total,
                        variant: 1,
                        persona: PersonaValues { name: "p", role: "r", guidance: "g", checks: checks.clone() },
                        strategy: StrategyValues { name: "s", instruction: "i" },
                        target: target.as_str(),
                        form: "f",
                        has_context,
                    })?;
                }
            }
        }
        Ok(())
    }
}
