//! What a match says about strength: Elo with error bars, and the SPRT.
//!
//! Games are played in pairs, the same opening with both colours. The two games
//! of a pair are not independent (an opening may favour one side), but pairs are:
//! so everything is computed from the five possible scores of a pair (0, 1/2, 1,
//! 3/2, 2 points: the *pentanomial*), whose variance is smaller than that of
//! single games.
//!
//! Elo is logistic: an expected score `s` a game is `400 log10(s / (1 - s))`. The
//! sequential test is the generalised SPRT of M. Van den Bergh, "The Generalized
//! Sequential Probability Ratio Test for testing Elo differences" and "Comments
//! on Normalized Elo" (hardy.uhasselt.be/Fishtest): the log-likelihood ratio of
//! the best fits to the observed pair scores that have the one or the other
//! expected score.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// Scores a game that a pair can have.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// 97.5 % quantile of the normal distribution: 95 % lie within ± this.
const Z_95: f64 = 1.959_963_984_540_054;

/// Pairs by points of the first engine: 0, 1/2, 1, 3/2, 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pentanomial(pub [u64; 5]);

/// An Elo difference with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Elo {
    /// The estimate; ±infinite when all points went one way.
    pub elo: f64,
    /// Lower end of the 95 % confidence interval.
    pub low: f64,
    /// Upper end of the 95 % confidence interval.
    pub high: f64,
    /// Likelihood that the first engine is the stronger one, 0 to 1.
    pub los: f64,
}

/// Expected score at an Elo difference.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Elo difference at an expected score: infinite at 0 and 1.
pub fn elo_of(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

impl Pentanomial {
    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean score a game, and the variance of the score of a pair (as the mean of
    /// its games). `None` without pairs.
    pub fn mean_variance(&self) -> Option<(f64, f64)> {
        let pairs = self.pairs() as f64;
        if pairs == 0.0 {
            return None;
        }
        let shares = self.0.map(|count| count as f64 / pairs);
        let mean: f64 = SCORES.iter().zip(shares).map(|(s, p)| s * p).sum();
        let variance = SCORES
            .iter()
            .zip(shares)
            .map(|(s, p)| p * (s - mean).powi(2))
            .sum();
        Some((mean, variance))
    }

    /// The Elo difference, `None` without pairs.
    pub fn elo(&self) -> Option<Elo> {
        let (mean, variance) = self.mean_variance()?;
        let deviation = (variance / self.pairs() as f64).sqrt();
        let los = if deviation > 0.0 {
            normal_cdf((mean - 0.5) / deviation)
        } else if mean == 0.5 {
            0.5
        } else {
            f64::from(u8::from(mean > 0.5))
        };
        Some(Elo {
            elo: elo_of(mean),
            low: elo_of(mean - Z_95 * deviation),
            high: elo_of(mean + Z_95 * deviation),
            los,
        })
    }
}

/// Distribution function of the standard normal distribution, by the rational
/// approximation 7.1.26 of Abramowitz and Stegun, "Handbook of Mathematical
/// Functions" (error below 1.5e-7).
fn normal_cdf(x: f64) -> f64 {
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let polynomial = t
        * (0.254_829_592
            + t * (-0.284_496_736
                + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let tail = 0.5 * polynomial * (-z * z).exp();
    if x >= 0.0 { 1.0 - tail } else { tail }
}

/// A sequential test of `elo1` against `elo0`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// The difference that is not worth having.
    pub elo0: f64,
    /// The difference that is hoped for.
    pub elo1: f64,
    /// Probability of accepting `elo1` when `elo0` is true.
    pub alpha: f64,
    /// Probability of accepting `elo0` when `elo1` is true.
    pub beta: f64,
}

/// What a test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Play on.
    Continue,
    /// The difference is `elo0` or less.
    AcceptElo0,
    /// The difference is `elo1` or more.
    AcceptElo1,
}

impl Sprt {
    /// The log-likelihood ratios at which `elo0` and `elo1` are accepted (A. Wald,
    /// "Sequential Analysis", 1947).
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    /// The log-likelihood ratio of `elo1` to `elo0`.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        // Without this, a few pairs of one kind would leave no fit at all.
        let counts = pairs.0.map(|count| (count as f64).max(1e-3));
        let total: f64 = counts.iter().sum();
        let shares = counts.map(|count| count / total);
        let fit0 = fit(&shares, expected_score(self.elo0));
        let fit1 = fit(&shares, expected_score(self.elo1));
        total
            * (0..SCORES.len())
                .map(|i| shares[i] * (fit1[i] / fit0[i]).ln())
                .sum::<f64>()
    }

    /// Whether the test has ended.
    pub fn decide(&self, pairs: &Pentanomial) -> Decision {
        let llr = self.llr(pairs);
        let (lower, upper) = self.bounds();
        if llr >= upper {
            Decision::AcceptElo1
        } else if llr <= lower {
            Decision::AcceptElo0
        } else {
            Decision::Continue
        }
    }
}

/// The distribution with mean `mean` that fits the observed shares best
/// (maximum likelihood). By Lagrange's multipliers it is `p_i / (1 + t (s_i -
/// mean))`, with the `t` that gives it this mean: the zero of a falling function,
/// found by halving the interval in which all weights are positive.
fn fit(shares: &[f64; 5], mean: f64) -> [f64; 5] {
    let excess = SCORES.map(|score| score - mean);
    let slope = |t: f64| -> f64 {
        shares
            .iter()
            .zip(excess)
            .map(|(p, e)| p * e / (1.0 + t * e))
            .sum()
    };
    let mut low = -1.0 / (1.0 - mean);
    let mut high = 1.0 / mean;
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let t = 0.5 * (low + high);
    std::array::from_fn(|i| shares[i] / (1.0 + t * excess[i]))
}

/// Why `--sprt` was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no test: write elo0,elo1,alpha,beta with elo0 < elo1 and error rates between 0 and 0.5, as in 0,10,0.05,0.05"
)]
pub struct SprtError(String);

impl FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Sprt, SprtError> {
        let error = || SprtError(text.to_string());
        let numbers: Vec<f64> = text
            .split(',')
            .map(|word| word.trim().parse())
            .collect::<Result<_, _>>()
            .map_err(|_| error())?;
        let &[elo0, elo1, alpha, beta] = numbers.as_slice() else {
            return Err(error());
        };
        let rate = |rate: f64| rate > 0.0 && rate < 0.5;
        let elo = |elo: f64| elo.abs() <= 2000.0;
        if elo(elo0) && elo(elo1) && elo0 < elo1 && rate(alpha) && rate(beta) {
            Ok(Sprt {
                elo0,
                elo1,
                alpha,
                beta,
            })
        } else {
            Err(error())
        }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt {
            elo0,
            elo1,
            alpha,
            beta,
        } = self;
        write!(f, "{elo0},{elo1},{alpha},{beta}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(value: f64, expected: f64, tolerance: f64) {
        assert!(
            (value - expected).abs() <= tolerance,
            "{value} is not {expected}"
        );
    }

    /// Expected values computed apart from this code, with SciPy: its error
    /// function, and for the likelihood ratio its constrained optimiser (SLSQP)
    /// over the five probabilities in place of the multiplier equation.
    #[test]
    fn known_values() {
        let sprt = |text: &str| text.parse::<Sprt>().unwrap();
        for (counts, elo, low, high, los, llr_0_10, llr_minus5_50) in [
            (
                [3, 10, 40, 30, 17],
                85.04324,
                50.20454,
                121.65009,
                0.999_999_5,
                2.09769,
                9.45849,
            ),
            (
                [10, 20, 40, 20, 10],
                0.0,
                -37.44206,
                37.44206,
                0.5,
                -0.13790,
                -3.31761,
            ),
            (
                [12, 55, 190, 75, 20],
                17.78210,
                2.34116,
                33.29360,
                0.988_009_3,
                2.04038,
                -3.82284,
            ),
            (
                [0, 3, 4, 6, 2],
                82.58956,
                -3.04981,
                179.65257,
                0.970_547_7,
                0.40106,
                1.68762,
            ),
        ] {
            let pairs = Pentanomial(counts);
            let found = pairs.elo().unwrap();
            close(found.elo, elo, 1e-4);
            close(found.low, low, 1e-4);
            close(found.high, high, 1e-4);
            close(found.los, los, 1e-6);
            close(sprt("0,10,0.05,0.05").llr(&pairs), llr_0_10, 1e-4);
            close(sprt("-5,50,0.05,0.05").llr(&pairs), llr_minus5_50, 1e-4);
        }
    }

    #[test]
    fn nothing_played() {
        let none = Pentanomial::default();
        assert_eq!(none.elo(), None);
        let sprt: Sprt = "0,10,0.05,0.05".parse().unwrap();
        assert_eq!(sprt.llr(&none), 0.0);
        assert_eq!(sprt.decide(&none), Decision::Continue);
    }

    #[test]
    fn all_points_to_one_side() {
        let elo = Pentanomial([0, 0, 0, 0, 7]).elo().unwrap();
        assert_eq!((elo.elo, elo.los), (f64::INFINITY, 1.0));
        let elo = Pentanomial([7, 0, 0, 0, 0]).elo().unwrap();
        assert_eq!((elo.elo, elo.los), (f64::NEG_INFINITY, 0.0));
        let draws = Pentanomial([0, 0, 9, 0, 0]).elo().unwrap();
        assert_eq!((draws.elo, draws.low, draws.los), (0.0, 0.0, 0.5));
        let sprt: Sprt = "0,100,0.05,0.05".parse().unwrap();
        assert_eq!(
            sprt.decide(&Pentanomial([0, 0, 0, 0, 50])),
            Decision::AcceptElo1
        );
        assert_eq!(
            sprt.decide(&Pentanomial([50, 0, 0, 0, 0])),
            Decision::AcceptElo0
        );
    }

    #[test]
    fn bounds_of_wald() {
        let sprt: Sprt = "0,5,0.05,0.05".parse().unwrap();
        let (lower, upper) = sprt.bounds();
        close(lower, -2.944_439, 1e-6);
        close(upper, 2.944_439, 1e-6);
        let (lower, upper) = Sprt { beta: 0.1, ..sprt }.bounds();
        close(lower, -2.251_292, 1e-6);
        close(upper, 2.890_372, 1e-6);
    }

    #[test]
    fn reads_tests() {
        let sprt: Sprt = "-3, 1,0.05,0.1".parse().unwrap();
        assert_eq!(sprt.to_string().parse(), Ok(sprt));
        for bad in [
            "",
            "0,5",
            "5,0,0.05,0.05",
            "0,5,0,0.05",
            "0,5,0.05,0.5",
            "0,5,.05,.05,1",
            "0,nan,0.05,0.05",
            "0,inf,0.05,0.05",
        ] {
            assert!(bad.parse::<Sprt>().is_err(), "{bad}");
        }
    }
}
