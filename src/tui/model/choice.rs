//! The prompts marked to be compared or judged: variants of the run on the screen, or rows of
//! History. They are in the order they were marked, each once.

use aludel_core::domain::PromptId;

/// A prompt and its label on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// The prompt.
    pub(crate) id: PromptId,
    /// The letter of a variant of the run on the screen, else the short id.
    pub(crate) label: String,
}

/// Marked prompts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    marked: Vec<Chosen>,
}

impl Choice {
    /// Marks or unmarks a prompt. Returns true if it is now marked.
    pub(crate) fn toggle(&mut self, chosen: Chosen) -> bool {
        let before = self.marked.len();
        self.marked.retain(|other| other.id != chosen.id);
        let is_new = self.marked.len() == before;
        if is_new {
            self.marked.push(chosen);
        }
        is_new
    }

    /// True if the prompt is marked.
    pub(crate) fn has(&self, id: PromptId) -> bool {
        self.marked.iter().any(|chosen| chosen.id == id)
    }

    /// All marked prompts.
    pub(crate) fn all(&self) -> &[Chosen] {
        &self.marked
    }

    /// Labels all by their short ids, once their run leaves the screen.
    pub(crate) fn name_by_id(&mut self) {
        name_by_id(&mut self.marked);
    }

    /// Removes all marks.
    pub(crate) fn clear(&mut self) {
        self.marked.clear();
    }

    /// Removes deleted prompts.
    pub(crate) fn forget(&mut self, ids: &[PromptId]) {
        self.marked.retain(|chosen| !ids.contains(&chosen.id));
    }
}

/// Labels prompts by their short ids.
pub(crate) fn name_by_id(prompts: &mut [Chosen]) {
    for chosen in prompts {
        chosen.label = chosen.id.short();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::testing::prompt;

    #[test]
    fn marking_twice_takes_the_mark_away() {
        let mut choice = Choice::default();
        let chosen = |variant| Chosen { id: prompt(variant, "", None).id, label: variant.to_string() };
        assert!(choice.toggle(chosen(1)) && choice.toggle(chosen(0)));
        assert_eq!(choice.all().iter().map(|chosen| chosen.label.as_str()).collect::<Vec<_>>(), ["1", "0"]);
        assert!(!choice.toggle(chosen(1)));
        assert!(choice.has(chosen(0).id) && !choice.has(chosen(1).id));
        choice.forget(&[chosen(0).id]);
        assert!(choice.all().is_empty());
    }
}
