//! A prompt whose texts are cut to fit a model's context.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Prompt;

/// A prompt whose texts have a limited number of characters altogether.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefPrompt {
    /// The prompt, its texts possibly cut.
    #[serde(flatten)]
    pub prompt: Prompt,
    /// True if a text was cut; ask again with a larger `max_chars` for all of it.
    pub truncated: bool,
    /// The characters of all its texts, uncut.
    pub text_chars: u64,
    /// The texts that were cut.
    pub cut: Vec<CutText>,
}

/// A text that was cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CutText {
    /// Where it is: `content`, `steps[1].content`.
    pub field: String,
    /// The characters of it, uncut.
    pub chars: u64,
}

impl BriefPrompt {
    /// Keeps `max_chars` characters of the texts. What matters most is kept longest: the content, the
    /// request, the notes, the context, then the output of each phase.
    pub fn cut(mut prompt: Prompt, max_chars: u64) -> Self {
        let mut budget = Budget { left: max_chars, text_chars: 0, cut: Vec::new() };
        budget.take("content", &mut prompt.content);
        budget.take("original_input", &mut prompt.original_input);
        if let Some(notes) = &mut prompt.notes {
            budget.take("notes", notes);
        }
        for (place, text) in prompt.context.iter_mut().enumerate() {
            budget.take(&format!("context[{place}]"), text);
        }
        for (place, step) in prompt.steps.iter_mut().enumerate() {
            budget.take(&format!("steps[{place}].content"), &mut step.content);
        }
        Self { prompt, truncated: !budget.cut.is_empty(), text_chars: budget.text_chars, cut: budget.cut }
    }
}

/// The characters that may still be kept.
struct Budget {
    left: u64,
    text_chars: u64,
    cut: Vec<CutText>,
}

impl Budget {
    fn take(&mut self, field: &str, text: &mut String) {
        let chars = text.chars().count() as u64;
        self.text_chars += chars;
        if chars > self.left {
            let most = usize::try_from(self.left).unwrap_or(usize::MAX);
            let end = text.char_indices().nth(most).map_or(text.len(), |(end, _)| end);
            text.truncate(end);
            self.cut.push(CutText { field: field.to_owned(), chars });
        }
        self.left = self.left.saturating_sub(chars);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::samples;

    fn prompt() -> Prompt {
        let mut prompt = samples::prompt(1);
        prompt.content = "αβγδε".into();
        prompt.original_input = "12345".into();
        prompt.notes = Some("note".into());
        prompt.context = vec!["ctx".into()];
        prompt.steps.truncate(1);
        prompt.steps[0].content = "step".into();
        prompt
    }

    fn cut_fields(brief: &BriefPrompt) -> Vec<(&str, u64)> {
        brief.cut.iter().map(|cut| (cut.field.as_str(), cut.chars)).collect()
    }

    #[test]
    fn a_prompt_that_fits_is_whole() {
        let brief = BriefPrompt::cut(prompt(), 21);
        assert_eq!((&brief.prompt, brief.truncated, brief.text_chars), (&prompt(), false, 21));
        assert!(brief.cut.is_empty());
    }

    #[test]
    fn the_content_is_kept_longest_and_characters_stay_whole() {
        let brief = BriefPrompt::cut(prompt(), 3);
        assert_eq!((brief.prompt.content.as_str(), brief.prompt.original_input.as_str()), ("αβγ", ""));
        assert!(brief.truncated);
        assert_eq!(
            cut_fields(&brief),
            [("content", 5), ("original_input", 5), ("notes", 4), ("context[0]", 3), ("steps[0].content", 4)]
        );
        let brief = BriefPrompt::cut(prompt(), 20);
        assert_eq!((brief.prompt.context[0].as_str(), brief.prompt.steps[0].content.as_str()), ("ctx", "ste"));
        assert_eq!((cut_fields(&brief), brief.text_chars), (vec![("steps[0].content", 4)], 21));
    }

    #[test]
    fn it_is_written_as_a_prompt_with_three_more_fields() {
        let whole = serde_json::to_value(prompt()).unwrap();
        let mut brief = serde_json::to_value(BriefPrompt::cut(prompt(), 100)).unwrap();
        let fields = brief.as_object_mut().unwrap();
        assert_eq!(fields.remove("truncated"), Some(false.into()));
        assert_eq!(fields.remove("text_chars"), Some(21.into()));
        assert_eq!(fields.remove("cut"), Some(serde_json::json!([])));
        assert_eq!(brief, whole);
    }
}
