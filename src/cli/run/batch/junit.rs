//! The report of a batch for CI systems: JUnit's XML, a test case a row.
//!
//! The form is the one that Jenkins, GitLab and GitHub's actions read
//! (<https://github.com/testmoapp/junitxml>).

use aludel_core::domain::{BatchRow, RowStatus, SessionId};
use aludel_core::pipeline::RowResults;
use aludel_core::text::shown::escape_line;

use crate::cli::failure::CommandResult;
use crate::cli::run::output_file::OutputFile;

/// Writes the rows that are done. Holds their test cases, because the counts come first.
pub(super) async fn write(file: OutputFile<'_>, mut rows: RowResults, id: SessionId) -> CommandResult {
    let mut cases = String::new();
    let (mut total, mut failed, mut time) = (0_u64, 0_u64, 0.0);
    while let Some(row) = rows.next().await? {
        total += 1;
        failed += u64::from(row.status == RowStatus::Failed);
        time += seconds(&row);
        cases.push_str(&case(&row));
    }
    let mut whole = file.begin()?;
    whole.write(&format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"aludel batch {}\" tests=\"{total}\" \
         failures=\"{failed}\" errors=\"0\" skipped=\"0\" time=\"{time:.3}\">\n",
        id.short()
    ))?;
    whole.write(&cases)?;
    whole.write("</testsuite>\n</testsuites>\n")?;
    whole.finish()?;
    Ok(())
}

/// The time that the calls of a row took.
fn seconds(row: &BatchRow) -> f64 {
    row.result.as_ref().map_or(0.0, |result| result.model_metadata.latency_ms as f64 / 1000.0)
}

fn case(row: &BatchRow) -> String {
    let head = format!(
        "<testcase classname=\"row {}\" name=\"{}\" time=\"{:.3}\"",
        row.row,
        escaped(&escape_line(&row.id)),
        seconds(row)
    );
    match &row.error {
        None => format!("{head}/>\n"),
        Some(error) => format!(
            "{head}>\n<failure type=\"{}\" message=\"{}\"/>\n</testcase>\n",
            error.code.as_str(),
            escaped(&escape_line(&error.detail))
        ),
    }
}

/// A line for an attribute. What XML 1.0 cannot hold becomes U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use aludel_core::error::{Error, Problem};

    use super::*;

    #[test]
    fn a_row_is_a_test_case_and_its_error_a_failure() {
        let ok = BatchRow { row: 1, id: "a & b".into(), status: RowStatus::Ok, result: None, error: None };
        assert_eq!(case(&ok), "<testcase classname=\"row 1\" name=\"a &amp; b\" time=\"0.000\"/>\n");
        let error = Some(Box::new(Problem::from(Error::Budget("a \"cap\" <1>".into()))));
        let failed = BatchRow { status: RowStatus::Failed, error, ..ok };
        let expected = "<failure type=\"budget_exceeded\" message=\"a &quot;cap&quot; &lt;1&gt;\"/>";
        assert!(case(&failed).contains(expected), "{}", case(&failed));
    }
}
