//! Draws the Spending from the model. Changes nothing.

use aludel_core::domain::{SpendBy, SpendCaps, SpendTotals, StatsTotals};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::{screen_layout, title};
use crate::tui::model::Model;
use crate::tui::model::spend::{Day, Spent};
use crate::tui::screens::chrome::{self, header, hints, pane, place as place_of, spinner, too_small};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::chart::{columns, squeezed};
use crate::tui::widgets::figures::{bar, dollars, duration, thousands};
use crate::tui::widgets::safe::{safe, safe_line};
use crate::tui::widgets::wrapped::Wrapped;

/// Columns of the numbers after a name: calls, tokens in, tokens out, cost.
const NUMBERS: [usize; 4] = [7, 12, 12, 14];
/// Below this many columns, bars are left out.
const BARS: usize = 70;

/// Draws the screen, without overlays.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    let area = frame.area();
    let Some(place) = screen_layout(model, area) else { return too_small(frame, area, theme) };
    header(model, place.chrome.header, frame, theme);
    list(model, place.list, frame, theme);
    let (left, right) = if place.details.width >= 110 {
        let half = place.details.width / 2;
        let right = Rect { x: place.details.x + half, width: place.details.width - half, ..place.details };
        (Rect { width: half, ..place.details }, Some(right))
    } else {
        (place.details, None)
    };
    said(model, left, frame, theme);
    if let Some(right) = right {
        picture(model, right, frame, theme);
    }
    status(model, place.chrome.status, frame, theme);
    hints(model, place.chrome.hints, frame, theme);
}

fn list(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let spend = &model.spend;
    let title = title(model).concat();
    let (said, style) = match (&spend.problem, spend.asked) {
        (_, Some(_)) => (format!(" {} adding up ", spinner(model)), theme.live),
        (Some(problem), None) => (format!(" {} {} ", glyph::FAILED, problem.code), theme.bad),
        (None, None) => (String::new(), theme.muted),
    };
    let mut block =
        pane(Line::styled(title, theme.strong), true, theme).title_top(Line::styled(said, style).right_aligned());
    let inner = block.inner(area);
    let visible = usize::from(inner.height).saturating_sub(2);
    if let Some(place) = place_of(spend.top, spend.lines().saturating_sub(spend.top + visible)) {
        block = block.title_bottom(Line::styled(place, theme.muted).right_aligned());
    }
    frame.render_widget(block, area);
    if let Some(problem) = &spend.problem {
        let again = model.spell("{reload} tries again");
        return paragraphs(frame, inner, theme, &[(&problem.detail, theme.text), (&again, theme.muted)]);
    }
    let Some(spent) = &spend.spent else {
        return paragraphs(frame, inner, theme, &[("computing the totals", theme.muted)]);
    };
    if spent.report.lines.is_empty() {
        let says = model.spell("No paid calls in that time. {spend-range} changes the time.");
        return paragraphs(frame, inner, theme, &[(&says, theme.text)]);
    }
    table(spend.top, spent, inner, frame, theme);
}

/// Rows of text with a margin.
fn paragraphs(frame: &mut Frame<'_>, area: Rect, theme: &Theme, texts: &[(&str, Style)]) {
    let mut lines = vec![Line::styled(String::new(), theme.text)];
    for (text, style) in texts {
        let wrapped = Wrapped::of(safe(text), area.width.saturating_sub(6));
        lines.extend(wrapped.rows(0).map(|row| Line::styled(format!("   {row}"), *style)));
    }
    // A single row holds text, not the margin.
    let skip = usize::from(area.height == 1);
    for (row, line) in area.rows().zip(lines.into_iter().skip(skip)) {
        frame.render_widget(line, row);
    }
}

/// The column titles, the visible lines, and the sum, which is always visible.
fn table(top: usize, spent: &Spent, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let width = usize::from(area.width);
    let numbers: usize = NUMBERS.iter().sum();
    let (name, bars) = if width >= BARS {
        let name = (width - numbers - 2).clamp(12, 30);
        (name, width.saturating_sub(name + numbers + 3))
    } else {
        (width.saturating_sub(numbers + 1), 0)
    };
    let by = spent.report.by;
    let mut rows = area.rows();
    if let Some(row) = rows.next() {
        let line =
            Columns { name, bars: None }.line(by.as_str(), ["calls", "tokens in", "tokens out", "cost"], theme.muted);
        frame.render_widget(line, row);
    }
    let most = spent.report.lines.iter().map(|line| weight(&line.totals, spent)).fold(0.0, f64::max);
    let seen = usize::from(area.height).saturating_sub(2);
    for (row, line) in rows.by_ref().zip(spent.report.lines.iter().skip(top).take(seen)) {
        let key = if by == SpendBy::Tag && line.key.is_empty() { "(no tag)".to_owned() } else { safe_line(&line.key) };
        let share = if most > 0.0 { weight(&line.totals, spent) / most } else { 0.0 };
        let columns = Columns { name, bars: (bars > 4).then_some((share, bars)) };
        frame.render_widget(columns.of(&key, &line.totals, theme), row);
    }
    if let Some(row) = rows.next() {
        let line = Columns { name, bars: None }.of("total", &spent.report.total, theme);
        frame.render_widget(line.style(theme.strong), row);
    }
}

/// The length of a bar: money, or tokens if nothing cost any.
fn weight(totals: &SpendTotals, spent: &Spent) -> f64 {
    if spent.report.total.known_cost_usd > 0.0 {
        totals.known_cost_usd
    } else {
        (totals.input_tokens + totals.output_tokens) as f64
    }
}

/// The columns of a row.
struct Columns {
    name: usize,
    /// The share and the columns of a bar.
    bars: Option<(f64, usize)>,
}

impl Columns {
    fn of(&self, name: &str, totals: &SpendTotals, theme: &Theme) -> Line<'static> {
        let numbers = [thousands(totals.calls), thousands(totals.input_tokens), thousands(totals.output_tokens)];
        let [calls, input, output] = &numbers;
        let mut line =
            self.line(name, [calls, input, output, &cost(totals.cost_usd, totals.known_cost_usd)], theme.text);
        if let Some((share, width)) = self.bars {
            let (full, rest) = bar(share, width);
            line.push_span(Span::raw("  "));
            line.push_span(Span::styled(full, theme.gold));
            line.push_span(Span::styled(rest, theme.muted));
        }
        line
    }

    fn line(&self, name: &str, numbers: [&str; 4], style: Style) -> Line<'static> {
        let mut text = format!(" {}", cut(name, self.name.saturating_sub(1)));
        let room = (self.name + 1).saturating_sub(text.width());
        text.extend(std::iter::repeat_n(' ', room));
        text.extend(numbers.into_iter().zip(NUMBERS).map(|(number, width)| format!("{number:>width$}")));
        Line::styled(text, style)
    }
}

fn cut(text: &str, width: usize) -> String {
    use unicode_width::UnicodeWidthChar;
    let mut used = 0;
    text.chars()
        .take_while(|letter| {
            used += letter.width().unwrap_or(0);
            used <= width
        })
        .collect()
}

/// `$1.25`; `$1.25 + ?` where a price in it is unknown.
fn cost(cost_usd: Option<f64>, known_usd: f64) -> String {
    match (cost_usd, known_usd > 0.0) {
        (Some(_), _) => dollars(cost_usd),
        (None, true) => format!("{} + ?", dollars(Some(known_usd))),
        (None, false) => "$?".to_owned(),
    }
}

/// The caps, what the sum leaves out, and what is stored.
fn said(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let block = pane(Line::styled(" Budgets and storage ", theme.strong), false, theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let Some(spent) = &model.spend.spent else { return };
    let mut lines = Vec::new();
    let mut say = |text: &str, style: Style| {
        for row in Wrapped::of(safe(text), inner.width.saturating_sub(2)).rows(0) {
            lines.push(Line::styled(format!(" {row}"), style));
        }
    };
    for (text, is_urgent) in caps(&spent.report.caps) {
        say(&text, if is_urgent { theme.warning } else { theme.text });
    }
    for text in unknowns(&spent.report.total) {
        say(&format!("{} {text}", glyph::WARNING), theme.warning);
    }
    for text in stored(&spent.stored) {
        say(&text, theme.muted);
    }
    for (row, line) in inner.rows().zip(lines) {
        frame.render_widget(line, row);
    }
}

/// The caps in force, each with whether it is nearly used up.
fn caps(caps: &SpendCaps) -> Vec<(String, bool)> {
    let mut said = Vec::new();
    match (caps.daily_budget_usd, caps.left_today_usd) {
        (Some(budget), Some(left)) => {
            let used = caps.used_today_usd;
            let text = format!("daily budget ${budget:.2}: ${used:.4} used or reserved today (UTC), ${left:.4} left");
            said.push((text, left < budget * 0.1));
        }
        _ => said
            .push(("no daily budget is set; `aludel config set spend.daily_budget_usd 5` sets one".to_owned(), false)),
    }
    said.extend(caps.preflight_usd.map(|most| (format!("a run that may cost more than ${most:.2} asks first"), false)));
    said
}

/// What the sum leaves out.
fn unknowns(total: &SpendTotals) -> Vec<String> {
    let calls = |count: u64| if count == 1 { "1 call".to_owned() } else { format!("{} calls", thousands(count)) };
    let mut said = Vec::new();
    if total.unpriced > 0 {
        said.push(format!("{} to models of unknown price: not in the total", calls(total.unpriced)));
    }
    if total.unseen > 0 {
        let most = dollars(Some(total.unseen_usd));
        said.push(format!("{} unconfirmed: up to {most} more", calls(total.unseen)));
    }
    if total.failed > 0 {
        said.push(format!("{} refused by the provider, free of charge", calls(total.failed)));
    }
    said
}

/// What is stored from that period.
fn stored(totals: &StatsTotals) -> Vec<String> {
    if totals.prompts == 0 {
        return vec!["no stored prompts in that time".to_owned()];
    }
    let prompts =
        if totals.prompts == 1 { "1 prompt".to_owned() } else { format!("{} prompts", thousands(totals.prompts)) };
    let mut said = vec![format!(
        "stored: {prompts}, {} steps, {} tokens, {}",
        thousands(totals.steps),
        thousands(totals.total_tokens),
        cost(totals.cost_usd, totals.known_cost_usd)
    )];
    if let Some(spread) = &totals.latency_ms {
        said.push(format!("step latency: median {}, 95th percentile {}", duration(spread.p50), duration(spread.p95)));
    }
    if totals.cached + totals.retries + totals.fallbacks > 0 {
        said.push(format!(
            "{} cached, {} retried, {} by a fallback",
            thousands(totals.cached),
            thousands(totals.retries),
            thousands(totals.fallbacks)
        ));
    }
    said
}

/// The spending of each day, as columns.
fn picture(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let Some(spent) = &model.spend.spent else {
        return frame.render_widget(pane(Line::styled(" Day by day ", theme.strong), false, theme), area);
    };
    let costs: Vec<f64> = spent.days.iter().map(|day| day.cost_usd).collect();
    let paid = costs.iter().any(|cost| *cost > 0.0);
    let values = if paid { costs } else { spent.days.iter().map(|day| day.tokens as f64).collect() };
    let title = if paid { " Day by day, US dollars " } else { " Day by day, tokens " };
    let block = pane(Line::styled(title, theme.strong), false, theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let most = values.iter().copied().fold(0.0, f64::max);
    let (values, each) = squeezed(&values, usize::from(inner.width.saturating_sub(2)));
    let wide = (usize::from(inner.width.saturating_sub(2)) / values.len().max(1)).clamp(1, 3);
    let height = usize::from(inner.height.saturating_sub(2)).min(8);
    let mut rows = inner.rows();
    for (row, text) in rows.by_ref().zip(columns(&values, height)) {
        let text: String = text.chars().flat_map(|letter| std::iter::repeat_n(letter, wide)).collect();
        frame.render_widget(Line::styled(format!(" {text}"), theme.gold), row);
    }
    if let (Some(row), Some(first), Some(last)) = (rows.next(), spent.days.first(), spent.days.last()) {
        frame.render_widget(Line::styled(ends(first, last, values.len() * wide), theme.muted), row);
    }
    if let Some(row) = rows.next() {
        let says = match (most > 0.0, paid) {
            (false, _) => "no paid calls in these days".to_owned(),
            (true, true) => format!("most expensive day: {}", dollars(Some(most))),
            (true, false) => format!("busiest day: {most:.0} tokens"),
        };
        let days = if each == 1 { String::new() } else { format!(", a column is {each} days") };
        frame.render_widget(Line::styled(format!(" {says}{days}"), theme.muted), row);
    }
}

/// The first and the last day, below their columns.
fn ends(first: &Day, last: &Day, width: usize) -> String {
    let room = width.saturating_sub(first.name.len() + last.name.len()).max(1);
    format!(" {}{}{}", first.name, " ".repeat(room), last.name)
}

/// The sum; a passing message or the run on the Workbench on the right.
fn status(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let left = model.spend.spent.as_ref().map(|spent| {
        let total = &spent.report.total;
        let says = format!(" {} calls · {}", thousands(total.calls), cost(total.cost_usd, total.known_cost_usd));
        Span::styled(says, theme.muted)
    });
    chrome::run_status(model, left.into_iter().collect(), area, frame, theme);
}
