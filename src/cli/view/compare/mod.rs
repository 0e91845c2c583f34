//! Prompts side by side: a table of figures, the diff of two in columns, the judge's choice.
//!
//! For a terminal, as a Markdown document, and as an HTML page ([`html`]).

mod columns;
mod html;

use aludel_core::domain::{CompareResult, DiffOp, DiffPart, Prompt};
use aludel_core::text::diff;

use super::page::{Page, Role};
use super::prompt::by;
use super::select::{document_of_judged, judged, sureness};
use super::table::{Column, Table};
use super::words::{count_of, money, one_line, thousands};

pub(crate) use html::page_of_comparison;

/// The least width for two texts side by side; in less, they are hard to read.
const NARROWEST: usize = 60;

/// Writes the comparison.
pub(crate) fn comparison(page: &mut Page, result: &CompareResult) {
    page.paragraph(Role::Body, &summary(result), 0);
    page.gap();
    figures(result).write(page);
    if let Some(parts) = &result.diff {
        page.gap();
        difference(page, &result.prompts, parts);
    }
    if let Some(selected) = &result.selection {
        page.gap();
        judged(page, selected);
    }
}

/// One sentence about what was compared.
fn summary(result: &CompareResult) -> String {
    let same = result.similarity * 100.0;
    let prompts = count_of(result.prompts.len() as u64, "prompt");
    match &result.diff {
        None => format!("{prompts}; on average two of them have {same:.0} % of their words in common"),
        Some(parts) if parts.iter().all(|part| part.op == DiffOp::Equal) => {
            format!("{prompts} with the same content")
        }
        Some(parts) => {
            let count = changes(parts);
            let changed = count_of(count, "change");
            format!("{prompts}, {changed}; {same:.0} % unchanged")
        }
    }
}

/// The number of changes: a replaced word counts once.
fn changes(parts: &[DiffPart]) -> u64 {
    let replaced = parts.windows(2).filter(|pair| pair[0].op == DiffOp::Delete && pair[1].op == DiffOp::Insert).count();
    (parts.iter().filter(|part| part.op != DiffOp::Equal).count() - replaced) as u64
}

/// The label of a prompt's column: a letter, or a number past the alphabet.
fn label(at: usize) -> String {
    match u8::try_from(at) {
        Ok(at) if at < 26 => char::from(b'A' + at).to_string(),
        _ => (at + 1).to_string(),
    }
}

/// A row for each prompt: scores, sizes, cost and model.
fn figures(result: &CompareResult) -> Table {
    let names = score_names(result);
    let mut columns = vec![Column::words(""), Column::words("prompt").painted(Role::Handle)];
    columns.extend(names.iter().map(|name| Column::numbers(*name)));
    columns.extend(["words", "tokens", "cost"].map(Column::numbers));
    columns.push(Column::words("by"));
    let mut table = Table::new(columns);
    for (at, prompt) in result.prompts.iter().enumerate() {
        let mut row = vec![label(at), prompt.id.short()];
        row.extend(names.iter().map(|name| score(result, name, at)));
        let size = result.sizes.get(at).copied().unwrap_or_default();
        row.extend([thousands(size.words), thousands(size.tokens), money(prompt.model_metadata.cost_usd)]);
        row.push(one_line(&by(&prompt.provider, &prompt.model)));
        table.row(row);
    }
    table
}

/// The score first, then its components.
fn score_names(result: &CompareResult) -> Vec<&str> {
    let score = aludel_core::compare::SCORE;
    let others = result.scores.keys().map(String::as_str).filter(|name| *name != score);
    std::iter::once(score).chain(others).collect()
}

fn score(result: &CompareResult, name: &str, at: usize) -> String {
    let value = result.scores.get(name).and_then(|values| values.get(at)).copied().flatten();
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
}

/// The two texts side by side, or one text with the changes in it if there is too little room.
fn difference(page: &mut Page, prompts: &[Prompt], parts: &[DiffPart]) {
    let title = |at: usize| prompts.get(at).map(|it| format!("{} {}", label(at), it.id.short())).unwrap_or_default();
    if page.width() < NARROWEST {
        page.rule(&format!("{} to {}", title(0), title(1)));
        let text: String = parts.iter().map(inline).collect();
        return page.text(&text);
    }
    page.rule(&format!("{} and {}, word by word", title(0), title(1)));
    for line in columns::side_by_side(parts, page.width(), page.paint()) {
        page.line(line);
    }
}

fn inline(part: &DiffPart) -> String {
    match part.op {
        DiffOp::Equal => part.text.clone(),
        DiffOp::Delete => format!("[-{}-]", part.text),
        DiffOp::Insert => format!("{{+{}+}}", part.text),
    }
}

/// The comparison as a Markdown document.
pub(crate) fn document_of_comparison(result: &CompareResult) -> String {
    let mut text = format!("# Comparison\n\n{}.\n\n{}", summary(result), figures(result).document());
    if let (Some(_), [first, second]) = (&result.diff, result.prompts.as_slice()) {
        // In a diff code block many viewers colour the lines, and no prompt is taken for Markdown.
        let body = diff::unified(&first.content, &second.content);
        let fence = "`".repeat(longest_run_of_ticks(&body).max(2) + 1);
        text.extend(["\n## Difference\n\n", &fence, "diff\n", &body, &fence, "\n"]);
    }
    if let Some(selected) = &result.selection {
        text.extend([
            "\n## The judge\n\n",
            &sureness(selected),
            "\n\n",
            &document_of_judged(selected).replace("## ", "### "),
        ]);
    }
    text
}

fn longest_run_of_ticks(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
