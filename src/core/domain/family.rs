//! The families of models by their names: which form of prompt suits a model.

/// The family of the model a finished prompt is written for; it changes the prompt's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TargetFamily {
    /// Unknown or unnamed: Markdown headings, the safest form.
    #[default]
    Generic,
    /// OpenAI's: Markdown headings.
    Gpt,
    /// Anthropic's: XML sections.
    Claude,
    /// Google's: Markdown headings, the task last, after the context.
    Gemini,
    /// Small and local models: short, plain, numbered, the format last.
    Llama,
}

impl TargetFamily {
    /// All families.
    pub const ALL: [Self; 5] = [Self::Generic, Self::Gpt, Self::Claude, Self::Gemini, Self::Llama];

    /// The name shown to users and used in templates.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Gpt => "gpt",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Llama => "llama",
        }
    }

    /// Guesses the family from a model's name, such as `anthropic/claude-sonnet-5.5` or `qwen3:8b`.
    pub fn of_model(model: &str) -> Self {
        let name = model.to_ascii_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        if has(&["claude", "anthropic"]) {
            Self::Claude
        } else if has(&["gemini", "google"]) && !has(&["gemma"]) {
            Self::Gemini
        } else if has(&["llama", "mistral", "mixtral", "qwen", "gemma", "phi", "deepseek", "ollama", "gpt-oss"]) {
            Self::Llama
        } else if has(&["gpt", "openai", "chatgpt"]) || ["o1", "o3", "o4"].iter().any(|p| name.starts_with(p)) {
            Self::Gpt
        } else {
            Self::Generic
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_told_from_model_names() {
        for (model, family) in [
            ("claude-sonnet-5-5", TargetFamily::Claude),
            ("anthropic/claude-haiku-5.5", TargetFamily::Claude),
            ("gpt-6-luna", TargetFamily::Gpt),
            ("openai/gpt-oss-20b", TargetFamily::Llama),
            ("gemini-3.8-flash", TargetFamily::Gemini),
            ("gemma3:4b", TargetFamily::Llama),
            ("qwen3:8b", TargetFamily::Llama),
            ("something-new", TargetFamily::Generic),
        ] {
            assert_eq!(TargetFamily::of_model(model), family, "{model}");
        }
    }
}
