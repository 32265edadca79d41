//! Mates in one and in three, without a table.

use crate::core::MoveList;
use crate::game::{MateGame, Stage};

/// A move that mates at once, if there is one. Looks at all of them. The position is
/// as before afterwards.
#[inline]
pub fn mate_in_one<G: MateGame>(position: &mut G) -> Option<G::Move> {
    position.mating_check()
}

/// A check that mates at once or in three plies, whatever the defender does.
///
/// Answers that neither take nor flee are tried last: most attempts fail at the
/// first escape. The position is as before afterwards.
pub fn mate_in_three<G: MateGame>(position: &mut G) -> Option<G::Move> {
    if let Some(m) = position.mating_check() {
        return Some(m);
    }
    let mut checks = MoveList::new();
    position.generate_checks(&mut checks);
    checks.into_iter().find(|&m| {
        position.make(m);
        let mates = all_answers_mated(position);
        position.unmake();
        mates
    })
}

/// Whether every answer to a check allows a mate in one.
fn all_answers_mated<G: MateGame>(position: &mut G) -> bool {
    let mut answers = MoveList::new();
    position.generate(Stage::All, false, &mut answers);
    answers.into_iter().all(|m| {
        position.make(m);
        let mated = position.mating_check().is_some();
        position.unmake();
        mated
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Position, Rules};

    #[test]
    fn three_plies_and_no_more() {
        // A published problem of three plies, and one of five.
        for (sfen, mates) in [
            (
                "l2gk2Bl/2s3g2/ppp1p1npp/3s5/9/PK5P1/8P/1S3R3/L+rs3+pNL w B2g2n8p 96",
                true,
            ),
            ("4k4/9/9/9/9/9/9/9/4K4 b G 1", false),
        ] {
            let mut position = Position::from_sfen(sfen, &Rules::default()).unwrap();
            let before = position.sfen();
            assert_eq!(mate_in_three(&mut position).is_some(), mates, "{sfen}");
            assert_eq!(position.sfen(), before);
        }
    }
}
