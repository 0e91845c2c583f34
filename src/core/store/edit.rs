//! Edits of a stored prompt. Applied here, so that every backend gives the same result.

use crate::domain::{Prompt, Timestamp, limits};
use crate::error::{Error, Result};

/// Changes to one prompt. `None` leaves a field as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edit {
    /// Replaces all tags.
    pub tags: Option<Vec<String>>,
    /// Adds these, after `tags` is applied.
    pub add_tags: Vec<String>,
    /// Removes these, last.
    pub remove_tags: Vec<String>,
    /// Replaces the notes; `Some(None)` removes them.
    pub notes: Option<Option<String>>,
}

impl Edit {
    /// Changes the prompt, raises its revision and sets `updated_at`. Duplicate tags are dropped.
    ///
    /// # Errors
    /// `validation_failed` if the prompt would have more tags than allowed; it is unchanged then.
    pub fn apply_to(&self, prompt: &mut Prompt, at: Timestamp) -> Result<()> {
        let mut tags: Vec<String> = Vec::new();
        for tag in self.tags.as_ref().unwrap_or(&prompt.tags).iter().chain(&self.add_tags) {
            if !tags.contains(tag) && !self.remove_tags.contains(tag) {
                tags.push(tag.clone());
            }
        }
        if tags.len() > limits::MAX_TAGS {
            return Err(Error::value(
                if self.add_tags.is_empty() { "tags" } else { "add_tags" },
                format!("the prompt would have {} tags, and {} is the most; remove some", tags.len(), limits::MAX_TAGS),
            ));
        }
        prompt.tags = tags;
        if let Some(notes) = &self.notes {
            prompt.notes.clone_from(notes);
        }
        prompt.revision = prompt.revision.saturating_add(1);
        prompt.updated_at = at;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::samples;
    use crate::time::from_millis;

    fn edited(tags: &[&str], edit: &Edit) -> Result<Prompt> {
        let mut prompt = Prompt { tags: texts(tags), ..samples::prompt(1) };
        edit.apply_to(&mut prompt, from_millis(5)).map(|()| prompt)
    }

    fn texts(tags: &[&str]) -> Vec<String> {
        tags.iter().map(|&tag| tag.to_owned()).collect()
    }

    #[test]
    fn tags_are_replaced_then_added_then_removed() {
        let edit = Edit {
            tags: Some(texts(&["x", "y", "x"])),
            add_tags: texts(&["z", "y"]),
            remove_tags: texts(&["x", "unknown"]),
            notes: None,
        };
        assert_eq!(edited(&["a"], &edit).unwrap().tags, ["y", "z"]);
    }

    #[test]
    fn added_tags_follow_those_that_were_there() {
        let edit = Edit { add_tags: texts(&["c", "a"]), ..Edit::default() };
        assert_eq!(edited(&["a", "b"], &edit).unwrap().tags, ["a", "b", "c"]);
    }

    #[test]
    fn too_many_tags_together_are_refused_with_the_field_that_brought_them() {
        let many: Vec<String> = (0..32).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let error = edited(&many, &Edit { add_tags: texts(&["one more"]), ..Edit::default() }).unwrap_err();
        assert_eq!(error.faults()[0].field, "add_tags");
        assert!(error.to_string().contains("33 tags"), "{error}");
    }

    #[test]
    fn notes_are_kept_replaced_or_removed_and_the_revision_rises() {
        let notes = |notes| edited(&[], &Edit { notes, ..Edit::default() }).unwrap();
        assert_eq!(notes(None).notes, samples::prompt(1).notes);
        assert_eq!(notes(Some(Some("new".into()))).notes.as_deref(), Some("new"));
        let removed = notes(Some(None));
        assert_eq!((removed.notes, removed.revision, removed.updated_at), (None, 2, from_millis(5)));
    }
}
