//! Which vectors an embedder's own can be compared with, and what to say where there are none.

use std::sync::Arc;

use crate::domain::PromptId;
use crate::error::{Error, Result};
use crate::provider::embedding::Embedder;
use crate::store::{FindStore, Space, SpaceUse};

/// The space that this embedder's vectors belong to, where its dimensions are known.
pub fn of(embedder: &dyn Embedder) -> Option<Space> {
    let dimensions = u32::try_from(embedder.dimensions()?).ok()?;
    Some(Space { provider: embedder.provider().to_owned(), model: embedder.model().to_owned(), dimensions })
}

/// The stored vectors that can be searched with what this embedder makes. Where its dimensions are not known yet, those
/// that were written last of its model.
///
/// # Errors
/// `conflict` where there are none; `storage`.
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

/// A space as people write it: `provider/model`, with its dimensions.
pub fn name(space: &Space) -> String {
    format!("`{}/{}` ({} dimensions)", space.provider, space.model, space.dimensions)
}

/// Says that there is nothing to compare with, and that so many prompts lack a vector, where that is known.
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

/// Says that a prompt cannot be compared.
pub(super) fn lacks_a_vector(id: PromptId, space: &Space) -> Error {
    Error::Conflict(format!("prompt {id} has no vector of {} yet: `aludel reindex --vectors` makes it", name(space)))
}
