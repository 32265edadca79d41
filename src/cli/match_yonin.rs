//! `tsuru match --variant yonin`: a match of four players.

use std::io::{BufWriter, Write, stdout};
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;

use anyhow::{Context, bail};
use tsuru::arena::config::EngineConfig;
use tsuru::arena::files::create_new;
use tsuru::arena::yonin::{Game, Match, MatchSettings, Summary, four_of};
use tsuru::yonin::Seat;

use super::{Done, progress};

/// Plays the match and prints its table.
pub fn run(
    engines: &[EngineConfig],
    settings: &MatchSettings,
    games_out: Option<&Path>,
    log: bool,
    json: bool,
) -> anyhow::Result<Done> {
    if !(2..=4).contains(&engines.len()) {
        bail!(
            "a match of four needs two to four engines, not {}",
            engines.len()
        );
    }
    let needs_limits = |engine: &&EngineConfig| {
        let fixed = ["builtin:random", "builtin:greedy", "builtin:maxn"];
        engine.limits.is_empty() && !fixed.contains(&engine.cmd.as_str())
    };
    if let Some(engine) = engines.iter().find(needs_limits) {
        bail!(
            "the engine {} has no limit: give --byoyomi, --time, --inc, --movetime, --nodes or --depth",
            engine.name
        );
    }
    let file = match games_out {
        None => None,
        Some(path) => {
            let file = create_new(path)
                .with_context(|| format!("cannot write games to {}", path.display()))?;
            Some(Mutex::new(BufWriter::new(file)))
        }
    };
    progress::watch_for_interrupt()?;
    let game = Match {
        engines,
        players: four_of(engines.len(), settings.rules.format),
        settings,
    };
    let written = Mutex::new(Ok(()));
    let summary = game.run(progress::interrupt_flag(), &|game, summary| {
        if log {
            eprintln!("{}", game_line(game, engines, summary));
        }
        if let Some(file) = &file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let result = serde_json::to_writer(&mut *file, game)
                .map_err(std::io::Error::from)
                .and_then(|()| writeln!(file))
                .and_then(|()| file.flush());
            if result.is_err() {
                *written.lock().unwrap_or_else(PoisonError::into_inner) = result;
            }
        }
    })?;
    written
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .context("cannot write the games")?;
    let mut out = stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut out, &summary)?;
        writeln!(out)?;
    } else {
        write!(out, "{}", table(&summary))?;
    }
    Ok(if progress::interrupted() {
        Done::Interrupted
    } else {
        Done::Yes
    })
}

/// `game 3: A B B B: mates, places 1 4 2 3, 93 moves; A 2.33`.
fn game_line(game: &Game, engines: &[EngineConfig], summary: &Summary) -> String {
    let names: Vec<&str> = game
        .seats
        .iter()
        .map(|&engine| engines[engine].name.as_str())
        .collect();
    let places = match game.places {
        None => "draw".to_owned(),
        Some(places) => format!("places {}", places.map(|place| place.to_string()).join(" ")),
    };
    let faults: Vec<String> = Seat::ALL
        .iter()
        .zip(game.faults)
        .filter(|&(_, faults)| faults > 0)
        .map(|(seat, faults)| format!(", {} faults of {}", faults, seat.name()))
        .collect();
    let first = &summary.scores[0];
    format!(
        "game {}: {}: {}, {places}, {} moves{}; {} {:.3} points, first {:.1} %",
        game.number + 1,
        names.join(" "),
        game.reason,
        game.moves.len(),
        faults.concat(),
        first.name,
        first.points,
        100.0 * first.first,
    )
}

/// The table for people.
fn table(summary: &Summary) -> String {
    let width = summary
        .scores
        .iter()
        .map(|score| score.name.chars().count())
        .max()
        .unwrap_or(0);
    let mut lines = vec![format!(
        "{:width$}  seats  points          first           places 1/2/3/4       faults  slowest",
        ""
    )];
    for score in &summary.scores {
        let mut points = format!("{:.3}", score.points);
        let mut first = format!("{:.1} %", 100.0 * score.first);
        // One round has no error.
        if score.error.is_finite() && score.first_error.is_finite() {
            points += &format!(" ±{:.3}", score.error);
            first += &format!(" ±{:.1}", 100.0 * score.first_error);
        }
        let places = score.places.map(|count| count.to_string()).join("/");
        lines.push(format!(
            "{:width$}  {:>5}  {points:<14}  {first:<14}  {places:<19}  {:>6}  {:>4} ms",
            score.name, score.seats, score.faults, score.slowest
        ));
    }
    let reasons: Vec<String> = summary
        .reasons
        .iter()
        .map(|(reason, count)| format!("{reason} {count}"))
        .collect();
    lines.push(format!(
        "Games {}, {:.1} moves each; ends: {}",
        summary.games,
        summary.moves,
        reasons.join(", ")
    ));
    lines.join("\n") + "\n"
}
