//! Values that look like an e-mail address, a telephone number or the number of an identity card,
//! alone or within a text.

/// Whether a text contains something of the kind.
pub fn looks_personal(text: &str) -> bool {
    // Nearly all values: nothing that any of them could do without.
    if !text.bytes().any(|byte| byte.is_ascii_digit() || byte == b'@') && !text.contains('＠') {
        return false;
    }
    has_email(text) || has_identity_card(text) || has_phone(text)
}

/// Something@domain.tld, with the `@` as such or as a link writes it.
fn has_email(text: &str) -> bool {
    let text = text.replace("%40", "@").replace('＠', "@");
    text.match_indices('@').any(|(at, _)| {
        let local = text[..at].chars().next_back();
        let domain: String = text[at + 1..].chars().take_while(|c| is_of_domain(*c)).collect();
        let mut labels = domain.trim_end_matches(['.', '-']).rsplit('.');
        let last = labels.next().unwrap_or_default();
        local.is_some_and(is_of_local_part)
            && last.chars().count() >= 2
            && last.chars().all(char::is_alphabetic)
            && labels.next().is_some_and(|label| !label.is_empty())
    })
}

fn is_of_local_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-')
}

fn is_of_domain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-')
}

/// The 18 characters of a Chinese identity card: a date of birth in them, and a check digit at the
/// end, which keeps order numbers apart.
fn has_identity_card(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric();
    text.split(|c| !is_part(c)).any(|word| word.len() == 18 && is_identity_card(word.as_bytes()))
}

fn is_identity_card(word: &[u8]) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let (digits, last) = word.split_at(17);
    if !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let number = |range: std::ops::Range<usize>| {
        digits[range].iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(digit - b'0'))
    };
    let sum: u32 = digits.iter().zip(WEIGHTS).map(|(d, weight)| u32::from(d - b'0') * weight).sum();
    let check = b"10X98765432"[(sum % 11) as usize];
    (1900..2100).contains(&number(6..10))
        && (1..=12).contains(&number(10..12))
        && (1..=31).contains(&number(12..14))
        && last[0].to_ascii_uppercase() == check
}

/// Groups of digits with something short between them: `+49 30 1234567`, `(415) 555-2671`.
struct Chain {
    has_plus: bool,
    groups: Vec<String>,
}

impl Chain {
    fn is_phone(&self) -> bool {
        let digits: String = self.groups.concat();
        if self.has_plus {
            return (8..=15).contains(&digits.len());
        }
        if let [only] = self.groups.as_slice() {
            return is_chinese_mobile(only);
        }
        let lengths: Vec<usize> = self.groups.iter().map(String::len).collect();
        // With the country's own number before it, or without.
        is_grouped_phone(&self.groups, &lengths)
            || lengths[0] <= 3 && is_grouped_phone(&self.groups[1..], &lengths[1..])
    }
}

fn is_grouped_phone(groups: &[String], lengths: &[usize]) -> bool {
    let first = |from: usize| groups[from].as_bytes().first().copied().unwrap_or_default();
    match lengths {
        [11] => is_chinese_mobile(&groups[0]),
        [3, 4, 4] => is_chinese_mobile(&groups.concat()),
        [3, 3, 4] => (b'2'..=b'9').contains(&first(0)),
        // A place and a number in it; or the number that American authorities give out.
        [3 | 4, 7 | 8] => first(0) == b'0',
        [3, 2, 4] => true,
        _ => false,
    }
}

/// Eleven digits that begin like one, with or without the country before them.
fn is_chinese_mobile(digits: &str) -> bool {
    let local = match digits.len() {
        11 => digits,
        13 => digits.strip_prefix("86").unwrap_or_default(),
        15 => digits.strip_prefix("0086").unwrap_or_default(),
        _ => "",
    };
    matches!(local.as_bytes(), [b'1', b'3'..=b'9', ..])
}

fn has_phone(text: &str) -> bool {
    chains(text).iter().any(Chain::is_phone)
}

/// The chains of a text. One that touches a letter is part of a word, an id or a hash.
fn chains(text: &str) -> Vec<Chain> {
    let chars: Vec<char> = text.chars().collect();
    let mut chains = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let mut groups = Vec::new();
        let end = loop {
            let from = at;
            while chars.get(at).is_some_and(char::is_ascii_digit) {
                at += 1;
            }
            groups.push(chars[from..at].iter().collect::<String>());
            let between =
                chars[at..].iter().take_while(|c| matches!(c, ' ' | '-' | '.' | '(' | ')')).count();
            let goes_on = chars.get(at + between).is_some_and(char::is_ascii_digit);
            if !(1..=2).contains(&between) || !goes_on {
                break at;
            }
            at += between;
        };
        let mut before = start.checked_sub(1).map(|at| chars[at]);
        if before == Some('(') {
            before = start.checked_sub(2).map(|at| chars[at]);
        }
        let touches = |c: Option<char>| {
            c.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        let after = chars.get(end).copied().filter(|c| *c != '.');
        if !touches(before) && !touches(after) {
            chains.push(Chain { has_plus: before == Some('+'), groups });
        }
    }
    chains
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for text in [
            "jane@example.com",
            "Ask jane.doe+tag@mail.example.co.uk, please",
            "/users/jane%40example.com/orders",
            "数据@例子.中国",
            "jane＠example.com",
            "mailto:a@b.cn.",
        ] {
            assert!(looks_personal(text), "{text}");
        }
        for text in ["@handle", "a@b", "a @ b.co", "10@2.5", "package@1.2.3", "user@host"] {
            assert!(!looks_personal(text), "{text}");
        }
    }

    #[test]
    fn telephone_numbers() {
        for text in [
            "13800138000",
            "手机：13800138000，谢谢",
            "+8613800138000",
            "+86 138 0013 8000",
            "8613800138000",
            "008613800138000",
            "138-0013-8000",
            "86-13800138000",
            "+49 30 1234567",
            "+1 (415) 555-2671",
            "(415) 555-2671",
            "415-555-2671",
            "1-415-555-2671",
            "+442071838750",
            "010-12345678",
            "0755-8888888",
            "078-05-1120",
            "call +33.1.23.45.67.89.",
        ] {
            assert!(looks_personal(text), "{text}");
        }
    }

    #[test]
    fn identity_cards() {
        for text in ["11010519491231002X", "身份证 11010519491231002x。", "440524188001010014"]
        {
            let expected = !text.starts_with("4405");
            assert_eq!(looks_personal(text), expected, "{text}");
        }
        // The check digit is another, the month is none, it is longer.
        for text in ["110105194912310021", "11010519491331002X", "11010519491231002X1"] {
            assert!(!looks_personal(text), "{text}");
        }
    }

    #[test]
    fn other_numbers() {
        for text in [
            "",
            "3",
            "1,299.00",
            "19.99",
            "¥12800",
            "1762732800000",
            "2026-11-15",
            "2026-11-15 08:00:00",
            "2026-11-15T08:00:00.000Z",
            "20261115000123",
            "ORD-2026-000123",
            "SO13800138000",
            "192.168.1.1",
            "1.2.3",
            "130.0.6723.58",
            "31.2304, 121.4737",
            "01a1dd08-6e8b-7c12-a86d-ab85cdefca48",
            "12345678-1234-1234-1234-123456789012",
            "10000000000",
            "12800138000",
            "v2.10.3",
            "50%",
            "1920x1080",
            "Chrome 130",
        ] {
            assert!(!looks_personal(text), "{text}");
        }
    }
}
