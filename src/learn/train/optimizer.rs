//! Adam with decoupled weight decay (Kingma and Ba, "Adam: A Method for Stochastic
//! Optimization", 2015; Loshchilov and Hutter, "Decoupled Weight Decay
//! Regularization", 2019).
//!
//! Numbers come in rows, and every row has its own clock. A row that no position
//! of a batch has touched is left alone, moments and all ("lazy Adam"), so that a
//! step costs as much as there are inputs in use, not as there are inputs. The
//! correction for the moments' start at 0 counts the row's own steps: an input seen
//! for the first time late in the training moves as one seen at its beginning did.

use rayon::prelude::*;

/// How quickly the moments forget.
const BETAS: (f32, f32) = (0.9, 0.999);

/// Keeps the division finite. Gradients are means over a batch and small.
const EPSILON: f32 = 1e-8;

/// The size of a step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// How far a parameter moves when its gradient is always the same.
    pub rate: f32,
    /// Weight decay: the share of a parameter that a step of rate 1 takes away.
    pub decay: f32,
    /// The parameters stay between this and its negative.
    pub limit: f32,
}

/// Adam's memory of the gradients of parameters in rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// Mean of the gradients.
    pub mean: Vec<f32>,
    /// Mean of their squares.
    pub square: Vec<f32>,
    /// Steps that each row has made.
    pub clocks: Vec<u32>,
}

fn step_row(
    (values, gradient): (&mut [f32], &[f32]),
    (mean, square): (&mut [f32], &mut [f32]),
    clock: &mut u32,
    step: Step,
) {
    *clock = clock.saturating_add(1);
    let steps = (*clock).min(1 << 20) as i32;
    let rate = step.rate / (1.0 - BETAS.0.powi(steps));
    let square_correction = 1.0 / (1.0 - BETAS.1.powi(steps));
    let keep = 1.0 - step.rate * step.decay;
    let limit = step.limit;
    let memory = mean.iter_mut().zip(square);
    for ((value, &g), (mean, square)) in values.iter_mut().zip(gradient).zip(memory) {
        *mean += (1.0 - BETAS.0) * (g - *mean);
        *square += (1.0 - BETAS.1) * (g * g - *square);
        let moved = *value * keep - rate * *mean / ((*square * square_correction).sqrt() + EPSILON);
        *value = moved.clamp(-limit, limit);
    }
}

impl Adam {
    /// For `rows` rows of `width` parameters.
    pub fn new(rows: usize, width: usize) -> Adam {
        Adam {
            mean: vec![0.0; rows * width],
            square: vec![0.0; rows * width],
            clocks: vec![0; rows],
        }
    }

    /// Moves the rows that are marked in `touched`, and sets their gradients to 0
    /// and the marks to false.
    pub fn step(
        &mut self,
        values: &mut [f32],
        gradient: &mut [f32],
        touched: &mut [bool],
        step: Step,
    ) {
        let rows = self.clocks.len();
        let width = values.len() / rows.max(1);
        // Enough work for a task to be worth its start.
        let task = (1 << 14) / width.max(1) + 1;
        values
            .par_chunks_mut(width)
            .zip(gradient.par_chunks_mut(width))
            .zip(self.mean.par_chunks_mut(width))
            .zip(self.square.par_chunks_mut(width))
            .zip(&mut self.clocks)
            .zip(touched)
            .with_min_len(task)
            .filter(|(_, touched)| **touched)
            .for_each(|(((((values, gradient), mean), square), clock), touched)| {
                step_row((values, gradient), (mean, square), clock, step);
                gradient.fill(0.0);
                *touched = false;
            });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Step = Step {
        rate: 0.1,
        decay: 0.0,
        limit: 2.0,
    };

    #[test]
    fn the_first_step_is_the_rate_whenever_it_comes() {
        let mut adam = Adam::new(2, 16);
        let mut values = vec![0.0; 32];
        for round in 1..=3 {
            let mut gradient = vec![1e-3; 32];
            let mut touched = [true, round == 3];
            adam.step(&mut values, &mut gradient, &mut touched, STEP);
            assert!(
                (values[0] + 0.1 * round as f32).abs() < 1e-3,
                "{}",
                values[0]
            );
            assert_eq!(gradient[0], 0.0);
            assert_eq!(touched, [false, false]);
        }
        // The second row was left alone until its first gradient came.
        assert!((values[16] + 0.1).abs() < 1e-3);
        assert_eq!(adam.clocks, [3, 1]);
    }

    #[test]
    fn finds_the_least_of_a_parabola_within_the_limit() {
        let mut adam = Adam::new(1, 2);
        let mut values = vec![0.0, 0.0];
        for _ in 0..500 {
            let mut gradient = vec![values[0] - 1.0, values[1] - 5.0];
            adam.step(&mut values, &mut gradient, &mut [true], STEP);
        }
        assert!((values[0] - 1.0).abs() < 0.02, "{values:?}");
        assert_eq!(values[1], 2.0);
    }

    #[test]
    fn decay_pulls_to_zero() {
        let mut adam = Adam::new(1, 1);
        let mut values = vec![1.0];
        let step = Step { decay: 0.5, ..STEP };
        adam.step(&mut values, &mut [0.0], &mut [true], step);
        assert!((values[0] - 0.95).abs() < 1e-6);
    }
}
