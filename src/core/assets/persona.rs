//! Personas: the field a prompt is for, and what that means in each phase.
//!
//! A persona is a Markdown file: front matter with `name`, `description` and `checks`, then the
//! required sections `## Role`, `## Prima materia`, `## Solutio` and `## Coagulatio`. The role is a
//! noun phrase ("an engineer who …"); a phase's section is its guidance. A check is a `label`, a
//! clause that completes "the prompt …", with `any`: words and phrases, one of which must occur for
//! the check to be met. The ranking counts checks this way; templates show the labels to the model.

use serde::{Deserialize, Serialize};

use super::{AssetFault, front_matter};
use crate::domain::Phase;
use crate::text::terms::fold;

/// The field a prompt is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Persona {
    /// Its name, in kebab-case.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The role the model takes: a noun phrase.
    pub role: String,
    /// What a finished prompt should do.
    pub checks: Vec<Check>,
    guidance: [String; Phase::ALL.len()],
}

/// Something that a finished prompt should do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// A clause that completes "the prompt …".
    pub label: String,
    /// Words and phrases, any of which meets the check. Compared by their terms.
    pub any: Vec<String>,
}

impl Persona {
    /// What matters in `phase`.
    pub fn guidance(&self, phase: Phase) -> &str {
        &self.guidance[place(phase)]
    }
}

const fn place(phase: Phase) -> usize {
    match phase {
        Phase::PrimaMateria => 0,
        Phase::Solutio => 1,
        Phase::Coagulatio => 2,
    }
}

const ROLE: &str = "role";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    name: String,
    description: String,
    #[serde(default)]
    checks: Vec<Check>,
}

/// Parses a persona.
pub(super) fn parse(name: &str, text: &str) -> Result<Persona, AssetFault> {
    let document = front_matter::parse::<Head>(text)?;
    let head = document.head;
    front_matter::check_name(name, &head.name, 2)?;
    if let Some(check) = head.checks.iter().find(|check| check.label.trim().is_empty() || check.any.is_empty()) {
        let message = format!("the check `{}` needs a label and at least one word under `any`", check.label);
        return Err(AssetFault::new(2, message));
    }
    let sections = sections(document.body, document.body_line)?;
    let [prima_materia, solutio, coagulatio] = Phase::ALL.map(title);
    let known = [ROLE, &prima_materia, &solutio, &coagulatio];
    for (at, section) in sections.iter().enumerate() {
        let Section { title, line, text } = section;
        let message = if !known.contains(&title.as_str()) {
            format!("`## {title}` is not a section of a persona; the sections are {}", known.join(", "))
        } else if sections[..at].iter().any(|earlier| earlier.title == *title) {
            format!("the section `## {title}` is there twice")
        } else if text.is_empty() {
            format!("the section `## {title}` is empty")
        } else {
            continue;
        };
        return Err(AssetFault::new(*line, message));
    }
    let end = (document.body_line + document.body.lines().count()).saturating_sub(1);
    let take = |wanted: &str| {
        let found = sections.iter().find(|section| section.title == wanted).map(|section| section.text.clone());
        found.ok_or_else(|| AssetFault::new(end, format!("the section `## {wanted}` is missing")))
    };
    let guidance = [take(&prima_materia)?, take(&solutio)?, take(&coagulatio)?];
    Ok(Persona { name: head.name, description: head.description, role: take(ROLE)?, checks: head.checks, guidance })
}

fn title(phase: Phase) -> String {
    phase.as_str().replace('-', " ")
}

struct Section {
    title: String,
    line: usize,
    text: String,
}

fn sections(body: &str, first_line: usize) -> Result<Vec<Section>, AssetFault> {
    let mut sections: Vec<Section> = Vec::new();
    for (offset, line) in body.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("## ") {
            let title = fold(heading.trim()).replace('-', " ");
            sections.push(Section { title, line: first_line + offset, text: String::new() });
        } else if let Some(section) = sections.last_mut() {
            section.text.push_str(line);
            section.text.push('\n');
        } else if !line.trim().is_empty() {
            return Err(AssetFault::new(first_line + offset, "this text is outside any section; begin with `## Role`"));
        }
    }
    for section in &mut sections {
        section.text = section.text.trim().to_owned();
    }
    Ok(sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "---\nname: x\ndescription: d\nchecks:\n  - label: names it\n    any: [name]\n---\n\
        ## Role\nan x\n\n## Prima materia\np\n## Solutio\ns\n## Coagulatio\nc\nc2\n";

    #[test]
    fn sections_become_role_and_guidance() {
        let persona = parse("x", GOOD).unwrap();
        assert_eq!(persona.role, "an x");
        assert_eq!(persona.guidance(Phase::PrimaMateria), "p");
        assert_eq!(persona.guidance(Phase::Coagulatio), "c\nc2");
        assert_eq!(persona.checks[0].any, ["name"]);
    }

    #[test]
    fn every_fault_names_its_line() {
        for (text, line, says) in [
            (GOOD.replace("## Solutio", "## Solution"), 13, "`## solution` is not a section"),
            (GOOD.replace("## Solutio\ns\n", ""), 15, "`## solutio` is missing"),
            (GOOD.replace("name: x", "name: y"), 2, "write `name: x`"),
            (GOOD.replace("## Role\n", "hello\n"), 8, "begin with `## Role`"),
            (format!("{GOOD}## Role\nagain\n"), 18, "twice"),
            (GOOD.replace("\ns\n", "\n\n"), 13, "is empty"),
            (GOOD.replace("[name]", "[]"), 2, "at least one word"),
            (GOOD.replace("label:", "lable:"), 5, "lable"),
        ] {
            let fault = parse("x", &text).unwrap_err();
            assert!(fault.message.contains(says), "{fault}");
            assert_eq!(fault.line, line, "{fault}");
        }
    }
}
