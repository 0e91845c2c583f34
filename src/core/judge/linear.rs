//! Linear algebra for fitting strengths: Cholesky factors of symmetric positive definite matrices.
//!
//! Matrices are row-major slices; only the lower half of a factor is read.

/// Replaces the lower half of `matrix` M by L, where L Lᵀ = M. Returns the log determinant of M.
pub(super) fn factor(matrix: &mut [f64], size: usize) -> f64 {
    let mut logarithm = 0.0;
    for column in 0..size {
        let before: f64 = (0..column).map(|k| matrix[column * size + k].powi(2)).sum();
        let diagonal = (matrix[column * size + column] - before).max(f64::MIN_POSITIVE).sqrt();
        matrix[column * size + column] = diagonal;
        logarithm += 2.0 * diagonal.ln();
        for row in column + 1..size {
            let before: f64 = (0..column).map(|k| matrix[row * size + k] * matrix[column * size + k]).sum();
            matrix[row * size + column] = (matrix[row * size + column] - before) / diagonal;
        }
    }
    logarithm
}

/// Solves L x = v in place.
pub(super) fn forward(factor: &[f64], vector: &mut [f64]) {
    let size = vector.len();
    for row in 0..size {
        let before: f64 = (0..row).map(|k| factor[row * size + k] * vector[k]).sum();
        vector[row] = (vector[row] - before) / factor[row * size + row];
    }
}

/// Solves Lᵀ x = v in place.
pub(super) fn backward(factor: &[f64], vector: &mut [f64]) {
    let size = vector.len();
    for row in (0..size).rev() {
        let after: f64 = (row + 1..size).map(|k| factor[k * size + row] * vector[k]).sum();
        vector[row] = (vector[row] - after) / factor[row * size + row];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_worked_by_hand() {
        // [[4, 2], [2, 3]] has the factor [[2, 0], [1, √2]] and the determinant 8.
        let mut matrix = [4.0, 2.0, 2.0, 3.0];
        let logarithm = factor(&mut matrix, 2);
        assert!((logarithm - 8.0_f64.ln()).abs() < 1e-12);
        assert!((matrix[0] - 2.0).abs() < 1e-12 && (matrix[2] - 1.0).abs() < 1e-12);
        assert!((matrix[3] - 2.0_f64.sqrt()).abs() < 1e-12);
        // 4x + 2y = 8 and 2x + 3y = 8 meet at (1, 2).
        let mut solution = [8.0, 8.0];
        forward(&matrix, &mut solution);
        backward(&matrix, &mut solution);
        assert!((solution[0] - 1.0).abs() < 1e-12 && (solution[1] - 2.0).abs() < 1e-12, "{solution:?}");
    }
}
