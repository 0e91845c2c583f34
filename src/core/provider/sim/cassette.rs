//! Recorded answers, for playback.
//!
//! A cassette is a YAML or JSON list of recordings, or a file of JSON lines (`.jsonl`) with one
//! recording each. The first recording that matches the request is played. Without one the request
//! fails with its fingerprint, unless the script has an `answer` of its own.

use std::path::Path;

use serde::{Deserialize, Deserializer};

use super::draw::Fingerprint;
use super::rule::{Call, Condition};
use super::script::{self, Usage, dollars};
use super::strict;
use crate::error::{Error, ProviderError, ProviderFailure};
use crate::files;
use crate::provider::{Brief, JudgeQuestion};

/// A recorded answer and the request it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Recording {
    request: Option<Fingerprint>,
    when: Condition,
    pub(super) text: String,
    pub(super) model: Option<String>,
    pub(super) usage: Option<Usage>,
    pub(super) cost_usd: Option<f64>,
}

/// The file's form of a recording.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordingFields {
    request: Option<String>,
    #[serde(default)]
    when: Condition,
    text: String,
    model: Option<String>,
    usage: Option<Usage>,
    #[serde(default, deserialize_with = "some_dollars")]
    cost_usd: Option<f64>,
}

impl RecordingFields {
    fn check(self) -> Result<Recording, String> {
        let Self { request, when, text, model, usage, cost_usd } = self;
        if request.is_none() && when.is_empty() {
            return Err("a recording needs `request` (a fingerprint) or `when`, else it would answer everything".into());
        }
        let request = request.map(|text| text.parse()).transpose()?;
        Ok(Recording { request, when, text, model, usage, cost_usd })
    }
}

impl<'de> Deserialize<'de> for Recording {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        strict::map(deserializer, RecordingFields::check)
    }
}

fn some_dollars<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    dollars(deserializer).map(Some)
}

impl Recording {
    fn matches(&self, call: &Call<'_>) -> bool {
        self.request.is_none_or(|request| request == call.fingerprint) && self.when.matches(call)
    }
}

/// Finds the recording for `call`.
pub(super) fn find<'a>(recordings: &'a [Recording], call: &Call<'_>) -> Option<&'a Recording> {
    recordings.iter().find(|recording| recording.matches(call))
}

/// The error for a request without a recording.
pub(super) fn missing(provider: &str, call: &Call<'_>) -> ProviderError {
    let about = match &call.request.brief {
        Brief::Phase(brief) => format!("{} of variant {}", brief.phase, brief.variant),
        Brief::Judge(brief) => match brief.question {
            JudgeQuestion::Compare { .. } => "a comparison".to_owned(),
            JudgeQuestion::Rate { .. } => "a rating".to_owned(),
        },
    };
    let message = format!(
        "nothing is recorded for request {} ({about}); add it to the cassette, or give the script an `answer`",
        call.fingerprint
    );
    ProviderError::new(provider, ProviderFailure::Rejected, message)
}

/// Reads a cassette.
///
/// # Errors
/// `file` when it cannot be read, `config_invalid` with the line when it is malformed.
pub(super) fn load(path: &Path) -> Result<Vec<Recording>, Error> {
    let text = read_file(path)?;
    if path.extension().is_none_or(|extension| extension != "jsonl") {
        return script::parse(&text, path);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_str(line)
                .map_err(|error| script::broken(path, String::new(), Some(number + 1), &error.to_string()))
        })
        .collect()
}

/// The largest script or cassette, in bytes.
pub const MOST_SCRIPT_BYTES: u64 = 16 << 20;

/// Reads a file the user named.
pub(super) fn read_file(path: &Path) -> Result<String, Error> {
    let failed = |error: &std::io::Error| files::failure("read", path, error);
    let bytes = files::read_own(path, MOST_SCRIPT_BYTES).map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|_| failed(&std::io::Error::other("it is not UTF-8 text; save it as UTF-8")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use crate::provider::complete;
    use crate::provider::sim::Sim;
    use crate::provider::sim::testing::request;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[tokio::test]
    async fn recordings_are_played_by_fingerprint_and_by_condition() {
        let print = Fingerprint::of(&request(0), "sim-1");
        let yaml = format!(
            "- {{request: {print}, text: by name, model: real-1, usage: {{input_tokens: 3, output_tokens: 4}}, cost_usd: 0.5}}\n\
             - {{when: {{variant: 1}}, text: by condition}}\n"
        );
        let json = format!(
            r#"[{{"request": "{print}", "text": "by name"}}, {{"when": {{"variant": 1}}, "text": "by condition"}}]"#
        );
        let lines = format!(
            "{{\"request\": \"{print}\", \"text\": \"by name\"}}\n\n{{\"when\": {{\"variant\": 1}}, \"text\": \"by condition\"}}\n"
        );
        for (file, text) in [("c.yaml", yaml.as_str()), ("c.json", &json), ("c.jsonl", &lines)] {
            let folder = folder(&[("s.yaml", &format!("cassette: {file}")), (file, text)]);
            let sim = Sim::from_file("s", &folder.path().join("s.yaml")).unwrap();
            let (text, completion) = complete(&sim, request(0)).await.unwrap();
            assert_eq!(text, "by name", "{file}");
            if file == "c.yaml" {
                assert_eq!((completion.model.as_str(), completion.cost_usd), ("real-1", Some(0.5)));
                assert_eq!((completion.usage.output_tokens, completion.usage.estimated), (4, false));
            }
            assert_eq!(complete(&sim, request(1)).await.unwrap().0, "by condition", "{file}");
        }
    }

    #[tokio::test]
    async fn what_is_not_recorded_fails_unless_the_script_answers() {
        let sim = Sim::from_yaml("s", "recorded: [{when: {variant: 1}, text: x}]").unwrap();
        let error = complete(&sim, request(0)).await.unwrap_err();
        assert_eq!(error.failure, ProviderFailure::Rejected);
        let print = Fingerprint::of(&request(0), "sim-1").to_string();
        assert!(error.message.contains(&print) && error.message.contains("solutio of variant 0"), "{error}");
        let sim = Sim::from_yaml("s", "{answer: {text: made}, recorded: [{when: {variant: 1}, text: x}]}").unwrap();
        assert_eq!(complete(&sim, request(0)).await.unwrap().0, "made");
    }

    #[test]
    fn a_broken_cassette_is_told_by_file_and_line() {
        let good = r#"{"when": {"variant": 1}, "text": "x"}"#;
        for (file, text, line) in [
            ("c.yaml", "- {text: x}\n", 1),
            ("c.yaml", "- {when: {variant: 1}, text: x}\n- {request: 12, text: x}\n", 2),
            ("c.jsonl", &format!("{good}\n\n{{\"text\": 3}}\n"), 3),
        ] {
            let folder = folder(&[("s.yaml", &format!("cassette: {file}")), (file, text)]);
            let Err(Error::Config(error)) = Sim::from_file("s", &folder.path().join("s.yaml")) else {
                panic!("{text}")
            };
            assert_eq!(error.faults[0].source, crate::error::ConfigSource::File(folder.path().join(file)));
            assert_eq!(error.faults[0].line, Some(line), "{text}: {error:?}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let folder = folder(&[("s.yaml", "cassette: none.yaml")]);
        for path in ["none.yaml", "s.yaml"] {
            let error = Sim::from_file("s", &folder.path().join(path)).unwrap_err();
            assert_eq!(error.code(), Code::File);
            assert!(error.to_string().contains("none.yaml"), "{error}");
        }
    }
}
