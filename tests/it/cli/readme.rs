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
