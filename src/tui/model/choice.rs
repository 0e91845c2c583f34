//! The prompts that the user has marked to have them compared or judged, wherever they stand: variants of the run on the
//! screen, rows of the History. The order is that in which they were marked; each is in it once.

use aludel_core::domain::PromptId;

/// A prompt, and what it is called on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// Which prompt.
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
    /// Marks a prompt, or takes its mark away. True when it is marked now.
    pub(crate) fn toggle(&mut self, chosen: Chosen) -> bool {
        let before = self.marked.len();
        self.marked.retain(|other| other.id != chosen.id);
        let is_new = self.marked.len() == before;
        if is_new {
            self.marked.push(chosen);
        }
        is_new
    }

    /// True for a marked prompt.
    pub(crate) fn has(&self, id: PromptId) -> bool {
        self.marked.iter().any(|chosen| chosen.id == id)
    }

    /// All that are marked.
    pub(crate) fn all(&self) -> &[Chosen] {
        &self.marked
    }

    /// Calls all of them by their short ids: their run leaves the screen.
    pub(crate) fn name_by_id(&mut self) {
        name_by_id(&mut self.marked);
    }

    /// Takes all marks away.
    pub(crate) fn clear(&mut self) {
        self.marked.clear();
    }

    /// Forgets a prompt that is no more.
    pub(crate) fn forget(&mut self, ids: &[PromptId]) {
        self.marked.retain(|chosen| !ids.contains(&chosen.id));
    }
}

/// Calls prompts by their short ids.
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
