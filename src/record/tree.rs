//! One game as a tree: what every format is read into and written from.
//!
//! A node is a move (or the end of a line) with its time and comments; the first
//! child of each node is the main line, the others are variations. Nodes lie in one
//! vector and every walk is a loop, so that neither length nor nesting of a record
//! costs stack.

use crate::core::Color;
use crate::core::color::ByColor;
use crate::shogi::hand::Hand;
use crate::shogi::piece::Piece;
use crate::shogi::square::SQUARES;
use crate::shogi::{IllegalMove, Move, Position, Rules, Source, Square};

use super::terminal::Terminal;

/// A node of a [`GameTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The start of the game.
    pub const ROOT: NodeId = NodeId(0);

    /// The number of the node, in the order in which nodes were added.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The initial position.
    Start,
    /// A legal move.
    Move(Move),
    /// A move that was played against the rules. Nothing but the end follows it.
    Foul(Move, IllegalMove),
    /// The end of the line.
    End(Terminal),
}

/// A move, or the end of a line, with what the record says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The move.
    pub step: Step,
    /// Time spent on it, in milliseconds.
    pub time_ms: Option<u64>,
    /// The lines of the comment, without the marks of a format.
    pub comments: Vec<String>,
    /// The name of a bookmark (しおり).
    pub bookmark: Option<String>,
    parent: Option<NodeId>,
    children: Vec<NodeId>,
    ply: u32,
}

impl Node {
    fn new(step: Step, parent: Option<NodeId>, ply: u32) -> Node {
        Node {
            step,
            time_ms: None,
            comments: Vec::new(),
            bookmark: None,
            parent,
            children: Vec::new(),
            ply,
        }
    }

    /// The node before; `None` for the start.
    pub fn parent(&self) -> Option<NodeId> {
        self.parent
    }

    /// What may follow: the main line first, then the variations.
    pub fn children(&self) -> &[NodeId] {
        &self.children
    }

    /// Entries from the start to this one: 1 for the first move.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// The move, if it is a legal one.
    pub fn legal_move(&self) -> Option<Move> {
        match self.step {
            Step::Move(m) => Some(m),
            _ => None,
        }
    }
}

/// Keys of headers that have a place in several formats.
pub mod key {
    /// Black's name.
    pub const BLACK: &str = "先手";
    /// White's name.
    pub const WHITE: &str = "後手";
    /// The event.
    pub const EVENT: &str = "棋戦";
    /// The place.
    pub const SITE: &str = "場所";
    /// When it began.
    pub const STARTED: &str = "開始日時";
    /// When it ended.
    pub const ENDED: &str = "終了日時";
    /// The opening.
    pub const OPENING: &str = "戦型";
    /// The time limit.
    pub const TIME_LIMIT: &str = "持ち時間";
    /// A note.
    pub const NOTE: &str = "備考";
    /// The handicap, where it is none that has a position.
    pub const HANDICAP: &str = "手合割";
}

/// The position that a game starts from. A [`Position`] carries kilobytes in which it
/// finds repetitions; a file may hold half a million games.
#[derive(Clone)]
struct SetUp {
    board: [Option<Piece>; SQUARES],
    hands: ByColor<Hand>,
    side: Color,
    ply: u32,
    rules: Rules,
}

impl SetUp {
    fn of(position: &Position) -> SetUp {
        let mut board = [None; SQUARES];
        for square in Square::all() {
            board[square.index()] = position.piece_on(square);
        }
        SetUp {
            board,
            hands: ByColor(Color::ALL.map(|color| position.hand(color))),
            side: position.side_to_move(),
            ply: position.ply(),
            rules: position.rules().clone(),
        }
    }

    /// Whether the same pieces stand the same way; the rules are not the record's.
    fn is_same(&self, other: &SetUp) -> bool {
        self.board == other.board
            && self.hands == other.hands
            && (self.side, self.ply) == (other.side, other.ply)
    }
}

/// A game with its variations.
#[derive(Clone)]
pub struct GameTree {
    /// Key and value, in the order of the record. Keys are those of KIF; players of
    /// handicap games are [`key::BLACK`] and [`key::WHITE`], too.
    pub headers: Vec<(String, String)>,
    start: SetUp,
    nodes: Vec<Node>,
}

impl GameTree {
    /// A game without moves.
    pub fn new(start: &Position) -> GameTree {
        GameTree {
            headers: Vec::new(),
            start: SetUp::of(start),
            nodes: vec![Node::new(Step::Start, None, 0)],
        }
    }

    /// A game without moves from the initial position.
    pub fn even(rules: &Rules) -> GameTree {
        GameTree::new(&Position::start(rules))
    }

    /// The initial position, set up anew.
    pub fn start(&self) -> Position {
        let SetUp {
            board,
            hands,
            side,
            ply,
            ref rules,
        } = self.start;
        Position::set_up(board, hands, side, ply, rules)
    }

    /// The number of the first move, from 1.
    pub fn first_ply(&self) -> u32 {
        self.start.ply
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// A node, to change what is said about it.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// All nodes in the order in which they were added, parents before children.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// How many nodes there are, the start included.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Appends a node behind `parent`. Whether the move is legal there is the
    /// caller's care ([`Cursor`]).
    pub fn add(&mut self, parent: NodeId, step: Step) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer nodes than 4 billion"));
        let ply = self.node(parent).ply + 1;
        self.nodes.push(Node::new(step, Some(parent), ply));
        self.nodes[parent.index()].children.push(id);
        id
    }

    /// The first header with this key.
    pub fn header(&self, key: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, value)| value.as_str())
    }

    /// Adds a header, or replaces the value of the one with this key.
    pub fn set_header(&mut self, key: &str, value: impl Into<String>) {
        match self.headers.iter_mut().find(|(k, _)| k == key) {
            Some(header) => header.1 = value.into(),
            None => self.headers.push((key.to_owned(), value.into())),
        }
    }

    /// The nodes of the main line after the start.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.line_from(NodeId::ROOT).skip(1)
    }

    /// `id` and the first children from there to the end.
    pub fn line_from(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(id), |&id| self.node(id).children.first().copied())
    }

    /// The legal moves of the main line.
    pub fn main_moves(&self) -> Vec<Move> {
        self.main_line()
            .map_while(|id| self.node(id).legal_move())
            .collect()
    }

    /// How the main line ends, if the record says so.
    pub fn ending(&self) -> Option<&Terminal> {
        self.main_line()
            .last()
            .and_then(|id| match &self.node(id).step {
                Step::End(terminal) => Some(terminal),
                _ => None,
            })
    }

    /// The side that makes entry number `ply` of a line (1 for the first move).
    pub fn side_at(&self, ply: u32) -> Color {
        let first = self.start.side;
        if ply % 2 == 1 { first } else { !first }
    }

    /// The winner by the record's end: `Some(None)` for a draw.
    pub fn winner(&self) -> Option<Option<Color>> {
        let last = self.main_line().last()?;
        self.ending()?.winner(self.side_at(self.node(last).ply))
    }

    /// The position after the legal moves of the main line.
    pub fn last_position(&self) -> Position {
        let mut position = self.start();
        for m in self.main_moves() {
            position.make(m);
        }
        position
    }

    /// For every node the whole seconds that Black and White have used up to it.
    pub fn total_seconds(&self) -> Vec<[u64; 2]> {
        let mut totals: Vec<[u64; 2]> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let mut total = node.parent.map_or([0; 2], |parent| totals[parent.index()]);
            if node.parent.is_some() {
                let total = &mut total[self.side_at(node.ply).index()];
                *total = total.saturating_add(node.time_ms.unwrap_or(0) / 1000);
            }
            totals.push(total);
        }
        totals
    }

    /// The lines in the order in which formats with numbered branches list them:
    /// the main line, then for every line its branches from the last to the first,
    /// each followed by its own. Each is given by its first node after the branch.
    pub fn lines(&self) -> Lines<'_> {
        Lines {
            tree: self,
            pending: self
                .node(NodeId::ROOT)
                .children
                .first()
                .copied()
                .into_iter()
                .collect(),
            fresh: true,
        }
    }
}

/// Two trees are equal when they say the same, however they were built.
impl PartialEq for GameTree {
    fn eq(&self, other: &GameTree) -> bool {
        if self.headers != other.headers
            || !self.start.is_same(&other.start)
            || self.nodes.len() != other.nodes.len()
        {
            return false;
        }
        let mut pending = vec![(NodeId::ROOT, NodeId::ROOT)];
        while let Some((a, b)) = pending.pop() {
            let (a, b) = (self.node(a), other.node(b));
            let same = a.step == b.step
                && a.time_ms == b.time_ms
                && a.comments == b.comments
                && a.bookmark == b.bookmark
                && a.children.len() == b.children.len();
            if !same {
                return false;
            }
            pending.extend(a.children.iter().copied().zip(b.children.iter().copied()));
        }
        true
    }
}

impl std::fmt::Debug for GameTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GameTree")
            .field("headers", &self.headers)
            .field("start", &self.start().sfen())
            .field("nodes", &self.nodes)
            .finish()
    }
}

/// See [`GameTree::lines`].
pub struct Lines<'a> {
    tree: &'a GameTree,
    pending: Vec<NodeId>,
    fresh: bool,
}

impl Iterator for Lines<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let first = self.pending.pop()?;
        // The main line's own siblings are branches at the first move.
        let from = if std::mem::take(&mut self.fresh) {
            NodeId::ROOT
        } else {
            first
        };
        for id in self.tree.line_from(from) {
            let branches = self.tree.node(id).children.iter().skip(1);
            self.pending.extend(branches.rev());
        }
        Some(first)
    }
}

/// A position that follows a walk through a tree.
#[derive(Clone)]
pub struct Cursor {
    position: Position,
    node: NodeId,
}

impl Cursor {
    /// At the start of the game.
    pub fn new(tree: &GameTree) -> Cursor {
        Cursor::at_start(tree.start())
    }

    /// At the start of a game from this position.
    pub(super) fn at_start(position: Position) -> Cursor {
        Cursor {
            position,
            node: NodeId::ROOT,
        }
    }

    /// The position after the last legal move on the way to the node.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The node.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Goes to another node by way of the last common one.
    pub fn go_to(&mut self, tree: &GameTree, target: NodeId) {
        let mut forward = Vec::new();
        let mut node = target;
        while self.node != node {
            let (here, there) = (tree.node(self.node), tree.node(node));
            // The deeper of the two steps back.
            if here.ply > there.ply {
                if here.legal_move().is_some() {
                    self.position.unmake();
                }
                self.node = here.parent.unwrap_or(NodeId::ROOT);
            } else {
                forward.push(node);
                node = there.parent.unwrap_or(NodeId::ROOT);
            }
        }
        for node in forward.into_iter().rev() {
            if let Some(m) = tree.node(node).legal_move() {
                self.position.make(m);
            }
        }
        self.node = target;
    }

    /// Appends a move here and goes there. An illegal move of a piece that the mover
    /// has is appended as a foul, any other one is not; both are returned as errors.
    pub fn play(&mut self, tree: &mut GameTree, m: Move) -> Result<NodeId, IllegalMove> {
        match self.position.check_legality(m) {
            Ok(()) => {
                self.node = tree.add(self.node, Step::Move(m));
                self.position.make(m);
                Ok(self.node)
            }
            Err(rule) => {
                let side = self.position.side_to_move();
                let can_be_said = match m.source() {
                    Source::Hand(_) => true,
                    Source::Board(from) => self
                        .position
                        .piece_on(from)
                        .is_some_and(|piece| piece.color == side),
                };
                if can_be_said && m.is_promotion() && !is_promotable(&self.position, m) {
                    return Err(rule);
                }
                if can_be_said {
                    self.node = tree.add(self.node, Step::Foul(m, rule.clone()));
                }
                Err(rule)
            }
        }
    }

    /// Appends the end of the line and goes there.
    pub fn end(&mut self, tree: &mut GameTree, terminal: Terminal) -> NodeId {
        self.node = tree.add(self.node, Step::End(terminal));
        self.node
    }
}

fn is_promotable(position: &Position, m: Move) -> bool {
    m.from()
        .and_then(|from| position.piece_on(from))
        .is_some_and(|piece| piece.kind.promoted().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(tree: &mut GameTree, cursor: &mut Cursor, moves: &[&str]) -> NodeId {
        for text in moves {
            let m = Move::from_usi(text).unwrap();
            cursor.play(tree, m).unwrap();
        }
        cursor.node()
    }

    #[test]
    fn branches_come_from_the_last_to_the_first() {
        let mut tree = GameTree::even(&Rules::default());
        let mut cursor = Cursor::new(&tree);
        let main = play(&mut tree, &mut cursor, &["7g7f", "3c3d", "2g2f"]);
        let names = |tree: &GameTree| -> Vec<String> {
            tree.lines()
                .map(|id| tree.node(id).legal_move().unwrap().to_string())
                .collect()
        };
        assert_eq!(names(&tree), ["7g7f"]);
        cursor.go_to(&tree, NodeId::ROOT);
        play(&mut tree, &mut cursor, &["2g2f", "8c8d"]);
        let second = tree.node(main).parent().unwrap();
        cursor.go_to(&tree, second);
        assert_eq!(cursor.position().ply(), 3);
        play(&mut tree, &mut cursor, &["6i7h"]);
        cursor.go_to(&tree, second);
        play(&mut tree, &mut cursor, &["5i5h", "8c8d", "2g2f"]);
        let fork = tree.node(cursor.node()).parent().unwrap();
        cursor.go_to(&tree, fork);
        play(&mut tree, &mut cursor, &["3i4h"]);
        assert_eq!(names(&tree), ["7g7f", "6i7h", "5i5h", "3i4h", "2g2f"]);
        assert_eq!(tree.main_moves().len(), 3);
        assert_eq!(tree, tree.clone());
    }

    #[test]
    fn fouls_are_kept_and_end_the_line() {
        let mut tree = GameTree::even(&Rules::default());
        let mut cursor = Cursor::new(&tree);
        let foul = Move::from_usi("7g7e").unwrap();
        assert!(cursor.play(&mut tree, foul).is_err());
        assert!(matches!(tree.node(cursor.node()).step, Step::Foul(m, _) if m == foul));
        let end = cursor.end(&mut tree, Terminal::FoulWin);
        assert_eq!(tree.node(end).ply(), 2);
        assert_eq!(tree.winner(), Some(Some(Color::White)));
        cursor.go_to(&tree, NodeId::ROOT);
        assert!(
            cursor
                .play(&mut tree, Move::from_usi("5e5d").unwrap())
                .is_err()
        );
        assert_eq!(tree.node_count(), 3);
    }
}
