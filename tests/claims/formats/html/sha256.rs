//! SHA-256 (FIPS 180-4) in Base64, as a page's policy names a script: an oracle for tests, in which speed is nothing.

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The hash of `text` in Base64.
pub(super) fn sha256(text: &str) -> String {
    let roots = |power: u32, count: usize| -> Vec<u32> {
        let primes = (2_u32..).filter(|n| (2..*n).all(|divisor| n % divisor != 0));
        primes.take(count).map(|prime| fraction(prime, power)).collect()
    };
    let mut state = roots(2, 8);
    let constants = roots(3, 64);
    for block in padded(text.as_bytes()).chunks(64) {
        let next = compressed(&state, &words(block), &constants);
        state.iter_mut().zip(next).for_each(|(word, next)| *word = word.wrapping_add(next));
    }
    base64(&state.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>())
}

/// The first 32 bits behind the point of a root of `prime`, found in whole numbers.
fn fraction(prime: u32, power: u32) -> u32 {
    let wanted = u128::from(prime) << (32 * power);
    let mut low = 0_u128;
    let mut high = 1 << 40;
    while high - low > 1 {
        let middle = u128::midpoint(low, high);
        if middle.pow(power) <= wanted { low = middle } else { high = middle }
    }
    u32::try_from(low & 0xffff_ffff).expect("32 bits")
}

fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend((bytes.len() as u64 * 8).to_be_bytes());
    padded
}

fn words(block: &[u8]) -> Vec<u32> {
    let mut words: Vec<u32> =
        block.chunks(4).map(|four| u32::from_be_bytes(four.try_into().expect("four bytes"))).collect();
    for at in 16..64 {
        let a = words[at - 15];
        let b = words[at - 2];
        let first = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let second = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        words.push(words[at - 16].wrapping_add(first).wrapping_add(words[at - 7]).wrapping_add(second));
    }
    words
}

fn compressed(state: &[u32], words: &[u32], constants: &[u32]) -> Vec<u32> {
    let mut now = state.to_vec();
    for (word, constant) in words.iter().zip(constants) {
        let a = now[0];
        let e = now[4];
        let second = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & now[5]) ^ (!e & now[6]);
        let sum = [now[7], second, choice, *constant, *word].into_iter().fold(0, u32::wrapping_add);
        let first = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & now[1]) ^ (a & now[2]) ^ (now[1] & now[2]);
        now.rotate_right(1);
        now[4] = now[4].wrapping_add(sum);
        now[0] = sum.wrapping_add(first).wrapping_add(majority);
    }
    now
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, at| bits << 8 | u32::from(three.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let letter = BASE64[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= three.len() { letter.into() } else { '=' });
        }
    }
    text
}

#[test]
fn the_hashes_are_those_of_the_standard() {
    assert_eq!(sha256("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    assert_eq!(sha256(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    // Around the length at which the padding takes another block.
    let edges = [
        (55, "n0OQ+NMMLdkuyfCVtl4rmumwqSWlJY4kHJ8ekQ9zQxg="),
        (56, "s1Q5pKxvCUi21vnjxq8PX1kM4g8b3nCQ73lwaG7Gc4o="),
        (63, "fT50oF19sVvOStnsBljqmOPwbu7PFrTG//LaRX3cLzQ="),
        (64, "/+BU/nrgy23GXDr5th1SCfQ5hR20PQulmXM33xVGaOs="),
        (65, "Y1NhxIu56rFBmOduqKt/GkFoXWrWKqkUbTAdTxfrCuA="),
    ];
    for (length, hash) in edges {
        assert_eq!(sha256(&"a".repeat(length)), hash, "{length}");
    }
}
