//! The daily cap across real processes: several in parallel, and one that is killed midway.
//!
//! A child is this test binary, running [`child`] only, as in [`super::process_tests`].

use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use futures_util::StreamExt;

use super::SqliteStore;
use crate::ids::SystemIds;
use crate::ledger::{Account, Call, CallUsage, Caps, Labels, Money, WorstCase};
use crate::store::{SpendQuery, SpendStore, Store, StoreCallLog};
use crate::time::{FixedClock, from_millis};

const NOON: i64 = 1_790_000_000_000;
/// The worst case of each call.
const WORST: u64 = 90;

/// Makes `count` calls, 16 at a time, under a daily cap, reporting each cost; loses every seventh,
/// and with `hold` keeps all open.
#[test]
#[ignore = "a child process of the tests below"]
fn child() {
    let mut task = String::new();
    if std::io::stdin().is_terminal() || std::io::stdin().read_line(&mut task).unwrap() == 0 {
        return;
    }
    let mut words = task.trim_end().splitn(4, ' ');
    let does_hold = words.next().unwrap() == "hold";
    let mut number = || words.next().unwrap().parse::<u64>().unwrap();
    let (cap, count) = (number(), number());
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(words.next().unwrap()));
    let clock = Arc::new(FixedClock::at(NOON));
    let call_log = StoreCallLog::new(Arc::clone(&store), clock, Arc::new(SystemIds), Some(Money::from_nanos(cap)));
    let account = Account::open(Caps::default(), Labels::default(), Some(Arc::new(call_log)));
    let call = |number: u64| {
        let account = account.clone();
        async move {
            let asked = Call { provider: "lab".into(), model: "m".into(), purpose: "judge", is_logged: true };
            let Ok(reservation) = account.reserve(asked, WorstCase::Most(Money::from_nanos(WORST))).await else {
                return;
            };
            if does_hold {
                println!("charged {WORST}");
                std::future::pending::<()>().await;
            }
            let cost = if number.is_multiple_of(7) { WORST } else { number % 11 };
            println!("charged {cost}");
            tokio::task::yield_now().await;
            if !number.is_multiple_of(7) {
                let cost = Some(Money::from_nanos(cost));
                reservation.settle(CallUsage { input_tokens: 1, output_tokens: 1, cost, assumed: None });
            }
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(futures_util::stream::iter(0..count).map(call).buffer_unordered(16).count());
    store.close().wait().unwrap();
}

fn start(task: &str, cap: u64, count: u64, path: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::sqlite::spend_process_tests::child", "--ignored", "--nocapture", "--test-threads=1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "{task} {cap} {count} {}", path.display()).unwrap();
    child
}

/// The charges a child reported.
fn charges(lines: impl Iterator<Item = String>) -> impl Iterator<Item = u64> {
    lines.filter_map(|line| line.split("charged ").nth(1)?.parse().ok())
}

fn charged_by(child: Child) -> Vec<u64> {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    charges(output.stdout.lines().map(Result::unwrap)).collect()
}

fn counted(path: &Path) -> u64 {
    SqliteStore::open(path).counted_on(from_millis(NOON)).wait().unwrap().nanos()
}

#[test]
fn several_processes_together_never_pass_the_daily_cap() {
    const CAP: u64 = 5000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("home").join("aludel.db");
    let children: Vec<Child> = (0..3).map(|_| start("spend", CAP, 150, &path)).collect();
    let mut charged: Vec<u64> = children.into_iter().flat_map(charged_by).collect();
    // Calls of other processes are not waited for. A single process uses up what they left.
    charged.extend(charged_by(start("spend", CAP, 400, &path)));
    let sum: u64 = charged.iter().sum();
    assert!(sum <= CAP, "{sum}");
    assert_eq!(counted(&path), sum, "what is written down is what was charged");
    let calls = SqliteStore::open(&path).spend(SpendQuery::default()).wait().unwrap()[0].calls;
    assert_eq!(calls, charged.len() as u64);
    assert!(sum + WORST > CAP, "{sum} of {CAP} used after {calls} calls");
}

#[test]
fn what_a_killed_process_had_under_way_keeps_counting() {
    const CAP: u64 = 1000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    let mut child = start("hold", CAP, 4, &path);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(charges(lines).take(4).sum::<u64>(), 4 * WORST);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(counted(&path), 4 * WORST);

    let sum: u64 = charged_by(start("spend", CAP, 300, &path)).iter().sum();
    assert!(sum + 4 * WORST <= CAP && sum + 5 * WORST > CAP, "{sum}");
    let written = SqliteStore::open(&path).spend(SpendQuery::default()).wait().unwrap().remove(0);
    assert!(written.unseen >= 4 && written.unseen_cost.nanos() >= 4 * WORST, "{written:?}");
}
