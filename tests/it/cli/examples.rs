//! The help is true: every example works as it is, and the listed formats are those accepted.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use aludel::cli;
use serde_json::{Value, json};

use super::transfer::alchemy;
use crate::support::{CommandOutput, Home, cancelled_job};

const BINARY: &str = env!("CARGO_BIN_EXE_aludel");

/// Simple stand-ins for what examples pipe to or from; for `jq` only if it is missing.
const TOOLS: [(&str, &str); 6] = [
    ("git", "echo '+ a new line'"),
    ("jq", "cat"),
    ("pbcopy", "cat > /dev/null"),
    ("pbpaste", "echo 'say sorry to a customer'"),
    ("gzip", "cat"),
    ("zcat", "cat \"$1\""),
];

/// The beginnings of the ids in examples.
const IDS: [&str; 4] = ["f3afd65f", "7a3f9c21", "5e0b44d9", "0a0b0c0d"];

/// Every command by its path, including groups, with its help.
fn helps(command: &clap::Command, path: &[String]) -> Vec<(Vec<String>, String)> {
    let mut all = vec![(path.to_vec(), command.clone().render_long_help().to_string())];
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        all.extend(helps(inner, &[path, &[inner.get_name().to_owned()]].concat()));
    }
    all
}

fn all_helps() -> Vec<(Vec<String>, String)> {
    let mut tree = cli::command_tree();
    tree.build();
    helps(&tree, &[])
}

/// The lines under `Examples:`.
fn examples(help: &str) -> Vec<&str> {
    let after = help.split_once("\nExamples:\n").map_or("", |(_, after)| after);
    after.lines().map_while(|line| line.strip_prefix("  ")).collect()
}

/// A home with everything that examples name: prompts, files, providers, tools.
fn prepared(original: &Home) -> Home {
    let home = Home::new();
    let status = Command::new("cp").arg("-a").arg(original.path().join(".")).arg(home.path()).status();
    assert!(status.expect("cp").success());
    home
}

fn original() -> Home {
    let home = Home::new();
    // Priced, as some examples cap spending. It spots worsened copies, else `judge audit` fails.
    let cases = aludel_core::judge::audit::cases().expect("the cases of the test");
    let last = |worse: &str| serde_json::to_string(worse.lines().last().unwrap_or_default()).expect("a text");
    let marks: Vec<String> = cases.iter().map(|case| format!("{}: -9", last(&case.worse))).collect();
    let marks = format!("2.5, {}}}", marks.join(", "));
    let judge = include_str!("../../fixtures/sim/judge.yaml").replace("2.5}", &marks);
    let script = format!("{judge}price: {{input: 1.0, output: 2.0}}\n");
    let script = home.write("judge.yaml", script);
    home.run(&["generate", "Say sorry to a customer about prime numbers", "--count", "4", "--quiet"]).done();
    let exported = home.run(&["export", "--format", "json"]).done().json();
    let records: Vec<Value> = exported.as_array().expect("records").clone();
    let second = records[0]["created_at"].as_str().expect("a time")[..19].to_owned();
    let renamed: Vec<Value> = records
        .into_iter()
        .zip(IDS)
        .enumerate()
        .map(|(at, (mut record, id))| {
            let old = record["id"].as_str().expect("an id").to_owned();
            record["id"] = json!(format!("{id}{}", &old[8..]));
            // Their ids no longer give the order, and two can share a millisecond.
            record["created_at"] = json!(format!("{second}.{at:03}Z"));
            record
        })
        .collect();
    let text = serde_json::to_string(&renamed).expect("JSON");
    home.run(&["delete", "--all", "--yes"]).done();
    let file = home.write("prompts.json", &text);
    home.run(&["import", file.to_str().expect("UTF-8"), "--quiet"]).done();
    home.run(&["export", "--output-file", "prompts.csv"]).done();
    home.run(&["export", "--output-file", "prompts.jsonl"]).done();
    fs::rename(home.path().join("prompts.jsonl"), home.path().join("prompts.jsonl.gz")).expect("renamed");
    home.write("src/lib.rs", "//! A library.\n");
    home.write("requests.txt", "Name a bakery\nThank a customer\n");
    home.write("rows.csv", "input,tags\nName a bakery,\"a,b\"\n");
    home.write("rows.jsonl", "{\"id\": \"one\", \"input\": \"Name a bakery\"}\n");
    home.write(
        "labels.jsonl",
        "{\"a_text\": \"Say sorry.\", \"b_text\": \"Sorry!\", \"choice\": \"a\", \"task\": \"An apology\"}\n",
    );
    home.write("improved.txt", "Say it better.\n");
    home.write(
        "tone.yaml",
        "name: tone\ndescription: The tone.\ncriteria:\n  - {name: warmth, weight: 1, question: Is it warm?}\n",
    );
    fs::remove_file(alchemy(&home).with_file_name("prompts.db-wal")).ok();
    for folder in
        [".local/share/bash-completion/completions", ".local/share/man/man1", ".zfunc", ".config/fish/completions"]
    {
        fs::create_dir_all(home.path().join(folder)).expect("a folder");
    }
    // With the real `jq`, a bad filter must be detected.
    let has_jq = Path::new("/usr/bin/jq").exists();
    for (name, does) in TOOLS.into_iter().filter(|(name, _)| *name != "jq" || !has_jq) {
        let path = home.write(&format!("bin/{name}"), format!("#!/bin/sh\n{does}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("its mode");
    }
    std::os::unix::fs::symlink(BINARY, home.path().join("bin/aludel")).expect("a link");
    let provider = |name: &str| format!("  {name}: {{kind: sim, script: {}}}\n", script.display());
    let providers: String = ["openai", "anthropic", "local"].map(provider).concat();
    home.config(&format!("providers:\n{providers}server:\n  auth: {{secret: 0123456789abcdef0123456789abcdef}}\n"));
    home
}

/// A shell command line in a home.
fn shell(home: &Home, line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.env_clear().env("HOME", home.path()).env("OLLAMA_HOST", "127.0.0.1:1").current_dir(home.path());
    command.env("PATH", format!("{}:/usr/bin:/bin", home.path().join("bin").display())).env("EDITOR", "true");
    command.env("OPENAI_API_KEY", "canary-key-0123456789");
    command.args(["-c", line]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts a server, waits until it prints its address, and stops it as a user would.
fn run_server(home: &Home, line: &str) {
    // The ports of the examples may be in use.
    let line = format!("exec {}", line.replace("9000", "0").replace("8765", "0"));
    let mut child = shell(home, &line).env("ALUDEL_SERVER__PORT", "0").spawn().expect("it starts");
    let mut reader = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut said = String::new();
    while !said.contains("http://") {
        assert!(reader.read_line(&mut said).expect("a line") > 0, "it ended: {said}");
    }
    let rest = thread::spawn(move || drop(reader.read_to_string(&mut String::new())));
    let stopped = Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status();
    assert!(stopped.expect("a shell").success());
    assert!(child.wait().expect("it ends").success(), "{line}");
    rest.join().expect("it ends");
}

/// The output of an example that asks the server of this configuration, which runs meanwhile.
fn with_server(home: &Home, line: &str) -> CommandOutput {
    let mut child = shell(home, "exec aludel http-server --port 0").spawn().expect("it starts");
    let mut reader = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut said = String::new();
    reader.read_line(&mut said).expect("a line");
    let port = said.trim().rsplit(':').next().expect("a port").to_owned();
    let mut command = shell(home, &line.replace("8080", &port));
    let output = command.env("ALUDEL_SERVER__PORT", &port).output().expect("a shell");
    child.kill().and_then(|()| child.wait()).expect("it ends");
    CommandOutput::from(output)
}

/// What went wrong, if the example does not do what it promises.
fn fault(home: &Home, line: &str) -> Option<String> {
    if line.starts_with("aludel health") {
        let said = with_server(home, line);
        return (said.code != 0 || said.stdout.contains("down")).then(|| format!("{}: {}", said.code, said.stderr));
    }
    if line.starts_with("aludel http-server") || line.starts_with("aludel serve --port") {
        run_server(home, line);
        return None;
    }
    let may_ask = ["aludel delete", "aludel trash empty"].iter().any(|asking| line.starts_with(asking));
    let asks = may_ask && !line.contains("--yes");
    let opens = line.starts_with("aludel tui");
    if asks || opens {
        let arguments: Vec<&str> = line.split(' ').skip(1).collect();
        // Ctrl-Q leaves the workbench; in plain lines, the end of input does.
        let keys = if asks {
            "y\n"
        } else if line.contains("--plain") {
            "\u{4}"
        } else {
            "\u{11}"
        };
        let (shown, code) = super::ended_on_a_terminal(home, &arguments, keys);
        return (code != 0).then(|| format!("{code}: {shown}"));
    }
    let said = CommandOutput::from(shell(home, line).output().expect("a shell"));
    (said.code != 0).then(|| format!("{}: {}", said.code, said.stderr))
}

#[test]
fn every_command_has_an_example_and_every_example_runs() {
    let original = original();
    let mut faults = Vec::new();
    let mut count = 0;
    for (path, help) in all_helps() {
        let lines = examples(&help);
        if lines.is_empty() {
            faults.push(format!("aludel {}: has no example", path.join(" ")));
        }
        for line in lines {
            let home = prepared(&original);
            if line.ends_with("config init") {
                fs::remove_file(home.data().join("config.yaml")).expect("the configuration");
            }
            if line.starts_with("aludel jobs") {
                cancelled_job(&home.database(), "a process", "Name a boat");
            }
            if line.starts_with("aludel jobs follow") {
                home.run(&["jobs", "resume", "@last"]).done();
            }
            if line.starts_with("aludel trash") {
                home.run(&["delete", IDS[1], IDS[2], "--yes"]).done();
            }
            count += 1;
            assert!(line.contains("aludel "), "{line}");
            faults.extend(fault(&home, line).map(|fault| format!("{line}: {fault}")));
        }
    }
    assert!(faults.is_empty(), "of {count}:\n{}", faults.join("\n"));
    assert!(count > 90, "only {count} examples were found");
}

#[test]
fn the_help_lists_the_formats_that_a_command_takes_and_no_others() {
    const ALL: [&str; 7] = ["text", "json", "jsonl", "yaml", "markdown", "csv", "html"];
    let home = Home::new();
    for (path, help) in all_helps().into_iter().filter(|(path, _)| path.len() == 1) {
        let lines: Vec<&str> = help.lines().collect();
        let at = lines.iter().position(|line| line.contains("--format <FORMAT>")).expect("the option");
        // Its text continues to the next option.
        let told = lines[at + 1..]
            .iter()
            .take_while(|line| !line.contains("  -"))
            .fold(lines[at].to_owned(), |text, line| format!("{text} {}", line.trim()));
        let told = told.split("(or ").next().unwrap_or_default();
        let words: Vec<&str> = told.split(|c: char| !c.is_ascii_alphabetic()).collect();
        for format in ALL {
            let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
            // The complaint about a missing argument would come later.
            match path[0].as_str() {
                "judge" => arguments.push("audit"),
                "config" => arguments.push("path"),
                "trash" => arguments.push("list"),
                "generate" | "search" | "similar" | "show" | "select" | "why" | "compare" | "update" | "delete"
                | "import" | "batch" => {
                    arguments.extend(["x", "y"].iter().take(if path[0] == "compare" || path[0] == "select" {
                        2
                    } else {
                        1
                    }));
                }
                "completions" => arguments.push("bash"),
                "mcp-config" => arguments.push("zed"),
                "http-server" => arguments.extend(["--port", "99999"]),
                "health" => arguments.extend(["--url", "nonsense"]),
                "tui" => arguments.extend(["--log-level", "loud"]),
                _ => {}
            }
            arguments.extend(["--format", format]);
            let said = home.run(&arguments);
            let is_refused = said.stderr.contains("is not one of");
            assert_eq!(!is_refused, words.contains(&format), "{path:?} --format {format}: {told}\n{}", said.stderr);
        }
    }
}

#[test]
fn examples_are_found_in_a_help() {
    assert_eq!(examples("Usage\n\nExamples:\n  one\n  two\n\nMore\n  three\n"), ["one", "two"]);
    assert!(examples("Usage\n").is_empty());
    assert!(Path::new(BINARY).exists());
}
