//! `export`, `import`, `migrate --from`: prompts to and from text, and from the Go program.

use std::io::{Read, Seek};
use std::path::Path;
use std::sync::Arc;

use super::Engine;
use crate::api::{ExportRequest, ImportAlchemyRequest, ImportRequest};
use crate::domain::{Operation, limits};
use crate::error::Result;
use crate::event::run::Run;
use crate::event::{Outcome, part};
use crate::pipeline::Reporter;
use crate::store::sqlite::alchemy::AlchemyFile;
use crate::transfer::{self, Export, ExportedPrompts, Input, Stage, TransferFormat, TransferProgress};

impl Engine {
    /// Exports prompts as text in pieces: all that pass the filters, or the newest of them.
    pub fn export(&self, request: &ExportRequest) -> Export {
        let filter = request.filters.clone().into_filter(self.inner.clock.now());
        Export::of(
            Arc::clone(self.store()),
            format_of(request.format.as_deref()).unwrap_or_default(),
            filter,
            request.limit,
        )
    }

    /// Like [`Engine::export`], in one piece: ten prompts if the request has no limit.
    ///
    /// # Errors
    /// `storage`.
    pub async fn export_bounded(&self, request: ExportRequest) -> Result<ExportedPrompts> {
        let total = self.store().count(request.filters.clone().into_filter(self.inner.clock.now())).await?;
        let limit = request.limit.or(Some(limits::DEFAULT_LIMIT));
        let request = ExportRequest { limit, ..request };
        let mut export = self.export(&request);
        let mut text = String::new();
        while let Some(piece) = export.next().await? {
            text.push_str(&piece);
        }
        let format = format_of(request.format.as_deref()).unwrap_or_default();
        Ok(ExportedPrompts { format, count: export.written(), total, text })
    }

    /// Stores the prompts of a file, which can then be listed and found by their words at once.
    /// [`Engine::keep_indexed`] starts to embed them at once unless the request says no; without it
    /// call [`Engine::embed_missing`].
    ///
    /// Dropping the run keeps what is stored; importing again stores the rest. Needs a tokio
    /// runtime. Fails with `validation_failed` and the faults of the file, storing nothing; with
    /// `file` when it cannot be read; with `storage`.
    pub fn import<R: Read + Seek + Send + 'static>(&self, request: ImportRequest, input: Input<R>) -> Run {
        let engine = self.clone();
        self.start_task(self.inner.ids.session(), Operation::Import, None, move |report| async move {
            let (store, now) = (engine.store().as_ref(), engine.inner.clock.now());
            let format = format_of(request.format.as_deref());
            let watch = move |progress| report_progress(&report, progress);
            let imported = transfer::import(store, format, request.dry_run, input, now, watch).await?;
            if request.makes_vectors() {
                engine.index_soon();
            }
            Ok(Outcome::Import(imported))
        })
    }

    /// Imports the database of the Go program prompt-alchemy, which is not changed. Vectors and
    /// dropping the run are as with [`Engine::import`]. Needs a tokio runtime.
    ///
    /// # Errors
    /// `file` when it cannot be read or is not that program's; the run also with `storage`.
    pub fn import_alchemy(&self, request: ImportAlchemyRequest, path: &Path) -> Result<Run> {
        let file = AlchemyFile::open(path)?;
        let engine = self.clone();
        let total = Some(file.rows());
        Ok(self.start_task(self.inner.ids.session(), Operation::Migrate, total, move |report| async move {
            let (store, now) = (engine.store().as_ref(), engine.inner.clock.now());
            let watch = move |progress| report_progress(&report, progress);
            let imported = transfer::alchemy::import(store, file, request.dry_run, now, watch).await?;
            if request.makes_vectors() {
                engine.index_soon();
            }
            Ok(Outcome::Migrate(imported))
        }))
    }
}

/// Reports the progress of an import.
fn report_progress(report: &Reporter, progress: TransferProgress) {
    let part = match progress.stage {
        Stage::Checking => part::CHECKING,
        Stage::Storing | Stage::Writing => part::STORING,
    };
    report.progress(part, progress.prompts, progress.total);
}

/// The format of this name, which is already validated.
fn format_of(name: Option<&str>) -> Option<TransferFormat> {
    name.and_then(TransferFormat::parse)
}
