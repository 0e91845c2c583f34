//! Decides which responses are cached and for how long, by [`crate::provider::cache`].
//!
//! Generation responses are cached if `cache.enabled` is set, within `cache.ttl` and
//! `cache.max_size`. Judge responses are always cached: a comparison is asked at temperature 0, and
//! every selection among the same prompts asks it again. A request with `no_cache` uses neither
//! namespace, only the responses its own job received before it was interrupted. `builtin` is never
//! cached: it is free, deterministic and faster than a disk.

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
use crate::provider::cache::{AnswerCache, Cache, CacheNamespace, CachePolicy, NamespaceLimits, Source};
use crate::provider::sim::MOST_SCRIPT_BYTES;
use crate::store::sqlite::answers::SqliteAnswers;
use crate::text::clean::clean;

/// Judge responses expire before a model is likely to change behind its name; the file stays small.
const JUDGE_LIMITS: NamespaceLimits = NamespaceLimits { ttl: Duration::from_hours(30 * 24), max_entries: 10_000 };

impl Engine {
    /// Puts `provider`, which asks `target` first, behind the cache if this namespace is in use.
    pub(super) fn kept(
        &self,
        provider: Arc<dyn Provider>,
        target: &wiring::Target<'_>,
        namespace: CacheNamespace,
    ) -> Arc<dyn Provider> {
        let Some(policy) = self.policy(namespace) else { return provider };
        let Some(source) = self.source(target) else { return provider };
        Arc::new(Cache::new(provider, source, policy, Arc::clone(self.answers())))
    }

    /// Puts each judge behind the responses recorded in the job's journal. For requests that bypass
    /// the cache: responses from an earlier attempt at the same job still count.
    pub(super) fn journalled(&self, judges: &mut [Judge], journal: &Journal) {
        let store = Arc::new(JournalledAnswers::of(journal.clone()));
        let answers = Arc::new(AnswerCache::new(Arc::clone(&self.inner.clock)).with_store(store));
        let policy = CachePolicy { namespace: CacheNamespace::Judge, limits: ANSWER_LIMITS, accepts: judge::is_answer };
        for judge in judges {
            let provider = judge.provider.name().to_owned();
            let target = wiring::Target { provider: &provider, model: judge.model.as_deref() };
            if let Some(source) = self.source(&target) {
                let inner = Arc::clone(&judge.provider);
                judge.provider = Arc::new(Cache::new(inner, source, policy, Arc::clone(&answers)));
            }
        }
    }

    fn policy(&self, namespace: CacheNamespace) -> Option<CachePolicy> {
        let cache = &self.config().cache;
        match namespace {
            CacheNamespace::Generation => cache.enabled.then(|| CachePolicy {
                namespace,
                limits: NamespaceLimits { ttl: Duration::from_secs(cache.ttl_s), max_entries: cache.max_size },
                // A response that is empty after cleaning fails its phase, and would fail it again.
                accepts: |_, text| !clean(text).trim().is_empty(),
            }),
            CacheNamespace::Judge => Some(CachePolicy { namespace, limits: JUDGE_LIMITS, accepts: judge::is_answer }),
        }
    }

    /// The source of `target`'s responses, part of their cache key; `None` if they are not cached.
    fn source(&self, target: &wiring::Target<'_>) -> Option<Source> {
        let settings = self.inner.registry.settings(target.provider)?;
        let script = match (settings.kind, &settings.script) {
            (ProviderKind::Builtin, _) => return None,
            (ProviderKind::Sim, Some(path)) => {
                let script = String::from_utf8(files::read_own(path, MOST_SCRIPT_BYTES).ok()?).ok()?;
                // The cassette is another file, which can change without the script changing.
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

    /// The cache shared by all runs of this process. Opens nothing until the first look-up.
    fn answers(&self) -> &Arc<AnswerCache> {
        self.inner.answers.get_or_init(|| {
            let file = Arc::new(SqliteAnswers::open(&self.paths().cache));
            Arc::new(AnswerCache::new(Arc::clone(&self.inner.clock)).with_store(file))
        })
    }

    /// Checks the cache file; `None` if there is none.
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
