//! Earlier inputs, recalled one by one from the newest, or searched.
//!
//! Those of this session come first, then those of stored runs, each once. The text being written
//! when recall began is at the newest end, and never lost.

/// Most inputs kept; nobody steps through more.
pub(crate) const MOST: usize = 200;

/// The direction of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecallDirection {
    /// To an older input.
    Earlier,
    /// Towards the text being written.
    Later,
}

/// Whether the inputs of stored runs are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum StoredInputs {
    /// Not requested.
    #[default]
    Unknown,
    /// Requested, with the step that waits for them.
    Asked(Option<RecallDirection>),
    /// Loaded.
    Known,
}

/// The earlier inputs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inputs {
    /// The newest first.
    texts: Vec<String>,
    stored: StoredInputs,
    /// The one shown in the composer.
    at: Option<usize>,
    /// The text being written before recall began.
    own: String,
}

impl Inputs {
    /// The inputs, the newest first.
    pub(crate) fn texts(&self) -> &[String] {
        &self.texts
    }

    /// True while stored inputs are being loaded.
    pub(crate) const fn is_loading(&self) -> bool {
        matches!(self.stored, StoredInputs::Asked(_))
    }

    /// Returns true if stored inputs have to be loaded, which happens once.
    pub(crate) fn ask(&mut self, walk: Option<RecallDirection>) -> bool {
        match self.stored {
            StoredInputs::Unknown => self.stored = StoredInputs::Asked(walk),
            StoredInputs::Asked(_) | StoredInputs::Known => return false,
        }
        true
    }

    /// Adds the stored inputs, the newest first. Returns the step that waited for them.
    pub(crate) fn set_stored(&mut self, texts: Vec<String>) -> Option<RecallDirection> {
        let walk = match std::mem::replace(&mut self.stored, StoredInputs::Known) {
            StoredInputs::Asked(walk) => walk,
            StoredInputs::Unknown | StoredInputs::Known => None,
        };
        for text in texts {
            self.add_oldest(text);
        }
        walk
    }

    /// Records that loading failed; the next step tries again.
    pub(crate) fn not_stored(&mut self) {
        self.stored = StoredInputs::Unknown;
    }

    /// Adds the oldest one.
    pub(crate) fn add_oldest(&mut self, text: String) {
        let is_new = !text.trim().is_empty() && !self.texts.iter().any(|known| known.trim() == text.trim());
        if is_new && self.texts.len() < MOST {
            self.texts.push(text);
        }
    }

    /// Adds the newest one, which ends recall.
    pub(crate) fn add_newest(&mut self, text: &str) {
        self.at = None;
        if text.trim().is_empty() {
            return;
        }
        self.texts.retain(|known| known.trim() != text.trim());
        self.texts.insert(0, text.to_owned());
        self.texts.truncate(MOST);
    }

    /// The text one step from `written`, which is in the composer; `None` at the end.
    pub(crate) fn step(&mut self, written: &str, way: RecallDirection) -> Option<String> {
        // An input edited on the way becomes the text being written.
        if self.at.is_none_or(|at| self.texts.get(at).map(String::as_str) != Some(written)) {
            self.at = None;
            written.clone_into(&mut self.own);
        }
        match (way, self.at) {
            (RecallDirection::Earlier, at) => {
                let first = at.map_or(0, |at| at + 1);
                let next = (first..self.texts.len()).find(|next| self.texts[*next].trim() != written.trim())?;
                self.at = Some(next);
                Some(self.texts[next].clone())
            }
            (RecallDirection::Later, None) => None,
            (RecallDirection::Later, Some(at)) => {
                let own = self.own.trim();
                let next = (0..at).rev().find(|next| self.texts[*next].trim() != own);
                self.at = next;
                Some(next.map_or_else(|| self.own.clone(), |next| self.texts[next].clone()))
            }
        }
    }
}

/// A search in earlier inputs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Recall {
    /// What has been typed.
    pub(crate) filter: String,
    /// The selected result.
    pub(crate) marked: usize,
    /// The results, as indexes.
    pub(crate) found: Vec<usize>,
}

impl Recall {
    /// Finds the inputs that contain every word of the filter.
    pub(crate) fn find(&mut self, inputs: &Inputs) {
        let filter = self.filter.to_lowercase();
        let has_all = |text: &String| {
            let text = text.to_lowercase();
            filter.split_whitespace().all(|word| text.contains(word))
        };
        let found = inputs.texts.iter().enumerate().filter(|(_, text)| has_all(text));
        self.found = found.map(|(at, _)| at).collect();
        self.marked = self.marked.min(self.found.len().saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(texts: &[&str]) -> Inputs {
        let mut inputs = Inputs::default();
        assert!(inputs.ask(None) && !inputs.ask(None), "asked once");
        inputs.set_stored(texts.iter().map(|&text| text.to_owned()).collect());
        inputs
    }

    #[test]
    fn a_walk_goes_back_and_returns_to_what_was_being_written() {
        let mut inputs = inputs(&["second", "first"]);
        assert_eq!(inputs.step("mine", RecallDirection::Later), None);
        assert_eq!(inputs.step("mine", RecallDirection::Earlier).as_deref(), Some("second"));
        assert_eq!(inputs.step("second", RecallDirection::Earlier).as_deref(), Some("first"));
        assert_eq!(inputs.step("first", RecallDirection::Earlier), None, "that is all");
        assert_eq!(inputs.step("first", RecallDirection::Later).as_deref(), Some("second"));
        assert_eq!(inputs.step("second", RecallDirection::Later).as_deref(), Some("mine"));
        assert_eq!(inputs.step("mine", RecallDirection::Later), None);
    }

    #[test]
    fn what_is_changed_on_the_way_is_what_is_being_written() {
        let mut inputs = inputs(&["second", "first"]);
        inputs.step("mine", RecallDirection::Earlier);
        assert_eq!(inputs.step("second, changed", RecallDirection::Earlier).as_deref(), Some("second"));
        assert_eq!(inputs.step("second", RecallDirection::Later).as_deref(), Some("second, changed"));
    }

    #[test]
    fn the_idea_that_was_just_run_is_passed_over() {
        let mut inputs = inputs(&["old"]);
        inputs.add_newest("just run");
        assert_eq!(inputs.step("just run", RecallDirection::Earlier).as_deref(), Some("old"));
        assert_eq!(inputs.step("old", RecallDirection::Later).as_deref(), Some("just run"));
    }

    #[test]
    fn each_is_there_once_and_the_newest_first() {
        let mut inputs = inputs(&["b", "a", "b ", " "]);
        inputs.add_newest("a");
        inputs.add_newest("  ");
        assert_eq!(inputs.texts(), ["a", "b"]);
    }

    #[test]
    fn a_search_wants_every_word() {
        let inputs = inputs(&["Review the Rust change", "a haiku", "review of rust"]);
        let mut recall = Recall { filter: "rust REVIEW".into(), marked: 7, found: Vec::new() };
        recall.find(&inputs);
        assert_eq!((recall.found, recall.marked), (vec![0, 2], 1));
    }
}
