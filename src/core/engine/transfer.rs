//! `export`, `import`, `migrate --from`: prompts as text out, in again, and from the Go program's file.

use std::io::{Read, Seek};
use std::path::Path;
use std::sync::Arc;

use super::Engine;
use crate::api::{ExportRequest, ImportAlchemyRequest, ImportRequest, limits};
use crate::error::Result;
use crate::store::sqlite::alchemy::AlchemyFile;
use crate::transfer::{self, Export, ExportedPrompts, ImportReport, Input, TransferFormat, TransferProgress};

impl Engine {
    /// Prompts as a text that is pulled piece by piece: all that pass the filters, or the newest of them.
    pub fn export(&self, request: &ExportRequest) -> Export {
        let filter = request.filters.clone().into_filter(self.inner.clock.now());
        Export::of(
            Arc::clone(self.store()),
            format_of(request.format.as_deref()).unwrap_or_default(),
            filter,
            request.limit,
        )
    }

    /// As [`Engine::export`], in one piece: ten prompts where the request names no limit.
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

    /// Stores the prompts of a file, all or none of them as far as checks go. `watch` is told how far it is. What is
    /// stored can be listed and found by its words at once. Vectors come after this: the background of
    /// [`Engine::keep_indexed`] begins with them at once unless the request leaves them out; without it they are
    /// [`Engine::embed_missing`]'s.
    ///
    /// Dropping the future stops it; what is stored by then stays, and the same import continues with the rest.
    ///
    /// # Errors
    /// `validation_failed` with the faults of the file, nothing stored; `file` when it cannot be read; `storage`.
    pub async fn import<R: Read + Seek>(
        &self,
        request: ImportRequest,
        input: Input<R>,
        watch: impl FnMut(TransferProgress),
    ) -> Result<ImportReport> {
        let format = format_of(request.format.as_deref());
        let now = self.inner.clock.now();
        let report = transfer::import(self.store().as_ref(), format, request.dry_run, input, now, watch).await?;
        if request.makes_vectors() {
            self.index_soon();
        }
        Ok(report)
    }

    /// Stores the prompts of the Go program prompt-alchemy's database, which is left as it is. `watch` is told how far
    /// it is; vectors come after this, and dropping the future stops it, as with [`Engine::import`].
    ///
    /// # Errors
    /// `file` when it cannot be read or is none of that program's; `storage`.
    pub async fn import_alchemy(
        &self,
        request: ImportAlchemyRequest,
        path: &Path,
        watch: impl FnMut(TransferProgress),
    ) -> Result<ImportReport> {
        let file = AlchemyFile::open(path)?;
        let now = self.inner.clock.now();
        let report = transfer::alchemy::import(self.store().as_ref(), &file, request.dry_run, now, watch).await?;
        if request.makes_vectors() {
            self.index_soon();
        }
        Ok(report)
    }
}

/// The format of this name, which was checked.
fn format_of(name: Option<&str>) -> Option<TransferFormat> {
    name.and_then(TransferFormat::parse)
}
