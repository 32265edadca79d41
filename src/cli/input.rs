//! Positions on the command line: the words of a USI `position` line, read with
//! the engine's own parser, but strictly: here a person waits for the answer, so
//! an illegal move is an error instead of the end of the list.

use anyhow::{Context, bail};
use clap::Args;
use tsuru::game::Game;
use tsuru::usi::parse::{Command, PositionCommand, parse_line};

#[derive(Args)]
pub struct PositionArgs {
    /// `startpos`, or an sfen, and maybe `moves` and moves [default: startpos].
    #[arg(value_name = "POSITION")]
    words: Vec<String>,
}

impl PositionArgs {
    /// Whether no position was given.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The position after its moves.
    pub fn load<G: Game>(&self, rules: &G::Rules) -> anyhow::Result<G> {
        load(&self.words.join(" "), rules)
    }
}

/// Reads a position in the words of USI and plays its moves.
pub fn load<G: Game>(text: &str, rules: &G::Rules) -> anyhow::Result<G> {
    let command = parse(text);
    let mut position: G = start(&command, rules)?;
    for (index, text) in command.moves.iter().enumerate() {
        let m = position
            .parse_move(text)
            .with_context(|| format!("move {} ({text}) is not legal", index + 1))?;
        position.make(m);
    }
    Ok(position)
}

/// Splits a position into its start and its moves.
pub fn parse(text: &str) -> PositionCommand {
    let text = text.trim();
    let text = text.strip_prefix("position ").unwrap_or(text).trim();
    if text.is_empty() || text == "position" {
        return PositionCommand::default();
    }
    let start = if text == "moves" || text.starts_with("moves ") {
        "startpos "
    } else {
        ""
    };
    match parse_line(format!("position {start}{text}").as_bytes()) {
        Command::Position(command) => command,
        other => unreachable!("a position line was read as {other:?}"),
    }
}

/// The position from which the moves are played.
pub fn start<G: Game>(command: &PositionCommand, rules: &G::Rules) -> anyhow::Result<G> {
    let Some(sfen) = &command.sfen else {
        return Ok(G::start(rules));
    };
    // One word without a board: most likely a forgotten word or a file name.
    if !sfen.contains('/') {
        bail!(
            "`{}` is no position: give `startpos` or a text in {} notation",
            sfen.chars().take(80).collect::<String>(),
            G::NOTATION
        );
    }
    G::from_sfen(sfen, rules).with_context(|| format!("cannot read the {} `{sfen}`", G::NOTATION))
}
