//! The trait [`Game`]: all that the search, the protocol and the tools may know
//! of a game.
//!
//! One alpha-beta serves every game. It is generic over `Game` and compiled once
//! for each, so that a game pays nothing for what another one needs. Scores flip
//! their sign only where the *side* changes ([`Game::side_to_move`]), which is
//! every ply in a two-player game.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::core::{Color, MoveList, Score};

/// A move: small, plain, and storable in 16 bits.
pub trait GameMove: Copy + Eq + Hash + fmt::Debug + fmt::Display + Send + Sync + 'static {
    /// The move as 16 bits, never 0.
    fn to_bits(self) -> u16;

    /// The move with these bits, or `None` when they do not form one. The move
    /// may still be illegal in any given position.
    fn from_bits(bits: u16) -> Option<Self>;

    /// Number of the square that the move goes to, below [`Game::SQUARES`].
    fn to_index(self) -> usize;

    /// Whether a piece in hand is dropped.
    fn is_drop(self) -> bool;

    /// Whether the moved piece promotes.
    fn is_promotion(self) -> bool;
}

/// Which moves to generate. Every stage yields legal moves only, in check too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// All moves.
    All,
    /// Captures and promotions of pawns: what changes material at once.
    /// [`Game::is_noisy`] tells for one move whether it belongs here.
    Noisy,
    /// All moves that are not in `Noisy`, drops included.
    Quiet,
    /// The moves of `Quiet` that give check.
    QuietChecks,
}

/// What a recurring position means for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// The position did not occur before.
    None,
    /// It occurred before: a draw.
    Draw,
    /// It occurred before, and the opponent's every move since gave check.
    Win,
    /// It occurred before, and every move since of the side to move gave check.
    Loss,
    /// The board occurred before while the side to move held less in hand.
    Superior,
    /// The board occurred before while the side to move held more in hand.
    Inferior,
}

/// What a finished game is worth to the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// All that could be won.
    Won,
    /// All that could be lost.
    Lost,
    /// Something in between, strictly between the mate scores.
    Score(Score),
}

/// A win that the side to move can take at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImmediateWin<M> {
    /// By declaration (`bestmove win`).
    Declaration,
    /// By a move that ends the game: the king reaching the try square, or the
    /// capture of a king where the rules allow it.
    Move(M),
}

/// Why a game is over, and who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// The side to move is in check and has no legal move.
    Checkmate { winner: Color },
    /// The side to move has no legal move and is not in check: a loss.
    NoLegalMove { winner: Color },
    /// The position occurred for the fourth time (sennichite).
    Sennichite,
    /// The fourth occurrence, with one side checking at every move in between.
    PerpetualCheck { loser: Color },
    /// The king has reached the opponent's king square under the try rule.
    Try { winner: Color },
    /// A king was captured (king-capture rules).
    KingCaptured { winner: Color },
    /// Both sides have nothing but their kings (wa shogi without drops).
    BareKings,
    /// The game reached `MaxMovesToDraw` plies.
    MoveLimit,
    /// A game of four is over, and each player has a place.
    Ranked(crate::yonin::Outcome),
}

impl GameEnd {
    /// The winner, or `None` for a draw.
    pub fn winner(self) -> Option<Color> {
        match self {
            GameEnd::Checkmate { winner }
            | GameEnd::NoLegalMove { winner }
            | GameEnd::Try { winner }
            | GameEnd::KingCaptured { winner } => Some(winner),
            GameEnd::PerpetualCheck { loser } => Some(!loser),
            GameEnd::Sennichite | GameEnd::BareKings | GameEnd::MoveLimit | GameEnd::Ranked(_) => {
                None
            }
        }
    }
}

impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameEnd::Checkmate { winner } => write!(f, "checkmate: {winner} wins"),
            GameEnd::NoLegalMove { winner } => {
                write!(f, "no legal move, though not in check: {winner} wins")
            }
            GameEnd::Sennichite => f.write_str("sennichite (fourth occurrence): draw"),
            GameEnd::PerpetualCheck { loser } => {
                write!(f, "perpetual check by {loser}: {} wins", !*loser)
            }
            GameEnd::Try { winner } => {
                write!(f, "the king has reached the try square: {winner} wins")
            }
            GameEnd::KingCaptured { winner } => write!(f, "king captured: {winner} wins"),
            GameEnd::BareKings => f.write_str("nothing but the kings is left: draw"),
            GameEnd::MoveLimit => f.write_str("move limit reached: draw"),
            GameEnd::Ranked(outcome) => write!(f, "{outcome}"),
        }
    }
}

/// How [`Game::diagram`] draws the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramStyle {
    /// Kanji pieces, as in printed diagrams.
    Japanese,
    /// SFEN letters in a grid.
    Ascii,
}

/// A position of a game together with its history.
///
/// `make` and `unmake` work as a stack. Moves passed to the methods are legal
/// in the position unless the method says otherwise.
pub trait Game: Clone + Send + Sync + 'static {
    /// A move of this game.
    type Move: GameMove;
    /// What one position needs to tell checking moves quickly.
    type CheckInfo;
    /// The choices that the rules leave open (move limit, impasse rule, ...).
    type Rules: Clone + Default + Send + Sync;
    /// Why a position text was refused.
    type PositionError: std::error::Error + Send + Sync + 'static;
    /// Why a move text is no legal move: the rule it breaks.
    type IllegalMove: std::error::Error + Send + Sync + 'static;

    /// Number of squares, for the sizes of history tables.
    const SQUARES: usize;
    /// Number of pieces with their colour, for the sizes of history tables.
    const PIECES: usize;
    /// The word that introduces a position text.
    const NOTATION: &'static str = "sfen";
    /// Whether a player may resign.
    const RESIGNS: bool = true;
    /// How many ordinary nodes of a search one of this game's takes the time of.
    const NODE_WEIGHT: u64 = 1;
    /// Whether a search's moves come with the opponents' answers, so that it is always
    /// the same side that moves and nothing is refuted.
    const ANSWERED: bool = false;

    // Setting up.

    /// The initial position.
    fn start(rules: &Self::Rules) -> Self;

    /// Reads a position: the words after `sfen`, the move number optional.
    fn from_sfen(text: &str, rules: &Self::Rules) -> Result<Self, Self::PositionError>;

    /// The position as text that [`Game::from_sfen`] reads.
    fn sfen(&self) -> String;

    /// Reads a move in protocol notation and checks that it is legal here;
    /// the error says which rule it breaks. Accepts every legal move, useless
    /// non-promotions included.
    fn parse_move(&self, text: &str) -> Result<Self::Move, Self::IllegalMove>;

    /// The board, hands, side to move and move number for people to read.
    fn diagram(&self, style: DiagramStyle) -> String;

    // The position.

    /// The side to move.
    fn side_to_move(&self) -> Color;

    /// Key of the whole position: board, hands, side to move.
    fn key(&self) -> u64;

    /// Keys of two parts of the position that say much about how far a static
    /// evaluation is off (in shogi the pawns, and the pieces in hand).
    fn structure_keys(&self) -> [u64; 2];

    /// Number of the next move of the game, from 1; move limits count with it.
    fn ply(&self) -> u32;

    /// Whether the side to move is in check.
    fn in_check(&self) -> bool;

    /// What the position means as a recurrence of an earlier one in the game or
    /// on the search path: decided at its first recurrence.
    fn repetition(&self) -> Repetition;

    /// A win that the side to move can take at once, if any.
    fn immediate_win(&self) -> Option<ImmediateWin<Self::Move>>;

    /// A move that mates at once, if there is one and the game has a way to find
    /// it that is faster than trying moves. The side to move is not in check.
    fn mate_in_one(&self) -> Option<Self::Move> {
        None
    }

    /// A solver of mates by continuous checks with a table of so many MiB, for games
    /// that have one.
    fn mate_solver(_megabytes: usize) -> Option<Box<dyn RootMate<Self>>> {
        None
    }

    /// Whether the move limit, or too few pieces, make the game a draw here, unless
    /// the side to move is mated, which counts first.
    fn at_move_limit(&self) -> bool;

    /// Whether and how the game is over in this position, by the rules of the
    /// game (fourth occurrence, not the search's first recurrence).
    fn end(&self) -> Option<GameEnd>;

    /// What the position is worth when the game (or a player's part in it) ends
    /// here for another reason than that the side to move has no move.
    #[inline]
    fn finish(&self) -> Option<Finish> {
        None
    }

    /// What to answer instead of a move once the game is over, in games that know
    /// no resigning.
    fn final_note(&self) -> Option<String> {
        None
    }

    /// The player to move, for people.
    fn turn_name(&self) -> String {
        self.side_to_move().to_string()
    }

    /// Number of the player to move, in games of more than two.
    fn seat(&self) -> Option<usize> {
        None
    }

    /// Begins a search from this position: what it sees of the game may depend on
    /// who is to move here.
    fn set_root(&mut self) {}

    /// A line of the search as legal moves of the game. The same, unless the
    /// search sees a simplified game.
    fn real_line(&self, line: &[Self::Move]) -> Vec<Self::Move> {
        line.to_vec()
    }

    // Moves.

    /// Appends the legal moves of `stage` to `moves`. With `all` false, moves
    /// that are never better than another one (useless non-promotions) are left
    /// out; no position loses its last move by that.
    fn generate(&self, stage: Stage, all: bool, moves: &mut MoveList<Self::Move>);

    /// How many legal moves there are, useless ones included.
    fn count_moves(&self) -> usize {
        let mut moves = MoveList::new();
        self.generate(Stage::All, true, &mut moves);
        moves.len()
    }

    /// Whether any well-formed move is legal here. The move may come from
    /// another position, or from a damaged table entry.
    fn is_legal(&self, m: Self::Move) -> bool;

    /// What [`Game::gives_check`] needs.
    fn check_info(&self) -> Self::CheckInfo;

    /// Whether a legal move gives check.
    fn gives_check(&self, m: Self::Move, info: &Self::CheckInfo) -> bool;

    /// Whether a legal move belongs to [`Stage::Noisy`].
    fn is_noisy(&self, m: Self::Move) -> bool;

    /// Number of the moving piece as it stands after the move, below
    /// [`Game::PIECES`].
    fn moved_piece(&self, m: Self::Move) -> usize;

    /// Number of the captured piece, if any, below [`Game::PIECES`].
    fn captured_piece(&self, m: Self::Move) -> Option<usize>;

    /// What a legal move wins at once: the captured piece (which goes to the
    /// hand) and the gain by promotion, in centipawns.
    fn gain(&self, m: Self::Move) -> Score;

    /// Whether the exchange that a legal move starts on its target square wins
    /// at least `threshold` centipawns (static exchange evaluation).
    fn see_ge(&self, m: Self::Move, threshold: Score) -> bool;

    /// The key after a move, for prefetching; exact where it is cheap.
    fn key_after(&self, m: Self::Move) -> u64;

    /// Plays a legal move.
    fn make(&mut self, m: Self::Move);

    /// Takes the last move back.
    fn unmake(&mut self);

    /// Whether the side to move may pass in the search (never in check).
    fn can_pass(&self) -> bool;

    /// Passes: only the side to move changes.
    fn make_null(&mut self);

    /// Takes a pass back.
    fn unmake_null(&mut self);
}

/// What [`RootMate::mating_line`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootAnswer<M> {
    /// The line to the mate.
    pub line: Option<Vec<M>>,
    /// Whether there is no more to find out.
    pub decided: bool,
    /// Nodes searched.
    pub nodes: u64,
}

/// A mate solver as the search of a game asks it ([`Game::mate_solver`]).
pub trait RootMate<G: Game>: Send {
    /// A line by which the side to move mates with continuous checks, if one is found
    /// within so many nodes and before `deadline` and `stop`, and a mate wins for sure.
    /// Asked again, it goes on where it was.
    fn mating_line(
        &mut self,
        root: &G,
        nodes: u64,
        deadline: Option<Instant>,
        stop: &Arc<AtomicBool>,
    ) -> RootAnswer<G::Move>;

    /// Forgets all that was found.
    fn forget(&mut self);
}

/// Pieces in hand as a set with counts, partly ordered by inclusion.
pub trait HandSet: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// No pieces.
    const EMPTY: Self;

    /// The hand in 64 bits.
    fn to_bits(self) -> u64;

    /// The hand with these bits of [`HandSet::to_bits`].
    fn from_bits(bits: u64) -> Self;

    /// Whether every kind is held at least as often as in `other`.
    fn covers(self, other: Self) -> bool;

    /// Of each kind as many as the hand with more of it.
    fn max(self, other: Self) -> Self;

    /// Of each kind as many as the hand with fewer of it.
    fn min(self, other: Self) -> Self;
}

/// What the mate solver needs of a game beyond [`Game`]: checking moves, and the
/// arithmetic of hands. More in the attacker's hand never harms the attacker.
pub trait MateGame: Game {
    /// The pieces in one hand. A game without drops has one value.
    type Hand: HandSet;

    /// Whether the side to move can be asked for a mate: the other side is not in
    /// check already.
    fn is_mate_problem(&self) -> bool;

    /// Whether a mate by checks wins for sure: the rules give the defender no other
    /// way to end the game meanwhile.
    fn is_mate_decisive(&self) -> bool;

    /// Key of the board and the side to move, without the hands.
    fn board_key(&self) -> u64;

    /// Key of all pieces of the game, on the board and in hand, promoted or not,
    /// whoever holds them: no move changes it.
    fn piece_set_key(&self) -> u64;

    /// The pieces that a side has in hand.
    fn hand(&self, color: Color) -> Self::Hand;

    /// The board key after a legal move, and the mover's hand after it.
    fn after(&self, m: Self::Move) -> (u64, Self::Hand);

    /// The hand that becomes `after` by a legal move: with the dropped piece, and
    /// without the captured one if `after` has it. May hold more or less than the
    /// mover really has.
    fn hand_before(&self, m: Self::Move, after: Self::Hand) -> Self::Hand;

    /// Appends the legal moves that give check.
    fn generate_checks(&self, moves: &mut MoveList<Self::Move>);

    /// The attacker's pieces, seen from the defender to move in check, that keep
    /// the defender from blocking: when a drop could block, all of the kinds of
    /// which the defender has none. Else none.
    fn withheld(&self) -> Self::Hand;

    /// The hand of the side to move, raised for each kind it holds to all that
    /// both sides hold of it: what it could have without another kind to drop.
    fn saturated(&self) -> Self::Hand;

    /// Both hands together.
    fn both_hands(&self) -> Self::Hand;

    /// Checks that mostly come to the same have the same group: they are tried
    /// one after the other, promotions first.
    fn attack_group(&self, m: Self::Move) -> Option<u32>;

    /// The same for the defender's moves.
    fn defence_group(&self, m: Self::Move) -> Option<u32>;

    /// Whether a defender's move drops a piece in between where nothing of his guards
    /// it. Such drops come to much the same wherever they are.
    fn is_idle(&self, m: Self::Move) -> bool;

    /// Tells how hard a check looks: first guesses of its proof and disproof number,
    /// 1 and more.
    fn attack_effort(&self) -> impl Fn(Self::Move) -> (u32, u32);

    /// The same for one of the defender's moves.
    fn defence_effort(&self, m: Self::Move) -> (u32, u32);

    /// A move that mates at once, if there is one; in check too, unlike
    /// [`Game::mate_in_one`]. The position is as before afterwards.
    fn mating_check(&mut self) -> Option<Self::Move>;
}

/// A static evaluation of positions, with whatever it keeps up to date along
/// the search path. Each search thread owns one.
pub trait Evaluator<G: Game>: Clone + Send + 'static {
    /// The score of a quiet position in centipawns, from the view of the side to
    /// move, strictly between the mate scores.
    fn evaluate(&mut self, position: &G) -> Score;

    /// Forgets what it knew of the path: the next position is unrelated.
    fn reset(&mut self, _position: &G) {}

    /// Called before `position.make(m)`.
    fn before_make(&mut self, _position: &G, _m: G::Move) {}

    /// Called after `position.unmake()`.
    fn after_unmake(&mut self) {}
}
