//! `validate`, `migrate`: checks the installation without changing it, and migrates the database.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Engine, wiring};
use crate::api::ValidateRequest;
use crate::assets::Assets;
use crate::config::{self, Origin, TuiConfig};
use crate::domain::Phase;
use crate::error::{ConfigError, Error, Result};
use crate::store::sqlite::migrate::{self, MigrationReport, MigrationStatus};

/// Checks the settings of a face that the core does not know. Returns pairs of a dotted key and a
/// message with the fix; empty if all is well.
pub type SettingsCheck = fn(&TuiConfig, &Assets) -> Vec<(String, String)>;

/// The result of `validate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Validation {
    /// True if no check failed.
    pub valid: bool,
    /// Every check, in order.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What was checked: `configuration`, `database`, `phase solutio`, …
    pub name: String,
    /// The result.
    pub status: CheckStatus,
    /// What was found, and what to do.
    pub detail: String,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// It works.
    Ok,
    /// It works, but is probably not what was meant.
    Warning,
    /// It would fail when used.
    Failed,
}

impl Check {
    pub(super) fn ok(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { name: name.into(), status: CheckStatus::Ok, detail: detail.into() }
    }

    pub(super) fn warning(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { name: name.into(), status: CheckStatus::Warning, detail: detail.into() }
    }

    pub(super) fn failed(name: impl Into<String>, error: &Error) -> Self {
        Self::failed_with(name, error.to_string())
    }

    pub(super) fn failed_with(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { name: name.into(), status: CheckStatus::Failed, detail: detail.into() }
    }

    /// A check from a result: passed with its text, or failed with its error.
    pub(super) fn from_result(name: &str, result: Result<String>) -> Self {
        match result {
            Ok(detail) => Self::ok(name, detail),
            Err(error) => Self::failed(name, &error),
        }
    }
}

impl Engine {
    /// Sets the check of the workbench's settings for [`Engine::validate`]. Only the first is used.
    pub fn check_workbench_by(&self, check: SettingsCheck) {
        self.inner.settings_check.get_or_init(|| check);
    }

    /// Checks everything a run needs: configuration, database, permissions, cache, personas,
    /// templates, themes, providers, phases, models, weights; and the workbench's settings. Sends
    /// nothing. Reads the whole database unless the request is for a quick check.
    pub async fn validate(&self, request: ValidateRequest) -> Validation {
        let mut checks = vec![self.check_configuration()];
        checks.extend(self.check_places());
        checks.extend(self.check_database(request).await);
        checks.extend(self.check_permissions());
        checks.extend(self.check_cache());
        checks.extend(self.check_assets());
        checks.extend(self.check_persona());
        checks.extend(self.check_target());
        checks.extend(self.check_providers());
        checks.extend(Phase::ALL.map(|phase| self.check_phase(phase)));
        checks.extend(self.check_models());
        checks.push(self.check_embedding());
        checks.push(self.check_ranking());
        checks.extend(self.check_workbench());
        let idle = config::idle_keys_in_use(self.origins());
        checks.extend(idle.map(|(idle, origin)| Check::warning(idle.key, wiring::without_effect(idle, &origin))));
        let valid = checks.iter().all(|check| check.status != CheckStatus::Failed);
        Validation { valid, checks }
    }

    fn check_configuration(&self) -> Check {
        let file = &self.paths().config_file;
        if file.exists() {
            Check::ok("configuration", format!("{} is valid", file.display()))
        } else {
            Check::ok("configuration", format!("{} does not exist; the defaults apply", file.display()))
        }
    }

    fn check_assets(&self) -> Vec<Check> {
        const NAME: &str = "personas, templates, themes";
        let problems = self.inner.assets.problems();
        if problems.is_empty() {
            return vec![Check::ok(NAME, "all can be used")];
        }
        problems.iter().map(|problem| Check::failed(NAME, problem)).collect()
    }

    fn check_persona(&self) -> Option<Check> {
        let name = wiring::default_persona(self.config());
        (!self.known().personas.iter().any(|persona| persona == name)).then(|| {
            Check::failed(
                "generation.default_persona",
                &Error::value("generation.default_persona", format!("there is no persona `{name}`")),
            )
        })
    }

    fn check_target(&self) -> Option<Check> {
        let model = self.config().generation.default_target_model.as_deref()?;
        self.unknown_target(model).map(|told| Check::warning("generation.default_target_model", told))
    }

    /// Only a setting that the user chose can keep the workbench from opening.
    fn check_workbench(&self) -> Vec<Check> {
        let Some(check) = self.inner.settings_check.get() else { return Vec::new() };
        let faults = check(&self.config().tui, &self.inner.assets).into_iter();
        let chosen = faults.filter(|(key, _)| self.origins().of(key) != Origin::Default);
        let failed: Vec<Check> = chosen
            .map(|(key, message)| {
                let fault = self.origins().fault(self.paths(), &key, message);
                Check::failed("workbench", &ConfigError::one(fault).into())
            })
            .collect();
        if failed.is_empty() { vec![Check::ok("workbench", "its keys and its theme can be used")] } else { failed }
    }

    fn check_ranking(&self) -> Check {
        let weights = wiring::ranking_weights(self.config(), self.origins());
        Check::from_result("ranking", weights.map(|_| "the weights can be used".to_owned()))
    }

    /// The applied and the pending migrations of the database.
    ///
    /// # Errors
    /// `storage` when it cannot be read, is newer than this program, or is not ours.
    pub fn migration_status(&self) -> Result<MigrationStatus> {
        migrate::status(&self.paths().database)
    }

    /// Backs up the database and migrates it to the newest schema.
    ///
    /// # Errors
    /// `storage`.
    pub fn migrate(&self) -> Result<MigrationReport> {
        migrate::run_watched(&self.paths().database, self.watch())
    }
}
