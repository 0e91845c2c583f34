//! What the name of a model tells: who made it, and which form of prompt suits it.

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

/// Whose models a name belongs to, and what such names hold. The first that fits counts.
const MAKERS: [(&str, &[&str]); 5] = [
    ("openai", &["gpt", "openai", "davinci"]),
    ("anthropic", &["claude", "anthropic"]),
    ("google", &["gemini", "gemma", "google"]),
    ("meta", &["llama"]),
    ("mistral", &["mistral", "mixtral", "ministral", "magistral", "codestral"]),
];

/// Who made a model, as far as its name tells: a vendor's, else the word it begins with; `None` for a name without one.
pub fn maker_of(model: &str) -> Option<String> {
    let name = model.to_lowercase();
    if let Some((maker, _)) = MAKERS.iter().find(|(_, parts)| parts.iter().any(|part| name.contains(part))) {
        return Some((*maker).to_owned());
    }
    let own = name.rsplit('/').next().unwrap_or(&name);
    let mut letters = own.chars();
    // OpenAI's reasoning models are named `o` and a digit.
    if letters.next() == Some('o') && letters.next().is_some_and(|second| second.is_ascii_digit()) {
        return Some("openai".to_owned());
    }
    let word: String = own.chars().take_while(|character| character.is_alphabetic()).collect();
    Some(word).filter(|word| !word.is_empty())
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

    #[test]
    fn a_maker_is_told_by_the_name_of_a_model_wherever_it_runs() {
        let maker = |model: &str| maker_of(model).unwrap_or_default();
        for (model, of) in [
            ("gpt-6-sol", "openai"),
            ("o4-mini", "openai"),
            ("openai/gpt-oss-120b", "openai"),
            ("anthropic/claude-sonnet-5-5", "anthropic"),
            ("claude-opus-5", "anthropic"),
            ("gemini-4-pro", "google"),
            ("gemma4:12b", "google"),
            ("meta-llama/llama-5-70b", "meta"),
            ("mixtral:8x7b", "mistral"),
            ("qwen/qwen4-32b", "qwen"),
            ("qwen4:8b", "qwen"),
            ("orca-3", "orca"),
            ("", ""),
            ("7b", ""),
        ] {
            assert_eq!(maker(model), of, "{model}");
        }
    }
}
