//! Handicap games: White gives up pieces and moves first.
//!
//! Names are those that game records and GUIs use; `english` ones are ours.

/// A handicap by its names and initial position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handicap {
    /// Japanese name, as in game records.
    pub japanese: &'static str,
    /// English name, in lower case with hyphens.
    pub english: &'static str,
    /// The initial position as SFEN.
    pub sfen: &'static str,
}

macro_rules! handicaps {
    ($($japanese:literal $english:literal $upper:literal;)*) => {
        &[$(Handicap {
            japanese: $japanese,
            english: $english,
            sfen: concat!($upper, "/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        },)*
        Handicap {
            japanese: "歩三兵",
            english: "three-pawns",
            sfen: "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 3p 1",
        },
        Handicap {
            japanese: "角得",
            english: "bishop-gained",
            sfen: "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w B 1",
        }]
    };
}

/// All handicaps that game records and GUIs name.
pub const HANDICAPS: &[Handicap] = handicaps! {
    "香落ち" "lance" "lnsgkgsn1/1r5b1/ppppppppp";
    "右香落ち" "right-lance" "1nsgkgsnl/1r5b1/ppppppppp";
    "両香落ち" "both-lances" "1nsgkgsn1/1r5b1/ppppppppp";
    "角落ち" "bishop" "lnsgkgsnl/1r7/ppppppppp";
    "飛車落ち" "rook" "lnsgkgsnl/7b1/ppppppppp";
    "飛香落ち" "rook-lance" "lnsgkgsn1/7b1/ppppppppp";
    "二枚落ち" "two-pieces" "lnsgkgsnl/9/ppppppppp";
    "三枚落ち" "three-pieces" "1nsgkgsnl/9/ppppppppp";
    "四枚落ち" "four-pieces" "1nsgkgsn1/9/ppppppppp";
    "五枚落ち" "five-pieces" "2sgkgsn1/9/ppppppppp";
    "左五枚落ち" "left-five-pieces" "1nsgkgs2/9/ppppppppp";
    "六枚落ち" "six-pieces" "2sgkgs2/9/ppppppppp";
    "七枚落ち" "seven-pieces" "3gkgs2/9/ppppppppp";
    "左七枚落ち" "left-seven-pieces" "2sgkg3/9/ppppppppp";
    "八枚落ち" "eight-pieces" "3gkg3/9/ppppppppp";
    "九枚落ち" "nine-pieces" "4kg3/9/ppppppppp";
    "十枚落ち" "ten-pieces" "4k4/9/ppppppppp";
    "裸玉" "naked-king" "4k4/9/9";
    "トンボ" "dragonfly" "4k4/1r5b1/ppppppppp";
    "トンボ＋香" "dragonfly-lances" "l3k3l/1r5b1/ppppppppp";
    "トンボ＋桂香" "dragonfly-knights-lances" "ln2k2nl/1r5b1/ppppppppp";
    "太閤将棋" "taiko" "lnsgkgsnl/1r5b1/p1ppppppp";
};

/// The handicap with this Japanese or English name.
pub fn by_name(name: &str) -> Option<&'static Handicap> {
    HANDICAPS
        .iter()
        .find(|h| h.japanese == name || h.english.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Position, Rules};

    fn perft(position: &mut Position, depth: u32) -> usize {
        if depth == 1 {
            return position.count_moves();
        }
        let mut nodes = 0;
        for m in position.legal_moves() {
            position.make(m);
            nodes += perft(position, depth - 1);
            position.unmake();
        }
        nodes
    }

    /// Counted with cshogi 1.1.0.
    #[test]
    fn perft_of_every_handicap() {
        for (name, expected) in [
            ("香落ち", [30, 900, 25530]),
            ("右香落ち", [29, 870, 23790]),
            ("両香落ち", [29, 870, 23850]),
            ("角落ち", [33, 990, 29910]),
            ("飛車落ち", [25, 750, 18570]),
            ("飛香落ち", [25, 750, 18570]),
            ("二枚落ち", [26, 780, 19740]),
            ("三枚落ち", [25, 750, 18240]),
            ("四枚落ち", [24, 720, 16800]),
            ("五枚落ち", [24, 720, 16770]),
            ("左五枚落ち", [24, 720, 16770]),
            ("六枚落ち", [24, 720, 16740]),
            ("七枚落ち", [22, 660, 14250]),
            ("左七枚落ち", [22, 660, 14250]),
            ("八枚落ち", [20, 600, 12000]),
            ("九枚落ち", [17, 510, 8760]),
            ("十枚落ち", [14, 420, 5880]),
            ("歩三兵", [65, 1918, 114252]),
            ("裸玉", [5, 150, 1019]),
        ] {
            let handicap = by_name(name).unwrap();
            let mut position = Position::from_sfen(handicap.sfen, &Rules::default()).unwrap();
            assert_eq!(position.sfen(), handicap.sfen);
            assert_eq!([1, 2, 3].map(|depth| perft(&mut position, depth)), expected);
        }
    }
}
