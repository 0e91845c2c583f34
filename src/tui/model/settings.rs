//! The settings of the next run: what the user chose, over the configuration.
//!
//! They only yield the raw request; the core validates it when it runs.

use aludel_core::domain::{Phase, limits};
use serde_json::{Map, Value, json};

/// The configured defaults, for display. The core applies the same if a request omits a field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Defaults {
    /// The persona's name.
    pub(crate) persona: String,
    /// The number of variants.
    pub(crate) count: u32,
    /// 0..=2.
    pub(crate) temperature: f64,
    /// The providers of the phases, each once, in the order of the phases.
    pub(crate) providers: Vec<String>,
    /// The providers that write by rule. They are not language models, and are labelled as such.
    pub(crate) writers: Vec<String>,
    /// True if embedding a text costs nothing.
    pub(crate) is_embedding_free: bool,
    /// True if `builtin` was explained before.
    pub(crate) knows_builtin: bool,
}

/// The personas and providers that exist here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Names {
    /// Persona names.
    pub(crate) personas: Vec<String>,
    /// The names of the providers that can be used now.
    pub(crate) providers: Vec<String>,
}

/// One row of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// The persona.
    Persona,
    /// The number of variants.
    Count,
    /// The sampling temperature.
    Temperature,
    /// The provider.
    Provider,
    /// Whether this phase runs.
    Phase(Phase),
}

impl Field {
    /// All rows, in order.
    pub(crate) const ALL: [Self; 7] = [
        Self::Persona,
        Self::Count,
        Self::Temperature,
        Self::Provider,
        Self::Phase(Phase::PrimaMateria),
        Self::Phase(Phase::Solutio),
        Self::Phase(Phase::Coagulatio),
    ];

    /// The name of the row.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Persona => "persona",
            Self::Count => "variants",
            Self::Temperature => "temperature",
            Self::Provider => "provider",
            Self::Phase(phase) => phase.as_str(),
        }
    }
}

/// What the user chose; `None` where the configuration applies.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    defaults: Defaults,
    names: Names,
    persona: Option<String>,
    count: Option<u32>,
    temperature: Option<f64>,
    provider: Option<String>,
    phases: Option<Vec<Phase>>,
}

impl Settings {
    /// Nothing chosen yet.
    pub(crate) const fn new(defaults: Defaults) -> Self {
        Self {
            defaults,
            names: Names { personas: Vec::new(), providers: Vec::new() },
            persona: None,
            count: None,
            temperature: None,
            provider: None,
            phases: None,
        }
    }

    /// Sets the names that exist here.
    pub(crate) fn set_names(&mut self, names: Names) {
        self.names = names;
    }

    /// The providers that a run could call now, as far as known.
    pub(crate) fn providers(&self) -> &[String] {
        &self.names.providers
    }

    /// The raw request for `input`, with only what the user chose.
    pub(crate) fn request(&self, input: &str) -> Value {
        let mut request = self.chosen();
        request.insert("input".into(), json!(input));
        Value::Object(request)
    }

    /// What the user chose, as fields of a raw request.
    pub(crate) fn chosen(&self) -> Map<String, Value> {
        let mut request = Map::new();
        let mut choose = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                request.insert(name.into(), value);
            }
        };
        choose("persona", self.persona.clone().map(Value::from));
        choose("count", self.count.map(Value::from));
        choose("temperature", self.temperature.map(Value::from));
        choose("provider", self.provider.clone().map(Value::from));
        choose("phases", self.phases.as_ref().map(|phases| json!(phases)));
        request
    }

    /// The persona in force.
    pub(crate) fn persona(&self) -> &str {
        self.persona.as_deref().unwrap_or(&self.defaults.persona)
    }

    /// The number of variants in force.
    pub(crate) fn count(&self) -> u32 {
        self.count.unwrap_or(self.defaults.count)
    }

    /// The temperature in force.
    pub(crate) fn temperature(&self) -> f64 {
        self.temperature.unwrap_or(self.defaults.temperature)
    }

    /// The chosen provider; `None` if each phase uses its own.
    pub(crate) fn provider(&self) -> Option<&str> {
        self.provider.as_deref()
    }

    /// True if a search by meaning costs nothing.
    pub(crate) const fn is_embedding_free(&self) -> bool {
        self.defaults.is_embedding_free
    }

    /// True for a provider that is not a language model.
    pub(crate) fn is_writer(&self, provider: &str) -> bool {
        self.defaults.writers.iter().any(|writer| writer == provider)
    }

    /// True if no language model takes part in the next run.
    pub(crate) fn writes_by_rule(&self) -> bool {
        match self.provider() {
            Some(provider) => self.is_writer(provider),
            None => self.defaults.providers.iter().all(|provider| self.is_writer(provider)),
        }
    }

    /// True if `builtin` has yet to be explained.
    pub(crate) fn explains_builtin(&self) -> bool {
        !self.defaults.knows_builtin && self.writes_by_rule()
    }

    /// The phases in force.
    pub(crate) fn phases(&self) -> &[Phase] {
        self.phases.as_deref().unwrap_or(&Phase::ALL)
    }

    /// The value of `field`, and whether the user chose it.
    pub(crate) fn shown(&self, field: Field) -> (String, bool) {
        match field {
            Field::Persona => (self.persona().to_owned(), self.persona.is_some()),
            Field::Count => (self.count().to_string(), self.count.is_some()),
            Field::Temperature => (format!("{:.1}", self.temperature()), self.temperature.is_some()),
            Field::Provider => match self.provider() {
                Some(provider) => (provider.to_owned(), true),
                None => (format!("{}, as configured", self.defaults.providers.join(", ")), false),
            },
            Field::Phase(phase) => {
                let runs = self.phases().contains(&phase);
                ((if runs { "[x] runs" } else { "[ ] left out" }).to_owned(), self.phases.is_some() && !runs)
            }
        }
    }

    /// Moves `field` by `step` (never 0): to another name or number, or toggles it.
    pub(crate) fn change(&mut self, field: Field, step: i32) {
        match field {
            Field::Persona => {
                let current = self.persona().to_owned();
                self.persona = neighbour(&self.names.personas, &current, step).or(self.persona.take());
            }
            Field::Count => {
                let highest = u32::try_from(limits::MAX_COUNT).unwrap_or(u32::MAX);
                self.count = Some(self.count().saturating_add_signed(step).clamp(1, highest));
            }
            Field::Temperature => {
                let tenths = (self.temperature() * 10.0).round() + f64::from(step);
                self.temperature = Some((tenths / 10.0).clamp(0.0, limits::MAX_TEMPERATURE));
            }
            Field::Provider => {
                // "as configured" comes before the first name.
                let names: Vec<String> =
                    std::iter::once(String::new()).chain(self.names.providers.iter().cloned()).collect();
                let current = self.provider.clone().unwrap_or_default();
                self.provider = neighbour(&names, &current, step).filter(|name| !name.is_empty());
            }
            Field::Phase(phase) => {
                let chosen = self.phases();
                let phases: Vec<Phase> =
                    Phase::ALL.into_iter().filter(|each| chosen.contains(each) != (*each == phase)).collect();
                self.phases = (phases != Phase::ALL).then_some(phases);
            }
        }
    }

    /// Types a digit into the number of variants; `fresh` starts a new number.
    pub(crate) fn type_count(&mut self, digit: u32, fresh: bool) {
        let before = if fresh { 0 } else { self.count() };
        let typed = before.saturating_mul(10).saturating_add(digit);
        self.count = Some(if u64::from(typed) > limits::MAX_COUNT { digit } else { typed });
    }

    /// Resets `field` to the configuration.
    pub(crate) fn reset(&mut self, field: Field) {
        match field {
            Field::Persona => self.persona = None,
            Field::Count => self.count = None,
            Field::Temperature => self.temperature = None,
            Field::Provider => self.provider = None,
            Field::Phase(_) => self.phases = None,
        }
    }
}

/// The name `step` places after `current`, in a cycle; `None` if there are none.
fn neighbour(names: &[String], current: &str, step: i32) -> Option<String> {
    let length = i64::try_from(names.len()).ok().filter(|length| *length > 0)?;
    let at = names.iter().position(|name| name == current).and_then(|at| i64::try_from(at).ok()).unwrap_or(0);
    usize::try_from((at + i64::from(step)).rem_euclid(length)).ok().and_then(|next| names.get(next)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults() -> Defaults {
        let builtin = vec!["builtin".to_owned()];
        Defaults {
            persona: "generic".into(),
            count: 3,
            temperature: 0.7,
            providers: builtin.clone(),
            writers: builtin,
            is_embedding_free: true,
            knows_builtin: false,
        }
    }

    fn settings() -> Settings {
        let mut settings = Settings::new(defaults());
        settings.set_names(Names {
            personas: ["analysis", "code", "generic", "writing"].map(String::from).to_vec(),
            providers: ["builtin", "local"].map(String::from).to_vec(),
        });
        settings
    }

    #[test]
    fn an_untouched_setting_is_not_in_the_request() {
        assert_eq!(settings().request("idea"), json!({ "input": "idea" }));
    }

    #[test]
    fn what_was_chosen_is_in_the_request_and_can_be_given_back() {
        let mut settings = settings();
        for field in Field::ALL {
            settings.change(field, 1);
        }
        assert_eq!(
            settings.request("idea"),
            json!({ "input": "idea", "persona": "writing", "count": 4, "temperature": 0.8, "provider": "builtin", "phases": [] })
        );
        for field in Field::ALL {
            settings.reset(field);
        }
        assert_eq!(settings.request("idea"), json!({ "input": "idea" }));
    }

    #[test]
    fn names_go_round_and_the_provider_comes_back_to_the_configured_one() {
        let mut settings = settings();
        settings.change(Field::Persona, 1);
        settings.change(Field::Persona, 1);
        assert_eq!(settings.persona(), "analysis");
        settings.change(Field::Provider, -1);
        assert_eq!(settings.provider(), Some("local"));
        settings.change(Field::Provider, 1);
        assert_eq!(settings.provider(), None);
    }

    #[test]
    fn a_writer_is_told_from_a_model() {
        let mut settings = settings();
        assert!(settings.writes_by_rule());
        settings.change(Field::Provider, -1);
        assert!(!settings.writes_by_rule());
    }

    #[test]
    fn numbers_stay_within_the_limits() {
        let mut settings = settings();
        settings.change(Field::Count, -99);
        settings.change(Field::Temperature, -99);
        assert_eq!((settings.count(), settings.temperature()), (1, 0.0));
        settings.change(Field::Count, 999);
        settings.change(Field::Temperature, 99);
        assert_eq!((settings.count(), settings.temperature()), (100, 2.0));
    }

    #[test]
    fn digits_make_a_number() {
        let mut settings = settings();
        settings.type_count(1, true);
        settings.type_count(2, false);
        assert_eq!(settings.count(), 12);
        settings.type_count(5, false);
        assert_eq!(settings.count(), 5, "125 is too many, so a new number begins");
    }

    #[test]
    fn without_names_nothing_changes() {
        let mut settings = Settings::new(defaults());
        settings.change(Field::Persona, 1);
        settings.change(Field::Provider, 1);
        assert_eq!(settings.request("x"), json!({ "input": "x" }));
    }
}
