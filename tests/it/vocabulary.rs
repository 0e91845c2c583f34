//! Retired names: none names a type, a module or a field again, and none is shown on a screen.

use std::fs;
use std::path::{Path, PathBuf};

/// The old name and its replacement.
const RETIRED: &[(&str, &str)] = &[
    ("Actual", "CallUsage"),
    ("AdoptsJobs", "JobAdoptionGuard"),
    ("Afterwards", "AfterRun"),
    ("Allotted", "AllotmentState"),
    ("Along", "SignProjection"),
    ("Answered", "AuditAnswer or AnsweredUsage"),
    ("Arrivals", "BodyBudget"),
    ("Arrived", "ArrivedTokens"),
    ("Asked", "a name of its own"),
    ("Begin", "FollowUp"),
    ("Beginning", "DraftStart"),
    ("Begun", "BeginOutcome or SentAt"),
    ("Beside", "SideBySide"),
    ("BookDraw", "CallLogDraw"),
    ("BookEntry", "CallLogEntry"),
    ("BookHold", "CallLogReservation"),
    ("BookedCall", "LoggedCall"),
    ("Brooding", "EndlessThinker"),
    ("Called", "CallTarget"),
    ("Chain", "VariantBound"),
    ("Chance", "SeededRandom"),
    ("Coming", "RequestedTurn"),
    ("Comparing", "PendingComparison"),
    ("Conduct", "StageTally"),
    ("CostlyWhat", "CostlyAction"),
    ("Count", "ProgressCount"),
    ("Cut", "SplitPrompt"),
    ("Desk", "DraftState"),
    ("DeskNews", "DraftReply"),
    ("Done", "EmbeddedTexts"),
    ("Door", "Launcher"),
    ("Doors", "Launchers"),
    ("Ended", "VariantEnd"),
    ("Errors", "ErrorModel"),
    ("Estimating", "RunEstimator"),
    ("Facts", "a name of its own"),
    ("Fast", "CodeSearch"),
    ("Fitted", "StrengthFit"),
    ("Flights", "InFlight"),
    ("Following", "JobFollower, Follower or FollowMode"),
    ("Gathered", "a name of its own"),
    ("GaveUp", "FailedVariant"),
    ("Generated", "GenerationEnd"),
    ("Given", "SettingValue or EmbeddingReport"),
    ("Gone", "DeletedPrompts"),
    ("Granted", "Grant"),
    ("Hand", "ManualClock"),
    ("Heard", "LineEvent"),
    ("HeldOwn", "ProviderPermit"),
    ("Hold", "BudgetGuard"),
    ("Impatient", "WriteTimeout"),
    ("InOrder", "MapEntriesVisitor"),
    ("Inquiry", "QuestionLoop"),
    ("JudgeTold", "JudgeStatus"),
    ("Judgeable", "JudgingInput"),
    ("JudgementTold", "JudgementExplanation"),
    ("Keeping", "CachePolicy"),
    ("KeptLabel", "StoredLabel"),
    ("Landing", "SharedResult"),
    ("Leading", "Leader"),
    ("Left", "OrphanedDrafts"),
    ("Length", "LengthBias"),
    ("Life", "WorkOrigin"),
    ("Listed", "JobListing"),
    ("Look", "PermissionScan or RoleStyle"),
    ("Looked", "SearchOutcome"),
    ("Lost", "MissingAnswers or CommitFailure"),
    ("Making", "DiffBuilder"),
    ("Manner", "DisplayMode"),
    ("Manners", "CallPolicy"),
    ("Matter", "SelectionInput"),
    ("Measured", "PromptTotals"),
    ("Measuring", "CompareContext"),
    ("Named", "KeyLookup"),
    ("Near", "CodeMatch"),
    ("Nearly", "ApproximateCosine"),
    ("Net", "NearestCodes"),
    ("Newcomer", "DetectedProvider"),
    ("Newcomers", "DetectedProviders"),
    ("News", "HistoryReply"),
    ("NoStream", "NotAStream"),
    ("Numbers", "ValueCounts"),
    ("Onlooker", "Observer"),
    ("OpenHold", "OpenReservation"),
    ("OrderTold", "OrderVerdict"),
    ("Ornament", "Symbol"),
    ("Ours", "InFlightCalls"),
    ("Out", "LineOutput"),
    ("Outcomes", "AuditTotals"),
    ("Over", "MotionTarget"),
    ("Own", "ProviderPermits"),
    ("Pairs", "MapEntries"),
    ("Past", "PairOutcome"),
    ("Patience", "WriteTimeouts"),
    ("Place", "a name of its own"),
    ("Placed", "PlacedCandidate"),
    ("Possibility", "ErrorHypothesis"),
    ("ProviderFacts", "ProviderDetails"),
    ("RatingTold", "PromptRating"),
    ("Ready", "PlannedRun"),
    ("Recent", "RecentWriter"),
    ("Renewal", "LeaseRenewal"),
    ("Rest", "OmittedFields"),
    ("Resumed", "ResumedJob"),
    ("Rim", "Chrome"),
    ("Room", "ReservationReply or SizeClass"),
    ("Running", "CostMeter"),
    ("Said", "a name of its own"),
    ("ScreenDoor", "ScreenLauncher"),
    ("SetAside", "SpendReservation"),
    ("Share", "AllotmentGuard"),
    ("Sheet", "OffscreenTerminal"),
    ("Shelf", "CacheNamespace"),
    ("ShelfLimits", "NamespaceLimits"),
    ("Shelves", "StoreInMemory"),
    ("Shown", "a name of its own"),
    ("ShownStream", "EscapedStream"),
    ("Sign", "ChangeKind"),
    ("Signed", "MarkedText"),
    ("Solved", "HypothesisFit"),
    ("Sparing", "RepaintOptimiser"),
    ("SpendBook", "CallLog"),
    ("Stand", "DraftVersion or JobAndState"),
    ("Standing", "a name of its own"),
    ("StoreBook", "StoreCallLog"),
    ("Taken", "ClaimedJob, ClauseList or KeyResult"),
    ("Taking", "JobClaim"),
    ("Telling", "JobPrinter"),
    ("TermsOf", "CostBoundsOf"),
    ("Then", "DataStep"),
    ("Till", "RunBudget"),
    ("Told", "a name of its own"),
    ("Trouble", "ReadError or CodesError"),
    ("Typing", "ChannelInput"),
    ("Unanswered", "AnswerError"),
    ("Under", "StoreUnderTest"),
    ("Unseen", "UnseenCalls or OffscreenSurface"),
    ("Unwritten", "UnrecordedCalls"),
    ("Upkeep", "IndexMaintenance"),
    ("Variables", "VariableLookup"),
    ("Verdict", "Admissibility"),
    ("Vessel", "PhasePane"),
    ("Waited", "TurnWait"),
    ("Waiting", "QueueGuard"),
    ("Walked", "WalkResult"),
    ("Want", "AdmissionRequest"),
    ("Wanted", "a name of its own"),
    ("Way", "FilterCheck, ComparisonMethod or RecallDirection"),
    ("Which", "ClientKey"),
    ("Whole", "PeekedFile"),
    ("Wish", "HistoryCommand"),
    ("Worked", "WorkEnd"),
    ("Wrap", "OuterFence"),
    ("Writing", "CodeFileWriter, WriterState or CacheWriterState"),
    ("Written", "a name of its own"),
    ("Wrong", "CheckError"),
    ("beside", "side_by_side"),
    ("book", "call_log"),
    ("desk", "drafts"),
    ("doors", "launchers"),
    ("newcomers", "detected_providers"),
    ("ornament", "symbols"),
    ("sparing", "repaint"),
    ("surround", "chrome"),
    ("tell", "wording"),
    ("telling", "messages"),
    ("till", "run_budget"),
    ("told", "notices"),
    ("trouble", "connection_error"),
    ("unattended", "without_command_line"),
    ("unseen", "offscreen"),
    ("upkeep", "maintenance"),
    ("vessels", "phase_panes"),
];

/// The same for fields.
const RETIRED_FIELDS: &[(&str, &str)] = &[
    ("doubted", "confirming_delete"),
    ("flights", "in_flight_calls"),
    ("has_complained", "has_reported_failure"),
    ("is_booked", "is_logged"),
    ("is_let_go", "is_released"),
    ("is_meaning_free", "is_embedding_free"),
    ("keeping", "policy"),
    ("manners", "call_policy"),
    ("never_asked", "never_called"),
    ("rim", "chrome"),
    ("said_back", "restored_notice"),
    ("shelf", "namespace"),
];

/// Words that the workbench used to show, and what it shows now.
const RETIRED_ON_SCREENS: &[(&str, &str)] = &[
    (" Idea ", "Request"),
    ("Once more, by", "Retry with provider"),
    ("Vessel", "Variants"),
    ("is asked", "waiting for the first token"),
    ("its status", "status, HTTP 401"),
    ("of the words stay", "unchanged"),
    ("shows the sum", "score breakdown"),
    ("the most expensive day", "most expensive day"),
    ("unknown outcome", "unconfirmed"),
    ("what came in", "added"),
    ("what is stored", "Budgets and storage"),
    ("what went in", "removed"),
    ("won lost even", "wins losses ties"),
];

/// The keyword before the name of a type or a module.
const KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "type", "mod"];

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of ours") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The names of types and modules defined in a line of code.
fn names_given(line: &str) -> Vec<&str> {
    let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let mut names = Vec::new();
    while let Some(word) = words.next() {
        if KEYWORDS.contains(&word) {
            names.extend(words.next());
        }
    }
    names
}

/// The name that a line of code gives to a field or a parameter, alone on its line.
fn field_given(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub").map_or(line, |rest| match rest.strip_prefix('(') {
        Some(inside) => inside.split_once(')').map_or(rest, |(_, rest)| rest),
        None => rest,
    });
    let (name, rest) = line.trim_start().split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_lowercase() || c == '_' || c.is_ascii_digit());
    (is_name && !rest.starts_with(':')).then_some(name)
}

/// Test modules are named after what they test, and so are snapshots.
fn is_of_tests(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str().to_string_lossy().trim_end_matches(".rs").ends_with("tests"))
}

#[test]
fn retired_names_have_not_come_back() {
    let mut files = Vec::new();
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !is_of_tests(file)) {
        let text = fs::read_to_string(file).expect("a readable file");
        let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in code {
            let types = names_given(line).into_iter().map(|name| (name, RETIRED));
            let field = field_given(line).map(|name| (name, RETIRED_FIELDS));
            for (name, retired) in types.chain(field) {
                if let Some((_, now)) = retired.iter().find(|(retired, _)| *retired == name) {
                    found.push(format!("{}:{}: `{name}` is called `{now}`", file.display(), number + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn names_of_types_and_modules_are_seen() {
    assert_eq!(names_given("pub(crate) struct Till {"), ["Till"]);
    assert_eq!(names_given("mod told;"), ["told"]);
    assert_eq!(names_given("type Door = fn(Engine) -> Result<()>;"), ["Door"]);
    assert!(names_given("let till = engine.told();").is_empty());
}

#[test]
fn names_of_fields_are_seen() {
    assert_eq!(field_given("    pub(crate) shelf: CacheNamespace,"), Some("shelf"));
    assert_eq!(field_given("    shelf: CacheNamespace,"), Some("shelf"));
    assert_eq!(field_given("shelf::put(key);"), None);
    assert_eq!(field_given("match shelf {"), None);
}

#[test]
fn screens_do_not_show_retired_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tui/testing/snapshots");
    let mut found = Vec::new();
    let mut screens = 0;
    for entry in fs::read_dir(folder).expect("the folder of the screens") {
        let path = entry.expect("an entry").path();
        let screen = fs::read_to_string(&path).expect("a readable file");
        screens += 1;
        for (retired, now) in RETIRED_ON_SCREENS {
            if screen.contains(retired) {
                found.push(format!("{}: `{retired}` is now `{now}`", path.display()));
            }
        }
    }
    assert!(screens > 300, "only {screens} screens were read");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
