//! The arithmetic that training spends its time in, in `f32`.
//!
//! Everything is written so that the compiler turns it into vector code: inner loops
//! of a fixed length over arrays that fit the registers, several sums at a time.
//! Without wide registers the same code runs on narrow ones. The matrix product
//! keeps a tile of the result in registers while it walks the common dimension
//! (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication",
//! 2008); matrices here are small enough for the caches without further blocking.

// Loops over indices, not zipped iterators, are what the compiler turns into vector
// code whole even where it inlines little.
#![allow(clippy::needless_range_loop)]

/// The number of columns of every matrix is a multiple of this.
pub const LANES: usize = 16;

/// Columns of the input layer that are summed at a time: 256 bytes of each row.
pub const STRIP: usize = 64;

/// Rows of a tile of the matrix product.
const TILE: usize = 8;

/// `x * y + z`, rounded once where that is as fast.
#[inline(always)]
fn multiply_add(x: f32, y: f32, z: f32) -> f32 {
    if cfg!(target_feature = "fma") {
        x.mul_add(y, z)
    } else {
        x * y + z
    }
}

/// A matrix that is read: numbers and how far apart rows and columns are.
/// Exchanging the two distances transposes it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The numbers.
    pub data: &'a [f32],
    /// From a row to the next.
    pub row: usize,
    /// From a column to the next.
    pub column: usize,
}

/// A tile of `c += a * b`: `ROWS` rows from `top` on, `COLUMNS` columns from `left` on.
#[inline(always)]
fn tile<const ROWS: usize, const COLUMNS: usize>(
    a: View,
    (top, left): (usize, usize),
    b: &[f32],
    c: &mut [f32],
    width: usize,
) {
    let mut sums = [[0.0_f32; COLUMNS]; ROWS];
    let first = &a.data[top * a.row..];
    for (step, row) in b.chunks_exact(width).enumerate() {
        let row: &[f32; COLUMNS] = row[left..].first_chunk().expect("a multiple of the tile");
        for i in 0..ROWS {
            // SAFETY: `multiply` has checked that the last element of `a` exists:
            // the greatest row and the greatest step give the greatest index.
            let x = unsafe { *first.get_unchecked(i * a.row + step * a.column) };
            for j in 0..COLUMNS {
                sums[i][j] = multiply_add(x, row[j], sums[i][j]);
            }
        }
    }
    for (i, sums) in sums.iter().enumerate() {
        let target = &mut c[(top + i) * width + left..][..COLUMNS];
        for (target, sum) in target.iter_mut().zip(sums) {
            *target += sum;
        }
    }
}

fn strip<const COLUMNS: usize>(a: View, rows: usize, b: &[f32], c: &mut [f32], width: usize) {
    for left in (0..width).step_by(COLUMNS) {
        let mut top = 0;
        while top + TILE <= rows {
            tile::<TILE, COLUMNS>(a, (top, left), b, c, width);
            top += TILE;
        }
        for top in top..rows {
            tile::<1, COLUMNS>(a, (top, left), b, c, width);
        }
    }
}

/// `c += a * b`. `c` has `rows` rows, `b` has `depth` rows; both are `width` wide,
/// a multiple of [`LANES`], and without gaps.
///
/// # Panics
///
/// When a matrix is shorter than that.
pub fn multiply(a: View, (rows, depth, width): (usize, usize, usize), b: &[f32], c: &mut [f32]) {
    assert!(width.is_multiple_of(LANES));
    if rows == 0 || depth == 0 || width == 0 {
        return;
    }
    assert!((rows - 1) * a.row + (depth - 1) * a.column < a.data.len());
    let (b, c) = (&b[..depth * width], &mut c[..rows * width]);
    match width % (2 * LANES) {
        0 => strip::<{ 2 * LANES }>(a, rows, b, c, width),
        _ => strip::<LANES>(a, rows, b, c, width),
    }
}

/// Adds up rows of a table that is `out.len()` wide, beginning with `bias`, and
/// clips to 0..=1.
pub fn sum_rows(table: &[f32], active: &[u32], bias: &[f32], out: &mut [f32]) {
    let width = out.len();
    for (at, out) in (0..width).step_by(STRIP).zip(out.chunks_exact_mut(STRIP)) {
        let out: &mut [f32; STRIP] = out.try_into().expect("of this length");
        let mut sums: [f32; STRIP] = *bias[at..].first_chunk().expect("a multiple of STRIP");
        for &row in active {
            let row: &[f32; STRIP] = table[row as usize * width + at..]
                .first_chunk()
                .expect("a multiple of STRIP");
            for i in 0..STRIP {
                sums[i] += row[i];
            }
        }
        for i in 0..STRIP {
            out[i] = sums[i].clamp(0.0, 1.0);
        }
    }
}

/// Adds rows of `deltas` to one row: the gradient of an input that all of them had.
pub fn add_rows(target: &mut [f32], deltas: &[f32], rows: impl Iterator<Item = usize> + Clone) {
    let width = target.len();
    for (at, target) in (0..width)
        .step_by(STRIP)
        .zip(target.chunks_exact_mut(STRIP))
    {
        let target: &mut [f32; STRIP] = target.try_into().expect("of this length");
        let mut sums = *target;
        for row in rows.clone() {
            let row: &[f32; STRIP] = deltas[row * width + at..]
                .first_chunk()
                .expect("a multiple of STRIP");
            for i in 0..STRIP {
                sums[i] += row[i];
            }
        }
        *target = sums;
    }
}

/// Sets deltas to 0 where the clipped output is at one of its limits: there the
/// output does not move.
pub fn mask(deltas: &mut [f32], clipped: &[f32]) {
    for (delta, &x) in deltas.iter_mut().zip(clipped) {
        *delta = if x > 0.0 && x < 1.0 { *delta } else { 0.0 };
    }
}

/// Clips to 0..=1.
pub fn clip(values: &mut [f32]) {
    for value in values {
        *value = value.clamp(0.0, 1.0);
    }
}

/// Adds up the rows of a matrix: the gradient of a bias.
pub fn sum_columns(matrix: &[f32], sums: &mut [f32]) {
    for row in matrix.chunks_exact(sums.len()) {
        for (sum, x) in sums.iter_mut().zip(row) {
            *sum += x;
        }
    }
}

/// The transposed matrix of one that is `width` wide.
pub fn transpose(matrix: &[f32], width: usize, out: &mut [f32]) {
    let height = matrix.len() / width;
    for (i, row) in matrix.chunks_exact(width).enumerate() {
        for (j, &x) in row.iter().enumerate() {
            out[j * height + i] = x;
        }
    }
}

/// Sorts pairs of a feature and the number of a row by feature, rows of the same
/// feature in their order; `spare` is overwritten. A radix sort: the lists are long,
/// short-lived, and made for every few positions.
pub fn sort_by_feature(list: &mut Vec<(u32, u32)>, spare: &mut Vec<(u32, u32)>, features: usize) {
    const BITS: u32 = 11;
    let mut shift = 0;
    while features.checked_shr(shift).is_some_and(|rest| rest > 0) {
        let mut starts = [0_u32; 1 << BITS];
        let class = |feature: u32| (feature >> shift) as usize & ((1 << BITS) - 1);
        for &(feature, _) in list.iter() {
            starts[class(feature)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        spare.resize(list.len(), (0, 0));
        for &pair in list.iter() {
            let start = &mut starts[class(pair.0)];
            spare[*start as usize] = pair;
            *start += 1;
        }
        std::mem::swap(list, spare);
        shift += BITS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::random::Random;

    fn numbers(random: &mut Random, count: usize) -> Vec<f32> {
        (0..count)
            .map(|_| random.below(2001) as f32 / 1000.0 - 1.0)
            .collect()
    }

    #[test]
    fn products_are_those_of_the_definition() {
        let mut random = Random::new(1);
        for (rows, depth, width) in [(1, 1, 16), (8, 5, 32), (19, 33, 64), (16, 512, 48)] {
            let a = numbers(&mut random, rows * depth);
            let b = numbers(&mut random, depth * width);
            let start = numbers(&mut random, rows * width);
            let mut transposed = vec![0.0; a.len()];
            transpose(&a, depth, &mut transposed);
            let straight = View {
                data: &a,
                row: depth,
                column: 1,
            };
            let turned = View {
                data: &transposed,
                row: 1,
                column: rows,
            };
            for view in [straight, turned] {
                let mut c = start.clone();
                multiply(view, (rows, depth, width), &b, &mut c);
                for i in 0..rows {
                    for j in 0..width {
                        let sum: f32 = (0..depth)
                            .map(|k| a[i * depth + k] * b[k * width + j])
                            .sum();
                        let wanted = start[i * width + j] + sum;
                        assert!((c[i * width + j] - wanted).abs() < 1e-3);
                    }
                }
            }
        }
    }

    #[test]
    fn rows_are_summed_and_sorted() {
        let mut random = Random::new(2);
        let table = numbers(&mut random, 10 * 128);
        let bias = numbers(&mut random, 128);
        let active = [3, 0, 9, 3];
        let mut sums = vec![0.0; 128];
        sum_rows(&table, &active, &bias, &mut sums);
        let mut added = bias.clone();
        add_rows(&mut added, &table, active.iter().map(|&row| row as usize));
        for i in 0..128 {
            let wanted: f32 = bias[i]
                + active
                    .map(|row| table[row as usize * 128 + i])
                    .iter()
                    .sum::<f32>();
            assert!((sums[i] - wanted.clamp(0.0, 1.0)).abs() < 1e-5);
            assert!((added[i] - wanted).abs() < 1e-5);
        }
        for features in [7, 1710, 130_000] {
            let mut list: Vec<(u32, u32)> = (0..5000)
                .map(|row| (random.below(features) as u32, row))
                .collect();
            let mut wanted = list.clone();
            wanted.sort();
            sort_by_feature(&mut list, &mut Vec::new(), features);
            assert_eq!(list, wanted);
        }
    }
}
