//! The learning rate over a training: a linear rise at the beginning, while Adam's
//! memory fills, then half a cosine down to a small share (Loshchilov and Hutter,
//! "SGDR: Stochastic Gradient Descent with Warm Restarts", 2017, without restarts).

/// The rate as a function of how much of the training is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The highest rate.
    pub peak: f32,
    /// The last rate, as a share of the highest.
    pub end: f32,
    /// The share of the training in which the rate rises.
    pub warm_up: f32,
}

impl Schedule {
    /// The rate when the share `progress` of the training is done.
    pub fn rate(&self, progress: f32) -> f32 {
        if progress < self.warm_up {
            return self.peak * (progress / self.warm_up).max(0.01);
        }
        let rest = ((progress - self.warm_up) / (1.0 - self.warm_up).max(1e-6)).min(1.0);
        let cosine = 0.5 * (1.0 + (std::f32::consts::PI * rest).cos());
        self.peak * (self.end + (1.0 - self.end) * cosine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rises_and_falls() {
        let schedule = Schedule {
            peak: 2.0,
            end: 0.05,
            warm_up: 0.1,
        };
        let close = |progress, rate: f32| {
            let found = schedule.rate(progress);
            assert!((found - rate).abs() < 1e-4, "{progress}: {found}");
        };
        close(0.0, 0.02);
        close(0.05, 1.0);
        close(0.1, 2.0);
        close(0.55, 1.05);
        close(1.0, 0.1);
        let flat = Schedule {
            warm_up: 0.0,
            ..schedule
        };
        assert_eq!(flat.rate(0.0), 2.0);
    }
}
