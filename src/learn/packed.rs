//! A position in 32 bytes: the `PackedSfen` of YaneuraOu's training data.
//!
//! Bits are filled from the lowest of the first byte: the side to move (1), the
//! squares of the black and the white king (7 each), then each other square, by
//! number, with a Huffman code (empty is a 0), then the hands, pawns first and rooks
//! last, with the same codes less their first bit, which is always a 1. After its
//! code a piece has a bit for promotion (but for gold) and one for its colour. On
//! the board a piece takes the place of an empty square and its bit, so that the 40
//! pieces of an even game take exactly 256 bits, wherever they are. Positions with
//! fewer pieces (handicap games) have no place in it.

use crate::core::Color;
use crate::core::color::ByColor;
use crate::shogi::piece::HAND_KINDS;
use crate::shogi::square::SQUARES;
use crate::shogi::{Hand, Piece, PieceKind, Position, Rules, Square};

/// Bytes of a packed position.
pub const BYTES: usize = 32;

const BITS: u32 = 8 * BYTES as u32;

/// Code and its length for each kind, by number.
const CODES: [(u64, u32); HAND_KINDS] = [
    (0b01, 2),
    (0b0011, 4),
    (0b1011, 4),
    (0b0111, 4),
    (0b01_1111, 6),
    (0b11_1111, 6),
    (0b0_1111, 5),
];

/// How many pieces of each kind an even game has, by number.
const FULL_SET: [u32; HAND_KINDS] = [18, 4, 4, 4, 2, 2, 4];

/// A position in 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedSfen(pub [u8; BYTES]);

/// Why a position cannot be packed, or 32 bytes are no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackedError {
    /// A king is missing.
    #[error("{0} has no king")]
    NoKing(Color),
    /// Not the pieces of an even game.
    #[error("{} {} are there instead of {}", found, kind.name(), FULL_SET[kind.index()])]
    Pieces {
        /// The kind, unpromoted.
        kind: PieceKind,
        /// How many there are.
        found: u32,
    },
    /// A king's square is beyond the board.
    #[error("the {0} king is on square {1} of 81")]
    KingSquare(Color, u32),
    /// Both kings on one square.
    #[error("both kings are on {0}")]
    KingsMeet(Square),
    /// The pieces on the board take more than 256 bits.
    #[error("the board does not end")]
    Board,
    /// The last piece in hand is cut off.
    #[error("the hands do not end")]
    Hands,
    /// A promoted piece in hand: how some programs note pieces out of play.
    #[error("a promoted {} is in hand", .0.name())]
    PromotedInHand(PieceKind),
}

/// The pieces of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The side to move.
    pub side: Color,
    /// What stands on each square.
    pub board: [Option<Piece>; SQUARES],
    /// What each side holds.
    pub hands: ByColor<Hand>,
}

impl Placement {
    /// The position, without a history, with its move number.
    pub fn position(self, ply: u32, rules: &Rules) -> Position {
        Position::set_up(self.board, self.hands, self.side, ply, rules)
    }
}

/// Writes bits, the lowest first.
#[derive(Default)]
struct Writer {
    words: [u64; BYTES / 8],
    at: u32,
}

impl Writer {
    /// The caller never writes more than 256 bits in all.
    fn put(&mut self, bits: u64, length: u32) {
        let (word, shift) = ((self.at / 64) as usize, self.at % 64);
        self.words[word] |= bits << shift;
        if shift + length > 64 {
            self.words[word + 1] |= bits >> (64 - shift);
        }
        self.at += length;
    }

    /// A piece; `skip` bits of the code are left out.
    fn piece(&mut self, piece: Piece, skip: u32) {
        let kind = piece.kind.unpromoted();
        let (code, length) = CODES[kind.index()];
        self.put(code >> skip, length - skip);
        if kind != PieceKind::Gold {
            self.put(u64::from(piece.kind.is_promoted()), 1);
        }
        self.put(piece.color.index() as u64, 1);
    }

    fn finish(self) -> PackedSfen {
        debug_assert_eq!(self.at, BITS);
        let mut bytes = [0; BYTES];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(self.words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        PackedSfen(bytes)
    }
}

/// Reads bits, the lowest first; zeros follow the end.
struct Reader {
    words: [u64; BYTES / 8],
    at: u32,
}

impl Reader {
    fn new(packed: &PackedSfen) -> Reader {
        let mut words = [0; BYTES / 8];
        for (word, chunk) in words.iter_mut().zip(packed.0.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*chunk);
        }
        Reader { words, at: 0 }
    }

    /// The next few bits, which stay unread.
    fn peek(&self, length: u32) -> u64 {
        let (word, shift) = ((self.at / 64) as usize, self.at % 64);
        let word_at = |index: usize| self.words.get(index).copied().unwrap_or(0);
        let mut bits = word_at(word) >> shift;
        if shift > 0 {
            bits |= word_at(word + 1) << (64 - shift);
        }
        bits & ((1 << length) - 1)
    }

    fn take(&mut self, length: u32) -> u64 {
        let bits = self.peek(length);
        self.at += length;
        bits
    }

    fn color(&mut self) -> Color {
        Color::ALL[self.take(1) as usize]
    }

    /// A piece, the first `skip` bits of whose code are left out: its kind,
    /// whether it is promoted, and whose it is.
    fn piece(&mut self, skip: u32) -> Option<(PieceKind, bool, Color)> {
        let next = self.peek(6);
        let (kind, length) = CODES
            .iter()
            .enumerate()
            .find_map(|(kind, (code, length))| {
                let (code, length) = (code >> skip, length - skip);
                (next & ((1 << length) - 1) == code).then_some((PieceKind::ALL[kind], length))
            })?;
        self.at += length;
        let promoted = kind != PieceKind::Gold && self.take(1) == 1;
        let color = self.color();
        (self.at <= BITS).then_some((kind, promoted, color))
    }
}

/// Checks that these numbers of pieces are those of an even game.
fn check_counts(counts: [u32; HAND_KINDS]) -> Result<(), PackedError> {
    match (0..HAND_KINDS).find(|&kind| counts[kind] != FULL_SET[kind]) {
        None => Ok(()),
        Some(kind) => Err(PackedError::Pieces {
            kind: PieceKind::ALL[kind],
            found: counts[kind],
        }),
    }
}

impl PackedSfen {
    /// Packs board, hands and side to move.
    pub fn pack(position: &Position) -> Result<PackedSfen, PackedError> {
        let mut counts = [0; HAND_KINDS];
        for kind in PieceKind::ALL {
            if kind != PieceKind::King {
                counts[kind.unpromoted().index()] += position.of_kind(kind).count();
            }
        }
        for color in Color::ALL {
            for (kind, count) in position.hand(color).iter() {
                counts[kind.index()] += count;
            }
        }
        check_counts(counts)?;
        let mut writer = Writer::default();
        writer.put(position.side_to_move().index() as u64, 1);
        for color in Color::ALL {
            let king = position.king(color).ok_or(PackedError::NoKing(color))?;
            writer.put(king.index() as u64, 7);
        }
        for square in Square::all() {
            match position.piece_on(square) {
                None => writer.put(0, 1),
                Some(piece) if piece.kind == PieceKind::King => {}
                Some(piece) => writer.piece(piece, 0),
            }
        }
        for color in Color::ALL {
            for kind in PieceKind::HAND.into_iter().rev() {
                for _ in 0..position.hand(color).count(kind) {
                    writer.piece(Piece::new(color, kind), 1);
                }
            }
        }
        Ok(writer.finish())
    }

    /// The pieces that the bytes describe.
    pub fn unpack(&self) -> Result<Placement, PackedError> {
        let mut reader = Reader::new(self);
        let mut placement = Placement {
            side: reader.color(),
            board: [None; SQUARES],
            hands: ByColor::default(),
        };
        for color in Color::ALL {
            let index = reader.take(7) as u32;
            let square =
                Square::from_index(index as usize).ok_or(PackedError::KingSquare(color, index))?;
            let place = &mut placement.board[square.index()];
            if place.is_some() {
                return Err(PackedError::KingsMeet(square));
            }
            *place = Some(Piece::new(color, PieceKind::King));
        }
        let mut counts = [0; HAND_KINDS];
        for place in &mut placement.board {
            if place.is_some() {
                continue;
            }
            if reader.peek(1) == 0 {
                reader.at += 1;
                continue;
            }
            let (kind, promoted, color) = reader.piece(0).ok_or(PackedError::Board)?;
            counts[kind.index()] += 1;
            let kind = match kind.promoted() {
                Some(kind) if promoted => kind,
                _ => kind,
            };
            *place = Some(Piece::new(color, kind));
        }
        if reader.at > BITS {
            return Err(PackedError::Board);
        }
        while reader.at < BITS {
            let (kind, promoted, color) = reader.piece(1).ok_or(PackedError::Hands)?;
            if promoted {
                return Err(PackedError::PromotedInHand(kind));
            }
            counts[kind.index()] += 1;
            if counts[kind.index()] > FULL_SET[kind.index()] {
                break;
            }
            placement.hands[color].add(kind);
        }
        check_counts(counts)?;
        Ok(placement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::random::Random;

    fn hex(text: &str) -> PackedSfen {
        let byte = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap();
        PackedSfen(std::array::from_fn(byte))
    }

    /// Packed by cshogi 1.1.0, `Board.to_psfen`.
    const KNOWN: [(&str, &str); 5] = [
        (
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c",
        ),
        (
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B1R5/LNSGKGSNL w - 2",
            "59a451220ceb67222ca744385e89f0488457227e9e53221ceb6f223e9651220c",
        ),
        (
            "3s3n1/l2gk1sb1/p2gppp1l/1B2r2p1/1P3N3/P3PPP1P/S1PPn2P1/L2GRK3/1N1G3SL b 4P 61",
            "4425468261fd9484c39904484b207fc5fae37c5fc4f300013e028b3189630000",
        ),
        (
            "3BG1gp1/2P2r2k/l1nsG4/SP4p1P/2pp1rPn1/gn4LPL/L4+b1NS/9/2K2S3 b 3P6p 151",
            "7c01c270905863e12563805f7e7d3b1e0ff0e19420560984158c877700004992",
        ),
        (
            "1+N3p1rk/l3p1pp1/s+Bg4gl/R1pp2GPp/Ppl3S1L/1PPP2G2/3K+n4/1+bS1+p4/2+n3P+nS b 3p 241",
            "6600630e387ef30dd8a5e778880490b037a48037c770ec9b2f19be19cf9f0092",
        ),
    ];

    #[test]
    fn packs_as_cshogi_does() {
        for (sfen, packed) in KNOWN {
            let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
            assert_eq!(PackedSfen::pack(&position), Ok(hex(packed)), "{sfen}");
            let unpacked = hex(packed).unpack().unwrap();
            let again = unpacked.position(position.ply(), &Rules::default());
            assert_eq!(again.sfen(), sfen);
        }
    }

    #[test]
    fn reads_hands_in_any_order() {
        // Golds come before bishops and rooks, but nothing depends on it.
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
        let golds_first = "2381510a86f515e900473c3ed5010020c52758530004cb48123fc3f99024ebbc";
        let golds_last = "2381510a86f515e900473c3ed5010020c52758530004cb48123fc3e79024ebbc";
        for packed in [golds_first, golds_last] {
            let position = hex(packed).unpack().unwrap();
            let position = position.position(1, &Rules::default());
            assert_eq!(position.sfen(), sfen);
            assert_eq!(PackedSfen::pack(&position), Ok(hex(golds_first)));
        }
    }

    #[test]
    fn random_games_round_trip() {
        for game in 0..200 {
            let mut random = Random::nth(1, game);
            let mut position = Position::start(&Rules::default());
            for _ in 0..300 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.make(moves[random.below(moves.len())]);
                let packed = PackedSfen::pack(&position).unwrap();
                let again = packed.unpack().unwrap();
                let again = again.position(position.ply(), &Rules::default());
                assert_eq!(again.sfen(), position.sfen());
                assert_eq!(again.key(), position.key());
            }
        }
    }

    #[test]
    fn random_bytes_are_refused_or_stable() {
        let mut random = Random::new(3);
        let good = hex(KNOWN[3].1);
        let mut accepted = 0;
        for i in 0..100_000 {
            let mut packed = PackedSfen(std::array::from_fn(|_| random.next_u64() as u8));
            if i % 2 == 0 {
                packed = good;
                let bit = random.below(256);
                packed.0[bit / 8] ^= 1 << (bit % 8);
            }
            if let Ok(placement) = packed.unpack() {
                let position = placement.position(1, &Rules::default());
                let again = PackedSfen::pack(&position).unwrap().unpack().unwrap();
                assert_eq!(again.position(1, &Rules::default()).sfen(), position.sfen());
                accepted += 1;
            }
        }
        // Flipped side, colours and promotions are positions, too.
        assert!(accepted > 5_000, "{accepted}");
    }

    #[test]
    fn says_what_is_wrong() {
        let pack = |sfen: &str| {
            let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
            PackedSfen::pack(&position).unwrap_err().to_string()
        };
        assert_eq!(
            pack("lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
            "3 lance are there instead of 4"
        );
        assert_eq!(
            pack("lnsg1gsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
            "white has no king"
        );
        assert_eq!(
            PackedSfen([0; BYTES]).unpack(),
            Err(PackedError::KingsMeet("1a".parse().unwrap()))
        );
        assert_eq!(
            PackedSfen([0xff; BYTES]).unpack(),
            Err(PackedError::KingSquare(Color::Black, 127))
        );
    }
}
