//! Chooses the judges and the rubric, alike for `select`, `compare` and `generate --auto-select`.
//!
//! The judge is the one in the request; else `judge.provider`; else the first usable provider of
//! the configuration file of another model family than the candidates' authors, because judges
//! favour their own family (arXiv 2404.13076); else the provider of the last phase, with a warning.
//! A provider known only from the environment is never chosen: that would spend money unasked.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Engine, wiring};
use crate::api::Criteria;
use crate::assets::{AssetKind, Assets, Rubric};
use crate::domain::{Phase, Prompt, ProviderKind, maker_of};
use crate::error::{Error, Result};
use crate::judge::Judge;
use crate::provider::cache::CacheNamespace;

/// The chosen judges, with warnings for the user.
#[derive(Debug)]
pub(super) struct JudgePanel<'a> {
    pub(super) targets: Vec<wiring::Target<'a>>,
    pub(super) warnings: Vec<String>,
}

/// The model that wrote a candidate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Author<'a> {
    pub(super) provider: &'a str,
    pub(super) model: &'a str,
}

impl<'a> Author<'a> {
    pub(super) fn of(prompt: &'a Prompt) -> Self {
        Self { provider: &prompt.provider, model: &prompt.model }
    }
}

impl Engine {
    /// Chooses the judges of what these authors wrote. `named` are the judges in the request;
    /// `usual` is the last resort.
    pub(super) fn panel<'a>(
        &'a self,
        named: &'a [String],
        usual: wiring::Target<'a>,
        authors: &[Author<'_>],
    ) -> Result<JudgePanel<'a>> {
        let unremarkable = |targets| Ok(JudgePanel { targets, warnings: Vec::new() });
        if !named.is_empty() {
            return unremarkable(named.iter().map(|name| wiring::Target::parse(name)).collect());
        }
        let configured = &self.config().judge;
        if let Some(provider) = configured.provider.as_deref() {
            return unremarkable(vec![wiring::Target { provider, model: configured.model.as_deref() }]);
        }
        let families: BTreeSet<String> = authors.iter().map(|author| self.family(author)).collect();
        if let Some(judge_of_another_family) = self.judge_of_another_family(&families) {
            return unremarkable(vec![judge_of_another_family]);
        }
        let model = self.inner.registry.get(usual.provider)?;
        let model = usual.model.unwrap_or_else(|| model.default_model());
        let family = self.family(&Author { provider: usual.provider, model });
        let warnings = if self.kind(usual.provider) == Some(ProviderKind::Builtin) {
            vec![
                "`builtin` judges by fixed rules about what can be seen in a text (`aludel templates show rubric/default` has \
                 the criteria); it is not a language model: set one with `judge.provider`"
                    .to_owned(),
            ]
        } else if families.contains(&family) {
            vec![format!(
                "the judge `{}/{model}` is of the model family that wrote the prompts, and judges favour their own family: name one of \
                 another family with `judge.provider` or `judge_provider`",
                usual.provider
            )]
        } else {
            Vec::new()
        };
        Ok(JudgePanel { targets: vec![usual], warnings })
    }

    /// The first usable provider of the configuration file with a model of none of these families.
    fn judge_of_another_family(&self, families: &BTreeSet<String>) -> Option<wiring::Target<'_>> {
        let infos = self.inner.registry.infos();
        self.config().providers_of_file().find_map(|provider| {
            let info = infos.iter().find(|info| info.name == provider)?;
            if !info.available || info.kind == ProviderKind::Builtin {
                return None;
            }
            let model = self.inner.registry.get(provider).ok()?.default_model().to_owned();
            let is_stranger =
                !model.is_empty() && !families.contains(&self.family(&Author { provider, model: &model }));
            is_stranger.then_some(wiring::Target { provider, model: None })
        })
    }

    pub(super) fn kind(&self, provider: &str) -> Option<ProviderKind> {
        self.inner.registry.settings(provider).map(|settings| settings.kind)
    }

    fn family(&self, author: &Author<'_>) -> String {
        match self.kind(author.provider) {
            Some(ProviderKind::Builtin) => ProviderKind::Builtin.as_str().to_owned(),
            _ => maker_of(author.model).unwrap_or_else(|| author.provider.to_owned()),
        }
    }

    /// Builds the judges. Their profiles are looked up when judging begins.
    pub(super) fn judges(&self, targets: &[wiring::Target<'_>], no_cache: bool) -> Result<Vec<Judge>> {
        targets
            .iter()
            .map(|target| {
                let provider = self.inner.registry.get(target.provider)?;
                let provider = if no_cache { provider } else { self.kept(provider, target, CacheNamespace::Judge) };
                Ok(Judge { provider, model: target.model.map(str::to_owned), profile: None })
            })
            .collect()
    }

    /// The default judge: the provider of the last phase.
    pub(super) fn default_judge(&self) -> wiring::Target<'_> {
        wiring::bound_target(self.config(), Phase::Coagulatio)
    }

    /// The rubric: the request's criteria, else `judge.criteria`, else the persona's rubric.
    ///
    /// # Errors
    /// `validation_failed` for a rubric or criterion that does not exist; `file` for a file that cannot be used.
    pub(super) fn rubric(&self, asked: Option<&Criteria>, persona: &str) -> Result<Arc<Rubric>> {
        let assets = &self.inner.assets;
        let usual = || match &self.config().judge.criteria {
            Some(path) => Assets::rubric_file(path),
            None => assets.rubric_for(persona),
        };
        match asked {
            None => usual(),
            Some(Criteria::File { file: path }) => Assets::rubric_file(path),
            Some(Criteria::Rubric(name)) => {
                let listed = assets.templates().into_iter().filter(|info| info.kind == AssetKind::Rubric);
                let names: Vec<String> = listed.map(|info| info.name).collect();
                if names.contains(name) {
                    return assets.rubric(name);
                }
                Err(Error::value("criteria", format!("there is no rubric `{name}`; there are {}", names.join(", "))))
            }
            Some(Criteria::Weights(weights)) => {
                let rubric = usual()?;
                let known = |name: &String| rubric.criteria.iter().any(|criterion| criterion.name == *name);
                if let Some(unknown) = weights.keys().find(|name| !known(name)) {
                    let names: Vec<&str> = rubric.criteria.iter().map(|criterion| criterion.name.as_str()).collect();
                    let message = format!(
                        "the rubric `{}` has no criterion `{unknown}`; it has {}",
                        rubric.name,
                        names.join(", ")
                    );
                    return Err(Error::value("criteria", message));
                }
                let total: f64 = weights.values().sum();
                let mut weighed = Rubric::clone(&rubric);
                weighed.criteria.retain(|criterion| weights.contains_key(&criterion.name));
                for criterion in &mut weighed.criteria {
                    criterion.weight = weights.get(&criterion.name).map_or(0.0, |weight| weight / total);
                }
                Ok(Arc::new(weighed))
            }
        }
    }
}
