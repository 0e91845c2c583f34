//! The weights of the ranking components: the defaults and the overrides in `ranking.weights`.
//!
//! Overrides are checked here, so that the configuration and the ranking agree on what is valid.
//! Applied weights always add up to 1.

use std::collections::BTreeMap;

use super::Component;
use crate::error::Fault;

/// Components of earlier formulas, and what replaced them.
const RETIRED: [(&str, &str); 2] = [
    ("persona", "its checks are shown as a list, and order prompts that are about equal"),
    ("concision", "`additions` counts length and `clarity` what is said twice"),
];

/// The weight of each component. None is negative and not all are zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    of: BTreeMap<Component, f64>,
}

impl Default for Weights {
    fn default() -> Self {
        let of = Component::ALL.into_iter().map(|component| (component, component.default_weight())).collect();
        Self { of }
    }
}

impl Weights {
    /// The defaults, replaced by `overrides`.
    ///
    /// # Errors
    /// The faults of [`check_weights`].
    pub fn with(overrides: &BTreeMap<String, f64>) -> Result<Self, Vec<Fault>> {
        let faults = check_weights(overrides);
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut weights = Self::default();
        for (component, weight) in &mut weights.of {
            if let Some(value) = overrides.get(component.as_str()) {
                *weight = *value;
            }
        }
        Ok(weights)
    }

    /// The weights of the present components, scaled to add up to 1. If all of them are zero, uses
    /// the defaults.
    pub(super) fn scaled(&self, present: impl Iterator<Item = Component>) -> Vec<(Component, f64)> {
        let present: Vec<Component> = present.collect();
        let own: Vec<f64> = present.iter().map(|component| self.of.get(component).copied().unwrap_or(0.0)).collect();
        let defaults = || present.iter().map(|component| component.default_weight()).collect();
        let weights: Vec<f64> = if own.iter().sum::<f64>() > 0.0 { own } else { defaults() };
        // Dividing by the largest first keeps huge weights finite.
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let total: f64 = weights.iter().map(|weight| weight / largest).sum();
        present.into_iter().zip(weights).map(|(component, weight)| (component, weight / largest / total)).collect()
    }

    /// The warning if the weights cannot apply because only `history` has one and learning is off.
    pub fn warning(&self, learning_is_on: bool) -> Option<String> {
        let only_history = self.of.iter().all(|(component, weight)| *component == Component::History || *weight == 0.0);
        (only_history && !learning_is_on).then(|| {
            "ranking.weights weights only `history`, but learning is off; the default weights were used".to_owned()
        })
    }
}

/// The faults of `ranking.weights`: unknown names, negative or non-finite numbers, only zeros.
pub fn check_weights(overrides: &BTreeMap<String, f64>) -> Vec<Fault> {
    let known = Component::ALL.map(Component::as_str);
    let mut faults = Vec::new();
    for (name, weight) in overrides {
        let field = format!("ranking.weights.{name}");
        if let Some((_, became)) = RETIRED.iter().find(|(retired, _)| retired == name) {
            faults.push(Fault::new(field, format!("`{name}` is no longer scored: {became}; remove it")));
        } else if !known.contains(&name.as_str()) {
            faults.push(Fault::new(
                field,
                format!("`{name}` is not a component; the components are {}", known.join(", ")),
            ));
        } else if !(weight.is_finite() && *weight >= 0.0) {
            faults.push(Fault::new(field, format!("{weight} is not a valid weight; use a number of 0 or more")));
        }
    }
    let is_zero = |component: Component| {
        let weight = overrides.get(component.as_str()).copied().unwrap_or_else(|| component.default_weight());
        weight == 0.0
    };
    if faults.is_empty() && Component::ALL.into_iter().all(is_zero) {
        faults.push(Fault::new("ranking.weights", "all weights are 0; leave at least one above 0"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overrides(pairs: &[(&str, f64)]) -> BTreeMap<String, f64> {
        pairs.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect()
    }

    #[test]
    fn unknown_names_and_impossible_numbers_are_all_named() {
        let faults = check_weights(&overrides(&[
            ("coverage", -1.0),
            ("structure", f64::NAN),
            ("clarity", f64::INFINITY),
            ("brilliance", 1.0),
            ("persona", 0.1),
        ]));
        assert!(faults.iter().any(|fault| fault.message.contains("no longer scored: its checks are shown")));
        let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "ranking.weights.brilliance",
                "ranking.weights.clarity",
                "ranking.weights.coverage",
                "ranking.weights.persona",
                "ranking.weights.structure"
            ]
        );
    }

    #[test]
    fn all_zero_is_refused_and_some_zero_is_not() {
        let zero: Vec<(&str, f64)> = Component::ALL.iter().map(|component| (component.as_str(), 0.0)).collect();
        assert_eq!(check_weights(&overrides(&zero)).len(), 1);
        assert!(Weights::with(&overrides(&zero[1..])).is_ok());
    }

    #[test]
    fn weights_of_what_is_present_add_up_to_one() {
        for own in
            [overrides(&[]), overrides(&[("coverage", 1e308), ("clarity", 1e308)]), overrides(&[("additions", 0.0)])]
        {
            let scaled = Weights::with(&own).unwrap().scaled(Component::ALL.into_iter().take(5));
            let total: f64 = scaled.iter().map(|(_, weight)| weight).sum();
            assert!((total - 1.0).abs() < 1e-9, "{own:?}: {total}");
        }
    }

    #[test]
    fn weight_on_history_alone_with_learning_off_is_told_and_the_defaults_apply() {
        let mut own = overrides(&Component::ALL.map(|component| (component.as_str(), 0.0)));
        own.insert("history".to_owned(), 1.0);
        let weights = Weights::with(&own).unwrap();
        assert!(weights.warning(false).is_some() && weights.warning(true).is_none());
        let scaled = weights.scaled(Component::ALL.into_iter().take(5));
        assert!(scaled.iter().all(|(_, weight)| *weight > 0.0));
    }
}
