//! Which tool would a model take? A proxy, not a model: the tools are ranked for requests of people by
//! the embedded model and by BM25 over names, titles and descriptions, and the right one should be
//! first. Keeps descriptions from drifting into each other.
//!
//! The requests were written before the descriptions were tuned. Those of the first two lists were
//! looked at while that was done; those of the last were not.

use std::collections::HashMap;

use aludel::server::mcp;
use aludel_core::embed::embed_now;

/// What the descriptions were tuned with.
const SEEN: &[(&str, &str)] = &[
    ("generate_prompts", "Write me a prompt that makes an LLM summarise legal contracts"),
    ("generate_prompts", "I need a good system prompt for a customer support bot"),
    ("generate_prompts", "turn this rough idea into a proper prompt: weekly meal planner"),
    ("generate_prompt_variants", "Give me three alternatives to prompt 7a3f9c21"),
    ("generate_prompt_variants", "I like this stored prompt but want to see it written in other ways"),
    ("select_best_prompt", "Which of these four prompts is best for product descriptions? Have a judge pick one"),
    ("start_batch", "Here are 40 topics, make a prompt for each of them"),
    ("search_prompts", "Find the prompt with the words quarterly report in it"),
    ("semantic_search_prompts", "Do I have anything about cooking, even if it does not use that word?"),
    ("similar_prompts", "Are there near duplicates of this prompt in my library?"),
    ("get_prompt_details", "Show me the full text of prompt 01932c07"),
    ("list_prompts", "What prompts did I save last week?"),
    ("list_prompts", "show my newest prompts"),
    ("get_prompt_metrics", "How many tokens did this prompt take and what did each phase cost?"),
    ("analyze_prompt_performance", "How do my prompts tagged mail do on average?"),
    ("why_prompt", "Why was this one ranked first?"),
    ("spend", "How much money have I spent this month?"),
    ("job_status", "Is my batch done yet?"),
    ("job_result", "Get me the rows that the finished batch produced"),
    ("job_resume", "The batch was interrupted, carry on with it"),
    ("job_cancel", "Stop the running batch"),
    ("compare_prompts", "What is the difference between these two prompts?"),
    ("update_prompt", "Tag this prompt with production and add a note"),
    ("delete_prompt", "Remove prompt 7a3f9c21, I do not need it any more"),
    ("restore_prompt", "I deleted the wrong prompt, bring it back"),
    ("export_prompts", "Give me all prompts as a CSV file"),
    ("get_provider_status", "Which model providers can I use, and is Ollama reachable?"),
    ("validate_configuration", "Check that my configuration is correct"),
    ("get_system_info", "Which version is installed and which personas does it have?"),
    ("compare_prompts", "put these prompts side by side"),
];

/// What they were tuned with after a first measurement (22 of 30 were right).
const SEEN_LATER: &[(&str, &str)] = &[
    ("generate_prompts", "Help me phrase a request to Claude for reviewing pull requests"),
    ("generate_prompts", "improve my prompt: write something about the sea"),
    ("generate_prompts", "make a prompt for an image model that draws old ships"),
    ("generate_prompt_variants", "make more versions of the prompt I saved yesterday"),
    ("generate_prompt_variants", "Try other strategies for the prompt @last"),
    ("select_best_prompt", "pick the winner among these candidates for my task"),
    ("select_best_prompt", "let a model judge which prompt is the strongest"),
    ("start_batch", "generate prompts for every line of this list in one go"),
    ("search_prompts", "look up prompts containing the phrase unit test"),
    ("semantic_search_prompts", "I remember the subject was holidays but not how I put it"),
    ("similar_prompts", "find earlier versions that resemble this prompt"),
    ("get_prompt_details", "open that prompt and show every step"),
    ("list_prompts", "list everything made with the code persona"),
    ("get_prompt_metrics", "measure this prompt: latency, length, score"),
    ("analyze_prompt_performance", "compute statistics over many prompts: cost, latency, quality"),
    ("why_prompt", "explain how this prompt came about and what the judge said"),
    ("spend", "what did the calls to OpenAI cost me today, and what is left of my budget?"),
    ("job_status", "how far along is the job?"),
    ("job_result", "fetch the results of job 8f2a11bc"),
    ("job_resume", "resume the failed job with a larger budget"),
    ("job_cancel", "abort that job please"),
    ("compare_prompts", "show me a diff of prompt A and prompt B"),
    ("update_prompt", "change the wording of my saved prompt"),
    ("delete_prompt", "throw this prompt away"),
    ("restore_prompt", "undo the deletion"),
    ("export_prompts", "back up my prompts as JSON lines"),
    ("export_prompts", "download the collection in markdown"),
    ("get_provider_status", "why can't I use Anthropic here?"),
    ("validate_configuration", "something is wrong with my setup, test the database and the templates"),
    ("get_system_info", "what phases are there?"),
];

/// Held out.
const UNSEEN: &[(&str, &str)] = &[
    ("generate_prompts", "draft instructions for an assistant that plans trips"),
    ("generate_prompts", "I want ChatGPT to answer like a pirate, what should I type?"),
    ("generate_prompts", "rewrite this prompt so that it works better"),
    ("generate_prompt_variants", "can I have different takes on that saved prompt?"),
    ("generate_prompt_variants", "give me five other variants of 9c21ab"),
    ("select_best_prompt", "decide which of my three prompts is better for classifying mails"),
    ("select_best_prompt", "choose the best candidate for this task with a judge"),
    ("start_batch", "produce prompts in bulk for these 200 products"),
    ("search_prompts", "search my prompts for the word invoice"),
    ("semantic_search_prompts", "find something related to gardening among my prompts"),
    ("similar_prompts", "which of my prompts are like this one?"),
    ("get_prompt_details", "print the whole prompt with the given id"),
    ("list_prompts", "list prompts tagged blog"),
    ("list_prompts", "what did I make yesterday?"),
    ("get_prompt_metrics", "how long is this prompt and how good was its score?"),
    ("analyze_prompt_performance", "average cost and latency of prompts by provider"),
    ("why_prompt", "why did variant 2 lose against variant 1?"),
    ("spend", "what are my costs per model this week?"),
    ("job_status", "check on the progress of my job"),
    ("job_result", "show the output of the batch that ended"),
    ("job_resume", "continue the job that was stopped"),
    ("job_cancel", "cancel my batch"),
    ("compare_prompts", "how do these three prompts differ?"),
    ("update_prompt", "rename the tag of this prompt and edit its notes"),
    ("delete_prompt", "delete this prompt"),
    ("restore_prompt", "get the deleted prompt back from the trash"),
    ("export_prompts", "save all my prompts to a YAML file"),
    ("get_provider_status", "is my OpenAI key set up?"),
    ("validate_configuration", "is there any mistake in my config file?"),
    ("get_system_info", "what version of aludel is this?"),
];

/// What is known of a tool before it is called.
struct Document {
    name: &'static str,
    /// Its name in words, and its title.
    title: String,
    text: &'static str,
    /// Of its title, its description, and each sentence of that.
    vectors: Vec<Vec<f32>>,
}

fn documents() -> Vec<Document> {
    let document = |tool: &mcp::Definition| {
        let title = format!("{}. {}", tool.name.replace('_', " "), tool.title);
        let vectors =
            [tool.title, tool.description].into_iter().chain(tool.description.split(". ")).map(vector).collect();
        Document { name: tool.name, title, text: tool.description, vectors }
    };
    mcp::TOOLS.iter().map(document).collect()
}

/// Places by the embedded model, best first: a tool is as near as the nearest of its sentences.
fn by_meaning(request: &str, documents: &[Document]) -> Vec<&'static str> {
    let asked = vector(request);
    let nearest =
        |document: &Document| document.vectors.iter().map(|vector| cosine(&asked, vector)).fold(-1.0, f32::max);
    let mut scored: Vec<(f32, &str)> = documents.iter().map(|document| (nearest(document), document.name)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().map(|(_, name)| name).collect()
}

fn vector(text: &str) -> Vec<f32> {
    embed_now(&[text]).expect("a vector").vectors.remove(0)
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// An index of the tools in memory, by stems.
fn index(documents: &[Document]) -> rusqlite::Connection {
    let index = rusqlite::Connection::open_in_memory().expect("a database");
    index
        .execute_batch("CREATE VIRTUAL TABLE tools USING fts5(name UNINDEXED, title, text, tokenize = 'porter')")
        .expect("a table");
    for Document { name, title, text, .. } in documents {
        index.execute("INSERT INTO tools VALUES (?, ?, ?)", (name, title, text)).expect("a row");
    }
    index
}

/// Places by BM25 as SQLite's FTS5 computes it, names and titles counting twice; best first. Tools
/// without a common word are left out.
fn by_words(request: &str, documents: &[Document], index: &rusqlite::Connection) -> Vec<&'static str> {
    let words = request.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    let sql = "SELECT name FROM tools WHERE tools MATCH ? ORDER BY bm25(tools, 0, 2, 1)";
    let mut statement = index.prepare(sql).expect("a statement");
    let found = statement.query_map([words.join(" OR ")], |row| row.get::<_, String>(0)).expect("rows");
    let found: Vec<String> = found.map(|name| name.expect("a name")).collect();
    let of = |name: &String| documents.iter().map(|tool| tool.name).find(|known| known == name).expect("a tool");
    found.iter().map(of).collect()
}

/// The tools, by both rankings together (reciprocal rank fusion), best first.
fn ranked(request: &str, documents: &[Document], index: &rusqlite::Connection) -> Vec<&'static str> {
    let mut points: HashMap<&str, f64> = HashMap::new();
    for ranking in [by_meaning(request, documents), by_words(request, documents, index)] {
        for (place, name) in (0_u32..).zip(ranking) {
            *points.entry(name).or_default() += 1.0 / (10.0 + f64::from(place));
        }
    }
    let mut names: Vec<&str> = documents.iter().map(|tool| tool.name).collect();
    names.sort_by(|a, b| points[b].total_cmp(&points[a]));
    names
}

fn misses(requests: &[(&str, &str)]) -> Vec<String> {
    let documents = documents();
    let index = index(&documents);
    let miss = |(right, request): &(&str, &str)| {
        let ranked = ranked(request, &documents, &index);
        let place = ranked.iter().position(|name| name == right).expect("a tool");
        (place > 0).then(|| format!("{right} is number {} after {} for: {request}", place + 1, ranked[0]))
    };
    requests.iter().filter_map(miss).collect()
}

#[test]
fn the_right_tool_is_first_for_nine_requests_of_ten() {
    // Of the unseen ones 22 were right when they were first asked: not yet nine of ten.
    for (set, requests, least) in [("seen", SEEN, 27), ("seen later", SEEN_LATER, 27), ("unseen", UNSEEN, 22)] {
        let misses = misses(requests);
        let right = requests.len() - misses.len();
        assert!(right >= least, "{set}: {right} of {}\n{}", requests.len(), misses.join("\n"));
    }
}

#[test]
fn every_tool_is_asked_for_in_each_set() {
    for tool in mcp::TOOLS {
        for (set, requests) in [("seen", SEEN), ("seen later", SEEN_LATER), ("unseen", UNSEEN)] {
            assert!(requests.iter().any(|(right, _)| *right == tool.name), "{set}: {}", tool.name);
        }
    }
}
