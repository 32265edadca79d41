//! What a training leaves to look at: the losses of every pass as CSV, and their
//! curves as an SVG picture that suits light and dark pages.

use std::fmt::Write;

use crate::learn::train::Epoch;

/// The passes as CSV.
pub fn csv(epochs: &[Epoch]) -> String {
    let mut text = String::from(
        "epoch,positions,rate,training_loss,validation_loss,quantised_loss,\
         validation_result_loss,validation_correlation,seconds\n",
    );
    let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:.6}"));
    for epoch in epochs {
        let validation = epoch.validation;
        let _ = writeln!(
            text,
            "{},{},{:.7},{:.6},{},{},{},{},{:.1}",
            epoch.epoch,
            epoch.positions,
            epoch.rate,
            epoch.training,
            number(validation.map(|metrics| metrics.loss)),
            number(epoch.quantised.map(|metrics| metrics.loss)),
            number(validation.map(|metrics| metrics.result_loss)),
            number(validation.map(|metrics| metrics.correlation)),
            epoch.seconds
        );
    }
    text
}

/// The picture's size and margins.
const SIZE: (f64, f64) = (720.0, 400.0);
const MARGIN: (f64, f64, f64, f64) = (64.0, 20.0, 40.0, 44.0); // left, right, top, bottom

/// A number that is easy to read, of 1, 2 or 5 times a power of ten, so that `range`
/// has about `parts` of it.
fn round_step(range: f64, parts: f64) -> f64 {
    let rough = (range / parts).max(1e-9);
    let power = 10.0_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|factor| factor * power >= rough);
    factor.unwrap_or(10.0) * power
}

/// A curve: its name, its style class, and its points.
type Curve = (&'static str, &'static str, Vec<(f64, f64)>);

/// The losses over the passes.
pub fn svg(epochs: &[Epoch], title: &str) -> String {
    let curve = |loss: fn(&Epoch) -> Option<f64>| -> Vec<(f64, f64)> {
        epochs
            .iter()
            .filter_map(|epoch| Some((f64::from(epoch.epoch), loss(epoch)?)))
            .collect()
    };
    let curves: [Curve; 3] = [
        ("training", "training", curve(|epoch| Some(epoch.training))),
        (
            "validation",
            "validation",
            curve(|epoch| epoch.validation.map(|metrics| metrics.loss)),
        ),
        (
            "validation, integers",
            "integers",
            curve(|epoch| epoch.quantised.map(|metrics| metrics.loss)),
        ),
    ];
    let losses = curves
        .iter()
        .flat_map(|(_, _, points)| points)
        .map(|point| point.1);
    let (low, high) = losses.fold((f64::MAX, f64::MIN), |(low, high), loss| {
        (low.min(loss), high.max(loss))
    });
    // No points, or all on one height: some room around them.
    let (low, high) = if low < high {
        (low, high)
    } else {
        (low.min(0.0), high.max(1.0))
    };
    let step = round_step(high - low, 5.0);
    let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
    let last = epochs
        .last()
        .map_or(1.0, |epoch| f64::from(epoch.epoch).max(2.0));
    let (left, right, top, bottom) = MARGIN;
    let (width, height) = (SIZE.0 - left - right, SIZE.1 - top - bottom);
    let x = |epoch: f64| left + (epoch - 1.0) / (last - 1.0).max(1.0) * width;
    let y = |loss: f64| top + (high - loss) / (high - low) * height;

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<title>{}</title>\n\
         <style>\n\
         text {{ fill: #333; }} .grid {{ stroke: #8884; }} path {{ fill: none; stroke-width: 2; }}\n\
         .training {{ stroke: #888; }} .validation {{ stroke: #1668c1; }}\n\
         .integers {{ stroke: #d2600b; stroke-dasharray: 6 4; }}\n\
         @media (prefers-color-scheme: dark) {{ text {{ fill: #ddd; }} \
         .validation {{ stroke: #6db3ff; }} .integers {{ stroke: #ffa35c; }} }}\n\
         </style>\n",
        SIZE.0,
        SIZE.1,
        escaped(title)
    );
    let _ = writeln!(svg, "<text x=\"{left}\" y=\"18\">{}</text>", escaped(title));
    let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    let lines = ((high - low) / step).round() as u32;
    for line in 0..=lines {
        let loss = low + f64::from(line) * step;
        let at = y(loss);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{left} {at:.1}h{width}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{loss:.decimals$}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    let every = round_step(last - 1.0, 10.0).max(1.0) as usize;
    for epoch in
        (1..=last as u32).filter(|epoch| *epoch == 1 || (*epoch as usize).is_multiple_of(every))
    {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{epoch}</text>",
            x(f64::from(epoch)),
            SIZE.1 - bottom + 18.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">passes over the data</text>",
        left + width / 2.0,
        SIZE.1 - 8.0
    );
    for (index, (name, class, points)) in curves.iter().enumerate() {
        let path: Vec<String> = points
            .iter()
            .map(|&(epoch, loss)| format!("{:.1} {:.1}", x(epoch), y(loss)))
            .collect();
        if path.is_empty() {
            continue;
        }
        // A single point shows as a dot.
        let end = if path.len() == 1 { "h.1" } else { "" };
        let legend = top + 14.0 + 18.0 * index as f64;
        let _ = writeln!(
            svg,
            "<path class=\"{class}\" stroke-linecap=\"round\" d=\"M{}{end}\"/>\n\
             <path class=\"{class}\" d=\"M{:.1} {legend:.1}h28\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
            path.join("L"),
            left + width - 180.0,
            left + width - 146.0,
            legend + 4.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::train::metrics::Metrics;

    fn epochs(count: u32) -> Vec<Epoch> {
        let metrics = |loss| {
            Some(Metrics {
                loss,
                result_loss: 0.5,
                correlation: 0.9,
            })
        };
        let epoch = |epoch: u32| {
            let loss = 0.1 + 0.2 / f64::from(epoch);
            Epoch {
                epoch,
                positions: 1000 * u64::from(epoch),
                rate: 0.001,
                training: loss,
                validation: metrics(loss + 0.01),
                quantised: metrics(loss + 0.011),
                seconds: 1.0,
                validation_seconds: 0.1,
            }
        };
        (1..=count).map(epoch).collect()
    }

    #[test]
    fn csv_has_a_line_for_each_pass() {
        let text = csv(&epochs(2));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(
            lines[2],
            "2,2000,0.0010000,0.200000,0.210000,0.211000,0.500000,0.900000,1.0"
        );
        assert_eq!(lines[0].split(',').count(), lines[2].split(',').count());
        let mut blind = epochs(1);
        blind[0].validation = None;
        blind[0].quantised = None;
        assert!(csv(&blind).contains(",0.300000,,,,,1.0\n"));
    }

    #[test]
    fn curves_are_drawn_within_the_picture() {
        for count in [0, 1, 2, 30] {
            let picture = svg(&epochs(count), "a < b");
            assert!(picture.contains("a &lt; b") && picture.ends_with("</svg>\n"));
            assert!(
                !picture.contains("NaN") && !picture.contains("inf"),
                "{picture}"
            );
            let drawn = picture.matches("class=\"validation\"").count();
            assert_eq!(drawn, if count == 0 { 0 } else { 2 });
            for number in picture.split(&['M', 'L', '"'][..]) {
                let Some((x, y)) = number.split_once(' ') else {
                    continue;
                };
                if let (Ok(x), Ok(y)) = (x.parse::<f64>(), y.parse::<f64>()) {
                    assert!((0.0..=SIZE.0).contains(&x) && (0.0..=SIZE.1).contains(&y));
                }
            }
        }
        assert_eq!(round_step(1.0, 5.0), 0.2);
        assert_eq!(round_step(29.0, 10.0), 5.0);
    }
}
