//! Check digits.

/// The digits of a text, without what separates them.
pub(super) fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|char| char.to_digit(10)).collect()
}

/// Luhn's check digit at the end (ISO/IEC 7812-1).
pub(super) fn luhn(digits: &[u32]) -> bool {
    let doubled = digits.iter().rev().enumerate().map(|(place, digit)| match place % 2 {
        0 => *digit,
        _ => (digit * 2) / 10 + (digit * 2) % 10,
    });
    doubled.sum::<u32>().is_multiple_of(10)
}

/// The sum of the first digits times their weights.
pub(super) fn weighted(digits: &[u32], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// Verhoeff's check digit at the end: a permutation of each digit by its place, multiplied in the dihedral group D5
/// (J. Verhoeff, Error Detecting Decimal Codes, 1969).
pub(super) fn verhoeff(digits: &[u32]) -> bool {
    const PERMUTED: [u32; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let mut product = 0;
    for (place, digit) in digits.iter().rev().enumerate() {
        let permuted = (0..place % 8).fold(*digit, |digit, _| PERMUTED[digit as usize % 10]);
        product = dihedral(product, permuted);
    }
    product == 0
}

/// The product of two elements of D5: 0 to 4 are rotations, 5 to 9 reflections.
fn dihedral(a: u32, b: u32) -> u32 {
    match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b - 5) % 5 + 5,
        (false, true) => (a - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_checked() {
        assert!(luhn(&digits("4111 1111 1111 1111")) && !luhn(&digits("4111 1111 1111 1112")));
        // The example of Verhoeff's algorithm in the literature: 236 has the check digit 3.
        assert!(verhoeff(&digits("2363")));
        assert!((0..10).filter(|last| verhoeff(&[2, 3, 6, *last])).count() == 1);
        // It finds all transpositions of neighbours.
        assert!(!verhoeff(&digits("3263")) && !verhoeff(&digits("2633")));
    }
}
