//! Which answers are cached: whose, in which namespace, for how long. The cache itself is [`crate::provider::cache`]'s.
//!
//! Those of generations are kept where `cache.enabled` says so, within `cache.ttl` and
//! `cache.max_size`; the judge's always, because a comparison is asked at temperature 0 and asked
//! again by every selection among the same prompts. A request with `no_cache` comes here for
//! neither, but for what its own job was told before it was interrupted. `builtin` is asked each
//! time: it is free, gives the same answer anyway, and is quicker than a disk.

use std::sync::Arc;
use std::time::Duration;

use super::system::Check;
use super::{Engine, wiring};
use crate::config::ProviderConfig;
use crate::domain::ProviderKind;
use crate::files;
use crate::job::{ANSWER_LIMITS, Journal, JournalledAnswers};
use crate::judge::{self, Judge};
use crate::provider::Provider;
use crate::provider::cache::{Answers, Cache, CacheNamespace, Keeping, NamespaceLimits, Source};
use crate::provider::sim::MOST_SCRIPT_BYTES;
use crate::store::sqlite::answers::SqliteAnswers;
use crate::text::clean::clean;

/// The judge's answers: none is so old that its model is likely to be another by now, and the file stays small.
const JUDGE_LIMITS: NamespaceLimits = NamespaceLimits { ttl: Duration::from_hours(30 * 24), max_entries: 10_000 };

impl Engine {
    /// `provider`, which asks `target` first, behind the cache as far as answers of this kind are kept.
    pub(super) fn kept(
        &self,
        provider: Arc<dyn Provider>,
        target: &wiring::Target<'_>,
        shelf: CacheNamespace,
    ) -> Arc<dyn Provider> {
        let Some(keeping) = self.keeping(shelf) else { return provider };
        let Some(source) = self.source(target) else { return provider };
        Arc::new(Cache::new(provider, source, keeping, Arc::clone(self.answers())))
    }

    /// These judges, each behind the answers that the job's journal has. For requests that leave
    /// the cache out: what an earlier attempt of the same job was told is no answer of another run.
    pub(super) fn journalled(&self, judges: &mut [Judge], journal: &Journal) {
        let store = Arc::new(JournalledAnswers::of(journal.clone()));
        let answers = Arc::new(Answers::new(Arc::clone(&self.inner.clock)).with_store(store));
        let keeping = Keeping { shelf: CacheNamespace::Judge, limits: ANSWER_LIMITS, accepts: judge::is_answer };
        for judge in judges {
            let provider = judge.provider.name().to_owned();
            let target = wiring::Target { provider: &provider, model: judge.model.as_deref() };
            if let Some(source) = self.source(&target) {
                let inner = Arc::clone(&judge.provider);
                judge.provider = Arc::new(Cache::new(inner, source, keeping, Arc::clone(&answers)));
            }
        }
    }

    fn keeping(&self, shelf: CacheNamespace) -> Option<Keeping> {
        let cache = &self.config().cache;
        match shelf {
            CacheNamespace::Generation => cache.enabled.then(|| Keeping {
                shelf,
                limits: NamespaceLimits { ttl: Duration::from_secs(cache.ttl_s), max_entries: cache.max_size },
                // What is empty once it is cleaned fails its phase, and would fail it again.
                accepts: |_, text| !clean(text).trim().is_empty(),
            }),
            CacheNamespace::Judge => Some(Keeping { shelf, limits: JUDGE_LIMITS, accepts: judge::is_answer }),
        }
    }

    /// Where the answers of `target` come from; `None` for those that are not kept.
    fn source(&self, target: &wiring::Target<'_>) -> Option<Source> {
        let settings = self.inner.registry.settings(target.provider)?;
        let script = match (settings.kind, &settings.script) {
            (ProviderKind::Builtin, _) => return None,
            (ProviderKind::Sim, Some(path)) => {
                let script = String::from_utf8(files::read_own(path, MOST_SCRIPT_BYTES).ok()?).ok()?;
                // What it plays from another file may change without it.
                if script.contains("cassette:") {
                    return None;
                }
                Some(script)
            }
            _ => None,
        };
        let configured = self.config().providers.get(target.provider);
        Some(Source {
            provider: target.provider.to_owned(),
            kind: settings.kind,
            base_url: settings.base_url.clone(),
            headers: configured.map(ProviderConfig::plain_headers).unwrap_or_default(),
            model: target.model.map(str::to_owned),
            script,
        })
    }

    /// What all runs of this process share. Touches nothing until the first look-up.
    fn answers(&self) -> &Arc<Answers> {
        self.inner.answers.get_or_init(|| {
            let file = Arc::new(SqliteAnswers::open(&self.paths().cache));
            Arc::new(Answers::new(Arc::clone(&self.inner.clock)).with_store(file))
        })
    }

    /// What is in the file of the cache; nothing to say where there is none.
    pub(super) fn check_cache(&self) -> Option<Check> {
        const NAME: &str = "cache";
        let path = &self.paths().cache;
        if !path.exists() {
            return None;
        }
        let shown = path.display();
        Some(match SqliteAnswers::open(path).inventory() {
            Ok(kept) => {
                let kibibytes = kept.bytes.div_ceil(1024);
                Check::ok(NAME, format!("{shown} holds {} answers, {kibibytes} KiB; it may be deleted", kept.entries))
            }
            Err(reason) => Check::warning(
                NAME,
                format!("{shown} cannot be used ({reason}); runs continue without it, and it may be deleted"),
            ),
        })
    }
}
