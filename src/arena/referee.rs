//! What the referee of a match asks a game beyond the trait
//! [`Game`]: how a declared win counts, who has how many
//! points when the kings have entered, and which options tell an engine the
//! rules.

use crate::core::Color;
use crate::core::color::ByColor;
use crate::game::{Game, ImmediateWin};
use crate::record::{Ending, Format, GameRecord, GameResult, wa as wa_record};
use crate::shogi::entering_king::Declaration;
use crate::shogi::{Position, Rules, Variant};
use crate::wa;

/// Writes a record as the text of a file.
pub type Writer = fn(Format, &GameRecord) -> String;

/// A game that a match can be played in.
pub trait Referee: Game {
    /// Options (`USI_Variant`, ...) that tell an engine the rules, in the order in
    /// which they are sent. An engine gets those that it declares.
    fn settings(rules: &Self::Rules) -> Vec<(&'static str, String)>;

    /// A game is drawn after this many moves unless the user says otherwise.
    const MAX_MOVES: u32;

    /// What writes records as the text of a file; `None` when the format has no
    /// such game.
    fn writer(format: Format) -> Option<Writer>;

    /// What `bestmove win` by the side to move means.
    fn declare(&self) -> (GameResult, Ending) {
        let us = self.side_to_move();
        if self.immediate_win() == Some(ImmediateWin::Declaration) {
            (GameResult::win(us), Ending::Declaration)
        } else {
            (GameResult::win(!us), Ending::FalseDeclaration)
        }
    }

    /// The points of all pieces of each side, when both kings have entered; the
    /// players may then agree to count (24 points save the draw).
    fn impasse_points(&self) -> Option<ByColor<u32>> {
        None
    }
}

impl Referee for Position {
    // As in tournaments of programs.
    const MAX_MOVES: u32 = 320;

    fn writer(_: Format) -> Option<Writer> {
        Some(Format::write)
    }

    fn settings(rules: &Rules) -> Vec<(&'static str, String)> {
        let mut settings = vec![("USI_Variant", rules.variant.word().to_string())];
        if rules.variant == Variant::Standard {
            settings.push(("EnteringKingRule", rules.entering_king.to_string()));
        }
        settings.push(("MaxMovesToDraw", rules.max_moves.to_string()));
        settings
    }

    fn declare(&self) -> (GameResult, Ending) {
        let us = self.side_to_move();
        let standard = self.rules().variant == Variant::Standard;
        match self.declaration(self.rules().entering_king) {
            Declaration::Win if standard => (GameResult::win(us), Ending::Declaration),
            Declaration::Draw if standard => (GameResult::Draw, Ending::ImpasseDraw),
            _ => (GameResult::win(!us), Ending::FalseDeclaration),
        }
    }

    fn impasse_points(&self) -> Option<ByColor<u32>> {
        if self.rules().variant != Variant::Standard {
            return None;
        }
        let [black, white] = Color::ALL.map(|color| self.impasse(color));
        (black.king_entered && white.king_entered)
            .then_some(ByColor([black.all_points, white.all_points]))
    }
}

impl Referee for wa::Position {
    const MAX_MOVES: u32 = 600;

    fn settings(rules: &wa::Rules) -> Vec<(&'static str, String)> {
        vec![
            ("USI_Variant", wa::Rules::WORD.to_string()),
            ("WaDrops", rules.drops.to_string()),
            ("MaxMovesToDraw", rules.max_moves.to_string()),
        ]
    }

    fn writer(format: Format) -> Option<Writer> {
        match format {
            Format::Kif => Some(|_, record| wa_record::write(record)),
            Format::Usi => Some(|_, record| wa_record::write_usi(record)),
            Format::Ki2 | Format::Csa | Format::Jkf => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::EnteringKingRule;

    fn declared(sfen: &str, entering_king: EnteringKingRule) -> (GameResult, Ending) {
        let rules = Rules {
            entering_king,
            ..Rules::default()
        };
        Position::from_sfen(sfen, &rules).unwrap().declare()
    }

    #[test]
    fn declarations_are_checked() {
        use EnteringKingRule::*;
        let entered = "1+P+P+PK+P+P+P1/1+B2+P2+P1/1+R7/9/9/9/9/9/k8 b RB 1";
        let black = (GameResult::BlackWins, Ending::Declaration);
        let wrong = (GameResult::WhiteWins, Ending::FalseDeclaration);
        let draw = (GameResult::Draw, Ending::ImpasseDraw);
        assert_eq!(declared(entered, CSARule27), black);
        assert_eq!(declared(entered, CSARule24), draw);
        assert_eq!(declared(entered, NoEnteringKing), wrong);
        assert_eq!(declared(entered, TryRule), wrong);
        let short = "1+P+P+PK+P+P+P1/1+B2+P2+P1/1+R7/9/9/9/9/9/k8 b R4P 1";
        assert_eq!(declared(short, CSARule27), wrong);
    }

    #[test]
    fn settings_name_the_rules() {
        let names = |rules: &Rules| {
            Position::settings(rules)
                .into_iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(&Rules::default()),
            [
                "USI_Variant=shogi",
                "EnteringKingRule=CSARule27",
                "MaxMovesToDraw=0"
            ]
        );
        assert_eq!(
            names(&Rules::king_capture()),
            ["USI_Variant=kingcapture", "MaxMovesToDraw=300"]
        );
    }
}
