//! Draws the Judge from the model. Changes nothing.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::layout::layout;
use super::{first_row, judge_name};
use crate::tui::model::Model;
use crate::tui::model::judge::{JudgingView, ReportRole, Row};
use crate::tui::screens::chrome::{self, header, hints, inner, pane, place, spinner, too_small};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::{cost, duration, interval, score, tokens};
use crate::tui::widgets::safe::{safe, safe_line};
use crate::tui::widgets::wrapped::Wrapped;

/// Draws the screen, without overlays.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    let area = frame.area();
    let layout = layout(model, area);
    if layout.is_tiny {
        return too_small(frame, area, theme);
    }
    header(model, layout.chrome.header, frame, theme);
    if model.judge.prompts.is_empty() {
        empty(model, layout.said, frame, theme);
    } else {
        table(model, layout.table, frame, theme);
        said(model, layout.said, frame, theme);
        facts(model, layout.facts, frame, theme);
    }
    chrome::run_status(model, status(model, theme), layout.chrome.status, frame, theme);
    hints(model, layout.chrome.hints, frame, theme);
}

/// The ranking: rank, strength with its interval, wins, and whether both orders agreed.
fn table(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let judge = &model.judge;
    let mut title = vec![Span::styled(" Ranking", theme.strong)];
    if let Some(judged) = &judge.judged {
        if judged.is_live() {
            title.push(Span::styled(format!(" {}", spinner(model)), theme.live));
        }
        if let Some(name) = judge_name(judged) {
            title.push(Span::styled(format!(" · judge {}", safe_line(&name)), theme.muted));
        }
    }
    title.push(Span::raw(" "));
    let block = pane(Line::from(title), true, theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    // The minimum size has no room for the plot.
    let plot = match usize::from(inner.width).saturating_sub(63) {
        ..13 => 0,
        room => room.min(60),
    };
    let axis = match plot {
        0 => "",
        1..30 => "90 % interval",
        _ => "0 to 1, with the 90 % interval",
    };
    let head = format!(
        "  {:<5}{:<10}{:>9}  {axis:<plot$}  {:>4}{:>7}{:>5}  {}",
        "rank", "prompt", "win prob.", "wins", "losses", "ties", "order swap"
    );
    let mut areas = inner.rows();
    if let Some(row) = areas.next() {
        frame.render_widget(Line::styled(head, theme.muted), row);
    }
    let rows = judge.rows();
    let skip = first_row(model, inner.height);
    let below = rows.len().saturating_sub(skip + usize::from(inner.height).saturating_sub(1));
    chrome::say_hidden(frame, area, skip, below, theme);
    for (area, (at, row)) in areas.zip(rows.iter().enumerate().skip(skip)) {
        let line = line(row, at, plot, judge.winner().is_some(), theme);
        chrome::list_row(frame, area, line, at == judge.marked, theme);
    }
}

fn line(row: &Row<'_>, at: usize, plot: usize, is_concluded: bool, theme: &Theme) -> Line<'static> {
    let is_best = is_concluded && at == 0;
    let rank = match (is_concluded, is_best) {
        (false, _) => glyph::QUEUED.to_owned(),
        (true, true) => format!("1 {}", glyph::BEST),
        (true, false) => (at + 1).to_string(),
    };
    let (strength, bar) = row.strength.map_or_else(
        || ("-".to_owned(), String::new()),
        |(value, [low, high])| (score(value), interval(low, value, high, plot)),
    );
    let [won, lost, even] = row.tally;
    let (alike, all) = row.orders;
    let differ = if alike < all { format!(" {}", glyph::WARNING) } else { String::new() };
    let agree = if plot == 0 { "" } else { " agree" };
    let orders = if all == 0 { "-".to_owned() } else { format!("{alike} of {all}{agree}{differ}") };
    let style = if is_best { theme.gold } else { theme.text };
    Line::from(vec![
        Span::styled(format!("  {rank:<5}"), style),
        Span::styled(format!("{:<10}", row.chosen.label), theme.strong),
        Span::styled(format!("{strength:>9}  "), style),
        Span::styled(format!("{bar:<plot$}"), theme.gold),
        Span::styled(format!("  {won:>4}{lost:>7}{even:>5}  "), theme.text),
        Span::styled(orders, if alike < all { theme.warning } else { theme.muted }),
    ])
}

/// The choice and its reasons, then each comparison, the newest first.
fn said(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let judge = &model.judge;
    let count = judge.comparisons().len();
    let title = match (judge.live(), count) {
        (Some(_), 0) => " Waiting for the judge ".to_owned(),
        (Some(_), count) => format!(" Comparisons, {count} so far "),
        (None, _) => " Why ".to_owned(),
    };
    let inner = inner(area);
    let below = judge.said_rows().saturating_sub(judge.top + usize::from(inner.height));
    let mut block = pane(Line::styled(title, theme.strong), false, theme);
    if let Some(place) = place(judge.top, below) {
        block = block.title_bottom(Line::styled(place, theme.muted).right_aligned());
    }
    frame.render_widget(block, area);
    let buffer = frame.buffer_mut();
    for (y, (kind, row)) in (inner.top()..inner.bottom()).zip(judge.said.rows(judge.top)) {
        let style = match kind {
            ReportRole::Heading => theme.strong,
            ReportRole::Text => theme.text,
            ReportRole::Warning => theme.warning,
        };
        buffer.set_stringn(inner.x + 1, y, row, inner.width.saturating_sub(2).into(), style);
    }
}

/// The task, the judge, and what is known of the judge.
fn facts(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    let block = pane(Line::styled(" How it was judged ", theme.strong), false, theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let judge = &model.judge;
    let task = judge.task.clone().unwrap_or_else(|| model.spell("their original request ({task} changes it)"));
    let mut facts = vec![format!("for: {}", safe_line(&task))];
    if let Some(result) = judge.judged.as_ref().and_then(JudgingView::result) {
        let mut weights: Vec<(&String, &f64)> = result.criteria.iter().collect();
        weights.sort_by(|a, b| b.1.total_cmp(a.1));
        let weights: Vec<String> = weights.iter().map(|(name, weight)| format!("{weight:.2} {name}")).collect();
        facts.push(format!("criteria: {}", safe_line(&weights.join(" + "))));
        facts.push(match result.audit_age_days {
            Some(days) => format!("the judge was tested {days:.0} days ago"),
            None => "the judge itself was never tested: `aludel judge audit` does that".to_owned(),
        });
        facts.extend(result.orders());
        if result.missing > 0 {
            facts.push(format!("{} without a valid answer (not counted)", result.missing));
        }
    }
    let mut areas = inner.rows();
    for fact in facts {
        for text in Wrapped::of(safe(&fact), inner.width.saturating_sub(2)).rows(0) {
            let Some(row) = areas.next() else { return };
            frame.render_widget(Line::styled(format!(" {text}"), theme.text), row);
        }
    }
}

/// The state of the judging, and its cost.
fn status(model: &Model, theme: &Theme) -> Vec<Span<'static>> {
    let Some(judged) = &model.judge.judged else { return vec![Span::styled(" no judgement yet", theme.muted)] };
    if judged.is_live() {
        let elapsed = duration(model.now.saturating_sub(judged.since));
        return vec![Span::styled(format!(" {} waiting for the judge · {elapsed}", spinner(model)), theme.live)];
    }
    match (judged.result(), judged.failure()) {
        (Some(result), _) => {
            let metadata = &result.model_metadata;
            let took = judged.took.map(duration).unwrap_or_default();
            let said = match (result.confident, result.is_close()) {
                (true, _) => "judged",
                (false, true) => "too close to call",
                (false, false) => "judged, not certain",
            };
            let style = if result.confident { theme.good } else { theme.warning };
            vec![
                Span::styled(format!(" {} {said}", glyph::DONE), style),
                Span::styled(
                    format!(" · {} · {} · {took}", tokens(metadata.total_tokens, metadata.estimated), cost(metadata)),
                    theme.muted,
                ),
            ]
        }
        (None, Some(_)) if judged.asks.is_some() => {
            vec![Span::styled(format!(" {} asks first", glyph::ASKS), theme.warning)]
        }
        (None, failure) => {
            let mut spans = vec![match failure {
                Some(problem) => Span::styled(format!(" {} {}", glyph::FAILED, problem.code), theme.bad),
                None => Span::styled(format!(" {} stopped", glyph::STOPPED), theme.warning),
            }];
            spans.extend(
                judged.view.spent.as_ref().map(|spent| Span::styled(format!(" · {}", cost(spent)), theme.muted)),
            );
            spans
        }
    }
}

/// The message shown before anything is judged.
fn empty(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let block = pane(Line::styled(" Judge ", theme.strong), true, theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let text = model.spell(
        "Nothing is judged yet.\n\n{mark} marks a prompt, on the Workbench or in the History; {judge} has a judge choose \
         among the marked ones, each pair in both orders, and tells how sure the choice is. Without marks it chooses among \
         what the run has finished.",
    );
    for (row, text) in inner.rows().skip(1).zip(Wrapped::of(text, inner.width.saturating_sub(4)).rows(0)) {
        frame.render_widget(Line::styled(format!("  {text}"), theme.text), row);
    }
}
