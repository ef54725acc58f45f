//! Columns of the original line for a line that the preprocessor has changed.
//!
//! `cc -E` preserves lines, but not columns: it expands macros, and collapses spaces. Both lines are divided into
//! pieces, which their longest common subsequence matches; the expansion of a macro is mapped to the macro.

/// For each piece of the preprocessed line, its offset and the corresponding offset in the original line.
pub(crate) type Alignment = Box<[(u32, u32)]>;

/// Maximum product of the two lines' lengths (pieces) for a comparison.
const MAXIMUM_ALIGNED_PIECES: usize = 1 << 20;

/// Aligns a preprocessed line with the original one; `None` if they are equal or too long to compare.
pub(crate) fn align(preprocessed: &[u8], original: &[u8]) -> Option<Alignment> {
    if preprocessed.trim_ascii_end() == original.trim_ascii_end() {
        return None;
    }
    let new = pieces(preprocessed);
    let old = pieces(original);
    if new.len() * old.len() > MAXIMUM_ALIGNED_PIECES {
        return None;
    }
    // common[i][j]: the length of the longest common subsequence of new[i..] and old[j..].
    let width = old.len() + 1;
    let mut common = vec![0_u32; (new.len() + 1) * width];
    for i in (0..new.len()).rev() {
        for j in (0..old.len()).rev() {
            common[i * width + j] = if new[i].text == old[j].text {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let mut result = Vec::with_capacity(new.len());
    let (mut i, mut j) = (0, 0);
    while i < new.len() {
        if j < old.len() && new[i].text == old[j].text {
            result.push((new[i].offset, old[j].offset));
            i += 1;
            j += 1;
        } else if j < old.len()
            && common[i * width + j + 1] >= common[(i + 1) * width + j]
            && !expands(&common, width, i, j)
        {
            j += 1;
        } else {
            // The piece is not in the original line: it is part of the expansion of the piece there, a macro.
            let place = old.get(j).or(old.last()).map_or(0, |piece| piece.offset);
            result.push((new[i].offset, place));
            i += 1;
        }
    }
    Some(result.into_boxed_slice())
}

/// Whether the new piece can be skipped without loss, too: then it counts as part of the expansion of the old one.
fn expands(common: &[u32], width: usize, i: usize, j: usize) -> bool {
    common[(i + 1) * width + j] == common[i * width + j]
}

struct Piece<'line> {
    offset: u32,
    text: &'line [u8],
}

/// The words, quoted texts and single characters of a line, without comments.
fn pieces(line: &[u8]) -> Vec<Piece<'_>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut result = Vec::new();
    let mut start = 0;
    while start < line.len() {
        let rest = &line[start..];
        let length = match rest[0] {
            byte if byte.is_ascii_whitespace() => {
                start += 1;
                continue;
            }
            b'/' if rest.get(1) == Some(&b'/') => break,
            b'/' if rest.get(1) == Some(&b'*') => {
                let end = rest[2..].windows(2).position(|pair| pair == b"*/");
                match end {
                    Some(end) => start += end + 4,
                    None => break,
                }
                continue;
            }
            quote @ (b'"' | b'\'') => {
                let mut length = 1;
                while length < rest.len() && rest[length] != quote {
                    length += if rest[length] == b'\\' { 2 } else { 1 };
                }
                (length + 1).min(rest.len())
            }
            byte if is_word(byte) => rest.iter().take_while(|&&byte| is_word(byte)).count(),
            _ => 1,
        };
        result.push(Piece {
            offset: start as u32,
            text: &rest[..length],
        });
        start += length;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(preprocessed: &str, original: &str) -> Option<Vec<(u32, u32)>> {
        align(preprocessed.as_bytes(), original.as_bytes()).map(Vec::from)
    }

    #[test]
    fn equal_lines_need_no_alignment() {
        assert_eq!(columns("  int x;", "  int x;  "), None);
        assert_eq!(columns("", ""), None);
    }

    #[test]
    fn spaces_and_comments_are_made_up_for() {
        assert_eq!(
            columns("a b;", "a /* c */  b;"),
            Some(vec![(0, 0), (2, 11), (3, 12)])
        );
        assert_eq!(
            columns("a \"/*\" b", "a  \"/*\"  b"),
            Some(vec![(0, 0), (2, 3), (7, 9)])
        );
    }

    #[test]
    fn an_expansion_belongs_to_the_macro() {
        // x = LIMIT + y;  with LIMIT being (1 - 2)
        let expected = vec![
            (0, 0),
            (2, 2),
            (4, 4),
            (5, 4),
            (7, 4),
            (9, 4),
            (10, 4),
            (12, 10),
            (14, 12),
            (15, 13),
        ];
        assert_eq!(
            columns("x = (1 - 2) + y;", "x = LIMIT + y;"),
            Some(expected)
        );
    }

    #[test]
    fn what_does_not_fit_is_at_the_end() {
        assert_eq!(columns("a b", ""), Some(vec![(0, 0), (2, 0)]));
        assert_eq!(columns("", "a b"), Some(vec![]));
    }
}
