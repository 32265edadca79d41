//! How good predictions are.
//!
//! The *target* of a position mixes what became of the game and what a search
//! thought: `lambda * result + (1 - lambda) * sigmoid(score / scale)`. The loss is the
//! Kullback-Leibler divergence of prediction from target: the cross-entropy less what
//! the best prediction would have, so that 0 is perfect.

use serde::{Deserialize, Serialize};

use crate::learn::train::dataset::Sample;

/// What predictions are measured by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Weight of the result, 0 to 1; the score has the rest.
    pub lambda: f32,
    /// Centipawns of a logit of 1.
    pub scale: f32,
}

/// The logistic function: a logit's probability.
pub fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

/// ln(1 + e^x), without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Entropy of a coin, in nats.
fn entropy(p: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    term(p) + term(1.0 - p)
}

/// 1 won, 0.5 drawn, 0 lost.
fn points(sample: &Sample) -> f32 {
    f32::from(sample.result + 1) / 2.0
}

impl Target {
    /// The target of a sample.
    pub fn of(&self, sample: &Sample) -> f32 {
        let score = sigmoid(f32::from(sample.score) / self.scale);
        self.lambda * points(sample) + (1.0 - self.lambda) * score
    }

    /// The loss of a prediction.
    pub fn loss(target: f32, logit: f32) -> f64 {
        let (target, logit) = (f64::from(target), f64::from(logit));
        softplus(logit) - target * logit - entropy(target)
    }
}

/// How good the predictions of many positions are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Mean loss, nats.
    pub loss: f64,
    /// Mean loss with the results alone as targets, a draw being half a win.
    pub result_loss: f64,
    /// Correlation of the predicted chance to win with that of the search's score.
    pub correlation: f64,
}

impl Metrics {
    /// Measures logits; `None` without positions.
    pub fn of(
        samples: &[Sample],
        logits: impl IntoIterator<Item = f32>,
        target: Target,
    ) -> Option<Metrics> {
        let results = Target {
            lambda: 1.0,
            ..target
        };
        let scores = Target {
            lambda: 0.0,
            ..target
        };
        let mut sums = [0.0; 2];
        let mut moments = [0.0; 5];
        for (sample, logit) in samples.iter().zip(logits) {
            sums[0] += Target::loss(target.of(sample), logit);
            sums[1] += Target::loss(results.of(sample), logit);
            let (x, y) = (f64::from(sigmoid(logit)), f64::from(scores.of(sample)));
            for (moment, term) in moments.iter_mut().zip([x, y, x * x, y * y, x * y]) {
                *moment += term;
            }
        }
        if samples.is_empty() {
            return None;
        }
        let n = samples.len() as f64;
        let [x, y, xx, yy, xy] = moments.map(|sum| sum / n);
        let deviations = ((xx - x * x).max(0.0) * (yy - y * y).max(0.0)).sqrt();
        Some(Metrics {
            loss: sums[0] / n,
            result_loss: sums[1] / n,
            correlation: match deviations > 1e-12 {
                true => (xy - x * y) / deviations,
                false => 0.0,
            },
        })
    }

    /// The metrics of the best prediction that is the same for all positions.
    pub fn of_constant(samples: &[Sample], target: Target) -> Option<Metrics> {
        let sum: f64 = samples
            .iter()
            .map(|sample| f64::from(target.of(sample)))
            .sum();
        let mean = (sum / samples.len() as f64).clamp(1e-6, 1.0 - 1e-6);
        let logit = (mean / (1.0 - mean)).ln() as f32;
        Metrics::of(samples, samples.iter().map(|_| logit), target)
    }
}

/// The scale with which the scores predict the results best: a logistic regression
/// with the score as its only variable, by Newton's method. At least 50, which is what
/// comes out when all games end as the scores say, and at most 5000, when they end as
/// they like; 600 where the scores favour nobody, or nobody could doubt any of them.
pub fn fit_scale(samples: &[Sample]) -> f32 {
    const START: f64 = 600.0;
    let mut slope = 1.0 / START;
    for _ in 0..30 {
        let (mut gradient, mut curvature) = (0.0, 0.0);
        for sample in samples {
            let score = f64::from(sample.score);
            let p = 1.0 / (1.0 + (-slope * score).exp());
            gradient += (p - f64::from(points(sample))) * score;
            curvature += p * (1.0 - p) * score * score;
        }
        if curvature < 1e-9 {
            return START as f32;
        }
        let next = (slope - gradient / curvature).clamp(1.0 / 5000.0, 1.0 / 50.0);
        let change = (next - slope).abs();
        slope = next;
        if change < 1e-9 {
            break;
        }
    }
    (1.0 / slope) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::random::Random;

    fn samples(scale: f32) -> Vec<Sample> {
        let mut random = Random::new(5);
        let sample = |_| {
            let score = random.below(4001) as i16 - 2000;
            let p = sigmoid(f32::from(score) / scale);
            let won = random.below(1_000_000) < (p * 1e6) as usize;
            Sample::labelled(score, if won { 1 } else { -1 })
        };
        (0..20_000).map(sample).collect()
    }

    #[test]
    fn the_scale_is_found_again() {
        for scale in [250.0, 600.0, 1200.0] {
            let found = fit_scale(&samples(scale));
            assert!((found / scale - 1.0).abs() < 0.05, "{scale}: {found}");
        }
        assert_eq!(fit_scale(&[]), 600.0);
        let equal = |score, result| vec![Sample::labelled(score, result); 10];
        assert_eq!(fit_scale(&equal(0, 1)), 600.0);
        assert_eq!(fit_scale(&equal(300, 0)), 5000.0);
        assert_eq!(fit_scale(&equal(300, -1)), 5000.0);
        assert_eq!(fit_scale(&equal(300, 1)), 50.0);
        assert_eq!(fit_scale(&equal(i16::MIN, -1)), 600.0);
    }

    #[test]
    fn perfect_predictions_lose_nothing() {
        let samples = samples(600.0);
        let target = Target {
            lambda: 0.0,
            scale: 600.0,
        };
        let logits = samples.iter().map(|sample| f32::from(sample.score) / 600.0);
        let metrics = Metrics::of(&samples, logits, target).unwrap();
        assert!(metrics.loss.abs() < 1e-6, "{metrics:?}");
        assert!(metrics.correlation > 0.9999, "{metrics:?}");
        let constant = Metrics::of_constant(&samples, target).unwrap();
        assert!(
            constant.loss > 0.1 && constant.correlation.abs() < 1e-6,
            "{constant:?}"
        );
        // The results lose about ln 2 to a coin.
        assert!((constant.result_loss - 0.693).abs() < 0.01, "{constant:?}");
        assert_eq!(Metrics::of(&[], [], target), None);
    }
}
