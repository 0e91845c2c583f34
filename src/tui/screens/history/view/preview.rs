//! The preview: the whole marked prompt with its steps.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::tui::model::Model;
use crate::tui::model::history::{Part, Role};
use crate::tui::screens::chrome::{pane, place};
use crate::tui::theme::Theme;

pub(super) fn view(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    let history = &model.history;
    let mut block = pane(Line::styled(" Preview ", theme.strong), history.focus == Part::Preview, theme);
    let Some(preview) = &history.preview else {
        return frame.render_widget(block, area);
    };
    let height = usize::from(block.inner(area).height);
    let top = preview.scroll.top;
    if let Some(place) = place(top, preview.len().saturating_sub(top + height)) {
        block = block.title_bottom(Line::styled(place, theme.muted).right_aligned());
    }
    let inner = block.inner(area);
    frame.render_widget(block, area);
    // While the marked prompt is being read, the old one is still shown.
    let is_stale = history.prompt().is_none();
    let buffer = frame.buffer_mut();
    for (y, (role, row)) in (inner.top()..inner.bottom()).zip(preview.rows(top)) {
        let style = match role {
            _ if is_stale => theme.muted,
            Role::Heading => theme.strong,
            Role::Text => theme.text,
            Role::Remark => theme.muted,
            Role::Warning => theme.warning,
        };
        buffer.set_stringn(inner.x, y, row, inner.width.into(), style);
    }
}
