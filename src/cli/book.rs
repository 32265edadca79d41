//! `tsuru book`: makes, merges and shows opening books.

use std::fs;
use std::io::{Read, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, Subcommand};
use serde::Serialize;
use tsuru::book::choose::{self, BookOptions};
use tsuru::book::format::Damages;
use tsuru::book::make::{self, Event, Settings};
use tsuru::book::source::{Source, resolve};
use tsuru::book::table::Table;
use tsuru::book::{BookMove, games};
use tsuru::shogi::Notation;
use tsuru::shogi::notation::pad;

use super::input::PositionArgs;
use super::{Done, RulesArgs, progress};

/// Time between two savings of a book in the making.
const SAVE_INTERVAL: Duration = Duration::from_secs(5);

/// Make, merge and look into opening books.
///
/// Books are text files in the `.db` format of YaneuraOu.
#[derive(Args)]
pub struct BookArgs {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Subcommand)]
enum BookCommand {
    Make(MakeArgs),
    Merge(MergeArgs),
    Show(ShowArgs),
}

/// Think over positions and write what was found to a book.
///
/// The positions of the given games up to a move number are searched, those of
/// the most games first, each with an empty table. A book that exists is
/// extended: what it has already is left out, so an interrupted run goes on
/// when it is started again. The counts of the moves are those of the games.
#[derive(Args)]
#[command(after_help = "\
The file has one game or position a line, in the words of USI (`startpos moves
7g7f 3c3d`, `sfen ...`); a book in `.db` format is a list of positions, too.

Examples:
  tsuru book make games.usi -o my.db --plies 12 --min-games 5 --nodes 1000000
  tsuru book make my.db -o my.db --plies 999 --depth 24 --multipv 5 --jobs 4")]
struct MakeArgs {
    /// The games or positions; `-` for standard input.
    #[arg(value_name = "FILE")]
    input: PathBuf,

    /// The book to write or to extend.
    #[arg(short, long, value_name = "BOOK")]
    output: PathBuf,

    /// Search each position to this depth; again, if the book's is less deep.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=200))]
    depth: Option<u32>,

    /// Nodes for each position [default: 1000000, if no limit is given].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Milliseconds for each position.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Search again what the book has with less depth than this.
    #[arg(long, value_name = "PLIES")]
    redo_below: Option<u32>,

    /// Candidate moves of each position.
    #[arg(long, value_name = "K", default_value_t = 3,
          value_parser = clap::value_parser!(u16).range(1..=600))]
    multipv: u16,

    /// Take the positions of the games up to this move number.
    #[arg(long, value_name = "N", default_value_t = 16)]
    plies: u32,

    /// Leave out positions that occur in fewer games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_games: u32,

    /// Consider only moves that at least this share of the games play, in per cent
    /// [default: all legal moves].
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100))]
    played: Option<u32>,

    /// Threads of each search; more than one gives results that vary.
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,

    /// Positions searched at the same time.
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    jobs: u16,

    /// Transposition table of each search in MB.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
}

/// Unite books: of the same move the deeper search counts, counts add up.
///
/// With one book it only sorts: the result can be searched on the fly.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tsuru book merge mine.db other.db -o both.db
  tsuru book merge --ignore-ply unsorted.db -o sorted.db")]
struct MergeArgs {
    /// The books.
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,

    /// The book to write; it may be one of them.
    #[arg(short, long, value_name = "BOOK")]
    output: PathBuf,

    /// List each position once, whatever its move number.
    #[arg(long)]
    ignore_ply: bool,
}

/// Show the candidates of a position, or without one what the book holds.
///
/// The position is found with any move number, and flipped.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tsuru book show tsuru_book.db
  tsuru book show my.db startpos moves 7g7f
  tsuru book show --json my.db startpos")]
struct ShowArgs {
    /// The book; it is also looked for in the folder `book`.
    #[arg(value_name = "BOOK")]
    book: String,

    #[command(flatten)]
    position: PositionArgs,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    /// Notation of moves: ja, en or usi; JSON is always in usi.
    #[arg(long, value_name = "LANG", default_value = "usi")]
    lang: Notation,

    #[command(flatten)]
    rules: RulesArgs,
}

impl BookArgs {
    /// The rules that the command was given, if it takes any.
    pub(super) fn rules(&self) -> Option<&RulesArgs> {
        match &self.command {
            BookCommand::Show(args) => Some(&args.rules),
            BookCommand::Make(_) | BookCommand::Merge(_) => None,
        }
    }
}

pub fn run(args: &BookArgs) -> anyhow::Result<Done> {
    match &args.command {
        BookCommand::Make(args) => run_make(args),
        BookCommand::Merge(args) => run_merge(args),
        BookCommand::Show(args) => run_show(args),
    }
}

/// Says on standard error what was left out of a file.
fn tell(path: &Path, damages: &Damages) {
    for damage in &damages.first {
        eprintln!("warning: {}, {damage}", path.display());
    }
    let more = damages.total - damages.first.len();
    if more > 0 {
        eprintln!("warning: {}: {more} more damaged lines", path.display());
    }
}

fn load(path: &Path) -> anyhow::Result<Table> {
    let (table, damages) =
        Table::load(path).with_context(|| format!("cannot read the book {}", path.display()))?;
    tell(path, &damages);
    Ok(table)
}

fn save(table: &Table, path: &Path) -> anyhow::Result<()> {
    table
        .save(path)
        .with_context(|| format!("cannot write the book {}", path.display()))
}

fn run_make(args: &MakeArgs) -> anyhow::Result<Done> {
    let text = match args.input.to_str() {
        Some("-") => {
            let mut text = Vec::new();
            stdin().read_to_end(&mut text)?;
            text
        }
        _ => fs::read(&args.input)
            .with_context(|| format!("cannot read {}", args.input.display()))?,
    };
    let (mut spots, damages) = games::positions(&String::from_utf8_lossy(&text), args.plies);
    tell(&args.input, &damages);
    let mut table = match args.output.exists() {
        true => load(&args.output)?,
        false => Table::default(),
    };
    spots.retain(|spot| spot.games >= args.min_games && spot.position().end().is_none());
    if let Some(percent) = args.played {
        // Where every game ends there is nothing to consider.
        spots.retain(|spot| !spot.usual_moves(percent).is_empty());
    }
    let all = spots.len();
    let wanted_depth = args.redo_below.max(args.depth);
    spots.retain(|spot| make::is_wanted(&table, spot, wanted_depth));
    let limited = args.depth.is_some() || args.movetime.is_some();
    let settings = Settings {
        depth: args.depth,
        nodes: args.nodes.or((!limited).then_some(1_000_000)),
        movetime: args.movetime,
        multi_pv: args.multipv.into(),
        played: args.played,
        threads: args.threads.into(),
        hash_mb: args.hash as usize,
        jobs: args.jobs.into(),
    };
    // Before hours of thinking, not after them: can it be written?
    save(&table, &args.output)?;
    progress::watch_for_interrupt()?;
    let stop = AtomicBool::new(false);
    let done = AtomicUsize::new(0);
    let result = progress::with_bar(
        |bar| {
            if progress::interrupted() {
                stop.store(true, Ordering::Relaxed);
            }
            bar.set_length(spots.len() as u64);
            bar.set_position(done.load(Ordering::Relaxed) as u64);
        },
        || think(&spots, &settings, &mut table, &args.output, &stop, &done),
    );
    result?;
    let done = done.into_inner();
    println!(
        "{done} positions searched, {} were in the book, {} left; {} now has {}.",
        all - spots.len(),
        spots.len() - done,
        args.output.display(),
        table.len()
    );
    Ok(if done < spots.len() {
        Done::Interrupted
    } else {
        Done::Yes
    })
}

/// Thinks and saves now and then, and in the end.
fn think(
    spots: &[games::Spot],
    settings: &Settings,
    table: &mut Table,
    output: &Path,
    stop: &AtomicBool,
    done: &AtomicUsize,
) -> anyhow::Result<()> {
    let mut saved = (Instant::now(), 0);
    let mut failure = None;
    make::think(spots, settings, stop, |event| {
        if let Event::Done(spot, moves) = event {
            table.put(&spot.key, spot.ply, moves);
            done.fetch_add(1, Ordering::Relaxed);
        }
        let now = done.load(Ordering::Relaxed);
        if failure.is_none() && now > saved.1 && saved.0.elapsed() >= SAVE_INTERVAL {
            failure = save(table, output).err();
            // Thinking on would be for nothing.
            stop.fetch_or(failure.is_some(), Ordering::Relaxed);
            saved = (Instant::now(), now);
        }
    });
    match failure {
        Some(error) => Err(error),
        None => save(table, output),
    }
}

fn run_merge(args: &MergeArgs) -> anyhow::Result<Done> {
    let mut table = Table::default();
    for book in &args.books {
        table.merge(load(book)?);
    }
    if args.ignore_ply {
        table.unite_plies();
    }
    save(&table, &args.output)?;
    println!("{} has {} positions.", args.output.display(), table.len());
    Ok(Done::Yes)
}

#[derive(Serialize)]
struct Candidates {
    sfen: String,
    /// The move number in the book, 0 for unknown; null when it is not there.
    book_ply: Option<u32>,
    flipped: bool,
    moves: Vec<Candidate>,
}

#[derive(Serialize)]
struct Candidate {
    #[serde(rename = "move")]
    mv: String,
    reply: Option<String>,
    score: Option<i32>,
    depth: Option<u32>,
    count: u32,
}

#[derive(Serialize, Default)]
struct Statistics {
    positions: usize,
    moves: usize,
    /// Least and greatest move number, 0 for unknown.
    plies: Option<(u32, u32)>,
    /// Least and greatest depth.
    depths: Option<(u32, u32)>,
    damaged_lines: usize,
}

fn run_show(args: &ShowArgs) -> anyhow::Result<Done> {
    let source = resolve(&args.book, "book")?;
    if args.position.is_empty() {
        return show_statistics(&source, args.json);
    }
    if args.rules.is_yonin() {
        anyhow::bail!("there are no books of four-player shogi");
    }
    let position = args.position.load(&args.rules.rules())?;
    let Some(opened) = source.open(false)? else {
        anyhow::bail!("`{}` is no book", args.book);
    };
    tell(Path::new(&source.name()), &opened.damages);
    let options = BookOptions {
        ignore_ply: true,
        flipped: true,
        ..BookOptions::default()
    };
    let found = choose::find(&opened.book, &position, &options);
    let moves: &[BookMove] = found.as_ref().map_or(&[], |found| &found.moves);
    let mut out = stdout().lock();
    if args.json {
        let candidates = Candidates {
            sfen: position.sfen(),
            book_ply: found.as_ref().map(|found| found.ply),
            flipped: found.as_ref().is_some_and(|found| found.flipped),
            moves: moves.iter().map(candidate).collect(),
        };
        serde_json::to_writer_pretty(&mut out, &candidates)?;
        writeln!(out)?;
    }
    let Some(found) = &found else {
        if !args.json {
            writeln!(out, "Not in the book.")?;
        }
        return Ok(Done::Negative);
    };
    if args.json {
        return Ok(Done::Yes);
    }
    let flipped = if found.flipped { ", flipped" } else { "" };
    writeln!(out, "Move {} in the book{flipped}.", found.ply)?;
    let width = if args.lang == Notation::Usi { 7 } else { 14 };
    let [head, reply] = ["move", "reply"].map(|word| pad(word, width));
    writeln!(out, "{head}{reply} score  depth   count")?;
    for m in moves {
        let reply = m.reply.filter(|_| position.is_legal(m.mv)).map(|reply| {
            let mut after = position.clone();
            after.make(m.mv);
            args.lang.show(&after, reply)
        });
        let reply = reply.unwrap_or_else(|| "-".to_string());
        let number = |n: Option<i64>| n.map_or("-".to_string(), |n| n.to_string());
        writeln!(
            out,
            "{}{}{:>6} {:>6} {:>7}",
            pad(&args.lang.show(&position, m.mv), width),
            pad(&reply, width),
            number(m.eval.map(i64::from)),
            number(m.depth.map(i64::from)),
            m.count
        )?;
    }
    Ok(Done::Yes)
}

fn candidate(m: &BookMove) -> Candidate {
    Candidate {
        mv: m.mv.to_string(),
        reply: m.reply.map(|reply| reply.to_string()),
        score: m.eval,
        depth: m.depth,
        count: m.count,
    }
}

fn show_statistics(source: &Source, json: bool) -> anyhow::Result<Done> {
    let Some(text) = source.bytes()? else {
        anyhow::bail!("this is no book");
    };
    let (table, damages) = Table::parse(&text);
    tell(Path::new(&source.name()), &damages);
    let mut statistics = Statistics {
        positions: table.len(),
        damaged_lines: damages.total,
        ..Statistics::default()
    };
    let widen = |range: &mut Option<(u32, u32)>, n: u32| {
        *range = Some(range.map_or((n, n), |(least, most)| (least.min(n), most.max(n))));
    };
    for (_, ply, moves) in table.iter() {
        statistics.moves += moves.len();
        widen(&mut statistics.plies, ply);
        for depth in moves.iter().filter_map(|m| m.depth) {
            widen(&mut statistics.depths, depth);
        }
    }
    let mut out = stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut out, &statistics)?;
        writeln!(out)?;
        return Ok(Done::Yes);
    }
    let range = |range: Option<(u32, u32)>| match range {
        Some((least, most)) => format!("{least} to {most}"),
        None => "-".to_string(),
    };
    writeln!(out, "Book:          {}", source.name())?;
    writeln!(out, "Positions:     {}", statistics.positions)?;
    writeln!(out, "Moves:         {}", statistics.moves)?;
    writeln!(out, "Move numbers:  {}", range(statistics.plies))?;
    writeln!(out, "Depths:        {}", range(statistics.depths))?;
    writeln!(out, "Damaged lines: {}", statistics.damaged_lines)?;
    Ok(Done::Yes)
}
