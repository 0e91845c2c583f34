//! The commands and files in the README are valid.

use crate::support::Home;

const README: &str = include_str!("../../../README.md");

/// The README's code blocks in this language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fenced = README.split("\n```").skip(1).step_by(2);
    fenced.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).collect()
}

#[test]
fn every_configuration_in_the_readme_is_valid_and_binds_what_it_says() {
    let configurations = blocks("yaml");
    assert_eq!(configurations.len(), 2);
    for configuration in configurations {
        let home = Home::new();
        home.config(configuration);
        home.run(&["config", "validate"]).quietly_done();
        let said = home.run_with_env(&["validate"], &[("OPENAI_API_KEY", "canary-key-0123456789")]).done();
        assert!(!said.stdout.contains('✗') && !said.stdout.contains("canary"), "{}", said.stdout);
    }
}

#[test]
fn every_command_in_the_readme_exists() {
    let home = Home::new();
    let commands = blocks("sh").into_iter().flat_map(str::lines).filter_map(|line| line.split("aludel ").nth(1));
    let mut count = 0;
    for command in commands {
        let word = command.split_whitespace().next().expect("a command");
        home.run(&[word, "--help"]).quietly_done();
        count += 1;
    }
    assert!(count >= 10, "{count} commands were found");
}

/// The shell steps of a workflow, in order: what GitHub has in `run`, and GitLab in `script`.
fn steps(value: &serde_yaml::Value) -> Vec<String> {
    let text = |value: &serde_yaml::Value| value.as_str().map(str::to_owned);
    match value {
        serde_yaml::Value::Mapping(fields) => fields
            .iter()
            .flat_map(|(name, value)| match name.as_str() {
                Some("run") => text(value).into_iter().collect(),
                Some("script") => value.as_sequence().into_iter().flatten().filter_map(text).collect(),
                _ => steps(value),
            })
            .collect(),
        serde_yaml::Value::Sequence(items) => items.iter().flat_map(steps).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn the_steps_for_ci_run_as_they_stand() {
    let workflows = blocks("yml");
    assert_eq!(workflows.len(), 2);
    for workflow in workflows {
        let steps = steps(&serde_yaml::from_str(workflow).expect("YAML"));
        assert_eq!(steps.len(), 2, "{workflow}");
        let home = Home::new();
        home.write("prompts/rows.csv", "id,input,count\nbakery,Name a bakery,2\nthanks,Thank a customer,1\n");
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_aludel")).parent().expect("a folder");
        for step in steps {
            // As GitHub's runner starts a step.
            let said = std::process::Command::new("sh")
                .args(["-ec", &step])
                .env_clear()
                .env("HOME", home.path())
                .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
                .env("CI", "true")
                .env("OPENAI_API_KEY", "canary-key-0123456789")
                .env("OLLAMA_HOST", "127.0.0.1:1")
                .current_dir(home.path())
                .output()
                .expect("a shell");
            assert!(said.status.success(), "{step}: {}", String::from_utf8_lossy(&said.stderr));
        }
        let rows = std::fs::read_to_string(home.path().join("prompts.jsonl")).expect("the rows");
        let rows: Vec<serde_json::Value> =
            rows.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
        let ids: Vec<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
        assert_eq!(ids, ["bakery", "thanks"]);
        assert!(rows.iter().all(|row| row["status"] == "ok"), "{rows:?}");
        let report = std::fs::read_to_string(home.path().join("report.xml")).expect("the report");
        assert_eq!(report.matches("<testcase").count(), 2, "{report}");
    }
}
