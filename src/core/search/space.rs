//! Which vectors are comparable with an embedder's own, and the errors if there are none.

use std::sync::Arc;

use crate::domain::PromptId;
use crate::error::{Error, Result};
use crate::provider::embedding::Embedder;
use crate::store::{FindStore, Space, SpaceUse};

/// The space of this embedder's vectors, if its dimensions are known.
pub fn of(embedder: &dyn Embedder) -> Option<Space> {
    let dimensions = u32::try_from(embedder.dimensions()?).ok()?;
    Some(Space { provider: embedder.provider().to_owned(), model: embedder.model().to_owned(), dimensions })
}

/// The stored vectors comparable with this embedder's. If its dimensions are unknown, the most
/// recently written ones of its model.
///
/// # Errors
/// `conflict` if there are none; `storage`.
pub async fn searchable(store: &Arc<dyn FindStore>, embedder: &dyn Embedder) -> Result<SpaceUse> {
    let spaces = store.spaces().await?;
    let fits = |space: &Space| {
        space.provider == embedder.provider()
            && space.model == embedder.model()
            && embedder.dimensions().is_none_or(|dimensions| dimensions == space.dimensions as usize)
    };
    match spaces.iter().find(|used| used.prompts > 0 && fits(&used.space)) {
        Some(used) => Ok(used.clone()),
        None => {
            let missing = match of(embedder) {
                Some(space) => store.count_unembedded(space).await?,
                None => 0,
            };
            Err(no_vectors(embedder, &spaces, missing))
        }
    }
}

/// A space in messages: `provider/model` and dimensions.
pub fn name(space: &Space) -> String {
    format!("`{}/{}` ({} dimensions)", space.provider, space.model, space.dimensions)
}

/// The error that no vectors are comparable, with the number of prompts that lack one, if known.
fn no_vectors(embedder: &dyn Embedder, spaces: &[SpaceUse], missing: u64) -> Error {
    let wanted = match of(embedder) {
        Some(space) => name(&space),
        None => format!("`{}/{}`", embedder.provider(), embedder.model()),
    };
    let others = spaces.iter().find(|used| used.prompts > 0).map(|other| {
        let Space { provider, model, .. } = &other.space;
        let prompts = if other.prompts == 1 { "1 prompt".to_owned() } else { format!("{} prompts", other.prompts) };
        let there = name(&other.space);
        format!(
            "; {prompts} have one of {there}, for which `generation.default_embedding_model: {provider}/{model}` asks"
        )
    });
    let others = others.unwrap_or_default();
    let missing = match missing {
        0 => String::new(),
        1 => " (1 prompt has none)".to_owned(),
        missing => format!(" ({missing} prompts have none)"),
    };
    let detail = format!(
        "there are no vectors of {wanted} to search by meaning{missing}: `aludel reindex --vectors` makes them for every stored prompt, and \
         a running server or workbench does so in the background{others}"
    );
    Error::Conflict(detail)
}

/// The error that a prompt has no vector.
pub(super) fn lacks_a_vector(id: PromptId, space: &Space) -> Error {
    Error::Conflict(format!("prompt {id} has no vector of {} yet: `aludel reindex --vectors` makes it", name(space)))
}
