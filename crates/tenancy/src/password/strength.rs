//! Which new passwords are accepted: none that leaked, and none that can be guessed from what is known
//! about the owner, common words, and the year. There are no rules about kinds of characters.

use unicode_normalization::UnicodeNormalization;
use zxcvbn::Score;

use super::common;
use atrium_core::error::{Code, Fault};
use atrium_core::text::Checks;

pub const PASSWORD_MIN: usize = 8;
pub const PASSWORD_MAX: usize = 128;

/// Checks length and how easy it is to guess: rules about kinds of characters make passwords worse.
pub fn check_new(
    checks: &mut Checks,
    field: &'static str,
    password: &str,
    about_the_owner: &[&str],
) {
    if let Some(fault) = password_fault(password, about_the_owner) {
        checks.fail(fault.on(field));
    }
}

/// What is wrong with a new password, if anything.
pub fn password_fault(password: &str, about_the_owner: &[&str]) -> Option<Fault> {
    let length = normalized(password).chars().count();
    if length < PASSWORD_MIN {
        return Some(Fault::new(Code::PasswordTooShort).with("min", PASSWORD_MIN));
    }
    // What was typed counts too: normalizing can make text shorter.
    if length.max(password.chars().count()) > PASSWORD_MAX {
        return Some(Fault::new(Code::PasswordTooLong).with("max", PASSWORD_MAX));
    }
    fault_of(password, about_the_owner).map(Fault::new)
}

/// A password that takes fewer guesses is refused; zxcvbn calls this "safely unguessable".
const ENOUGH: f64 = 1e8;
/// How many characters are examined: more would slow the estimate down, and only make a password harder
/// to guess.
const LOOKED_AT: usize = 32;
/// Characters that zxcvbn treats as disguised letters, and how many kinds of them are examined.
const DISGUISES: &str = "4@8({[<369|!10$5+7%2";
const MOST_DISGUISES: usize = 6;
/// The guesses a known word is worth: there are about as many words.
const WORD: f64 = 300.0;

/// Words of the product, the calendar and everyday life, in English and pinyin, that zxcvbn does not
/// rank, or ranks too low. The most likely ones come first.
const KNOWN_WORDS: &str = "atrium analytics console dashboard password passwort passwd mima admin \
    guanliyuan administrator operator root login denglu user yonghu account zhanghao test ceshi \
    demo guest welcome huanying hello nihao letmein changeme secret mimi woaini woaini1314 \
    5201314 1314520 woaizhongguo zhongguo china beijing shanghai guangzhou shenzhen hangzhou \
    chengdu company gongsi team tuandui data shuju \
    spring summer autumn fall winter chuntian xiatian qiutian dongtian chunji xiaji qiuji dongji \
    january february march april may june july august september october november december \
    yiyue eryue sanyue siyue wuyue liuyue qiyue bayue jiuyue shiyue shiyiyue shieryue \
    monday tuesday wednesday thursday friday saturday sunday xingqiyi xingqier xingqisan xingqisi \
    xingqiwu xingqiliu xingqiri xingqitian zhouyi zhouer zhousan zhousi zhouwu zhouliu zhouri \
    xinnian kuaile xinniankuaile chunjie zhongqiu guoqing shengri shengrikuaile baobao laopo \
    laogong gongxi facai gongxifacai wodemima woshishui meiyou buzhidao caonima";

/// The form in which a password is checked, hashed and compared: the same characters typed on another
/// keyboard are the same password.
pub fn normalized(password: &str) -> String {
    password.nfkc().collect()
}

/// Why a password is refused, if it is. `about` is what is known about the owner: address, name, teams.
pub fn fault_of(password: &str, about: &[&str]) -> Option<Code> {
    let password = normalized(password);
    let lower = password.to_lowercase();
    if is_listed(&lower) {
        return Some(Code::PasswordCommon);
    }
    let own = own_words(about);
    let beginning = simplified(&password.chars().take(LOOKED_AT).collect::<String>());
    if guesses(&beginning, &own) >= ENOUGH {
        return None;
    }
    let plain = undisguised(&lower);
    let is_personal = own.iter().any(|word| lower.contains(word) || plain.contains(word));
    Some(if is_personal { Code::PasswordPersonal } else { Code::PasswordGuessable })
}

/// Whether it leaked, also with the usual characters in place of letters or around it.
fn is_listed(lower: &str) -> bool {
    let core = lower.trim_matches(|c: char| !c.is_alphanumeric());
    [lower, core].into_iter().any(|text| {
        // Trailing digits are more often a number than disguised letters.
        let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let numbered = undisguised(word) + &text[word.len()..];
        [text, &numbered, &undisguised(text)].into_iter().any(common::contains)
    })
}

/// How many guesses an attacker needs who knows people's habits and something about the owner.
fn guesses(password: &str, own: &[String]) -> f64 {
    let years: Vec<String> = (1940..=2059).rev().map(|year: i32| year.to_string()).collect();
    let known = KNOWN_WORDS.split_whitespace().chain(years.iter().map(String::as_str));
    let words: Vec<&str> = own.iter().map(String::as_str).chain(known).collect();
    if zxcvbn::zxcvbn(password, &words).score() < Score::Three {
        return 0.0;
    }
    // zxcvbn assumes that three parts in a row take 10^8 guesses, however common each of them is:
    // "Winter", "2026" and "!" would pass. So known words are taken out and counted separately.
    guesses_apart(&password.to_lowercase(), &words)
}

/// The guesses for every known word in it, times those for the rest.
fn guesses_apart(lower: &str, words: &[&str]) -> f64 {
    let mut longest_first = words.to_vec();
    longest_first.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let (mut rest, mut found) = (lower.to_owned(), 1.0);
    // Takes out years before the digits turn into letters, and then the words behind the disguise.
    for disguised in [false, true] {
        if disguised {
            rest = undisguised(&rest);
        }
        for word in &longest_first {
            if rest.contains(word) {
                // A repeated word is only guessed once.
                rest = rest.replace(word, "");
                found *= WORD;
            }
        }
    }
    let estimate = zxcvbn::zxcvbn(&rest, &[]);
    let parts = estimate.sequence();
    let orders: f64 = (1..=parts.len()).map(|n| n as f64).product();
    let parts: f64 = parts.iter().map(|part| part.guesses.unwrap_or(1) as f64).product();
    found * parts * orders
}

/// The owner's address, its parts, names and their parts. Fewer than three letters mean nothing.
fn own_words(about: &[&str]) -> Vec<String> {
    let mut words = Vec::new();
    for text in about {
        let lower = normalized(text).to_lowercase();
        let parts = lower.split(|c: char| !c.is_alphanumeric()).map(str::to_owned);
        let joined: String = lower.chars().filter(|c| c.is_alphanumeric()).collect();
        words.extend([lower.clone(), joined].into_iter().chain(parts));
    }
    words.retain(|word| {
        let long = word.chars().count();
        long >= 3 || (long == 2 && !word.is_ascii())
    });
    words.sort();
    words.dedup();
    words
}

/// Keeps only a few kinds of the characters that may stand for letters: zxcvbn tries every combination,
/// which takes half a second for all of them.
fn simplified(text: &str) -> String {
    const NEUTRAL: [char; 7] = ['~', ';', '^', '_', '*', ',', '&'];
    let mut kinds = Vec::new();
    let plain = |(place, c): (usize, char)| {
        if !DISGUISES.contains(c) || kinds.contains(&c) {
            return c;
        }
        if kinds.len() < MOST_DISGUISES {
            kinds.push(c);
            return c;
        }
        NEUTRAL[place % NEUTRAL.len()]
    };
    text.chars().enumerate().map(plain).collect()
}

/// Replaces the usual stand-ins with the letters they stand for, one for one.
fn undisguised(text: &str) -> String {
    let letter = |c| match c {
        '@' | '4' => 'a',
        '3' => 'e',
        '1' | '!' => 'i',
        '0' => 'o',
        '$' | '5' => 's',
        '7' => 't',
        other => other,
    };
    text.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const JANE: &[&str] = &["jane.miller@harbour.example", "Jane Miller", "Blue Whale 数据"];

    fn fault(password: &str) -> Option<Code> {
        fault_of(password, JANE)
    }

    #[test]
    fn leaked_passwords_are_refused() {
        for common in [
            "password",
            "Password1",
            "passw0rd!",
            "12345678",
            "87654321",
            "aaaaaaaa",
            "abcdefgh",
            "a1b2c3d4",
            "qwertyuiop",
            "1qaz2wsx",
            "P@SSW0RD",
            "woaini1314",
            "ｐａｓｓｗｏｒｄ",
        ] {
            assert_eq!(fault(common), Some(Code::PasswordCommon), "{common}");
        }
    }

    #[test]
    fn a_known_word_with_a_year_is_refused_however_it_is_written() {
        let mut missed = Vec::new();
        for word in [
            "Winter",
            "Atrium",
            "letmein",
            "Summer",
            "Monday",
            "October",
            "Dongtian",
            "Xingqiyi",
            "Welcome",
            "Guanliyuan",
            "Shanghai",
            "password",
        ] {
            for end in ["2024!", "2026!", "2026", "@2026", "2026!!", "#1999", "_2025!", "123!"] {
                let text = format!("{word}{end}");
                let leet =
                    text.replace('i', "1").replace('e', "3").replace('a', "@").replace('o', "0");
                for form in [text.to_uppercase(), text.to_lowercase(), text, leet] {
                    if fault(&form).is_none() {
                        missed.push(form);
                    }
                }
            }
        }
        assert!(missed.is_empty(), "{missed:?}");
    }

    #[test]
    fn what_belongs_to_the_person_is_told_as_such() {
        for own in
            ["JaneMiller2026!", "m1ller-harbour", "Harbour!2026", "bluewhale2026", "数据jane1990"]
        {
            assert_eq!(fault(own), Some(Code::PasswordPersonal), "{own}");
        }
        assert_eq!(fault_of("miller-harbour-whale", &[]), None);
    }

    #[test]
    fn good_ones_are_taken_whatever_their_characters() {
        for fine in [
            "correct horse battery",
            "seven blue herons",
            "q7#mzL2pX",
            "我的密码很长很安全",
            "nine quiet harbours",
            "ten quiet harbours",
            "a long enough password",
            "long enough for it",
            "another horse battery",
            "quite another one",
            "kfmvtqwzbp",
            "vier Biber bauen",
        ] {
            assert_eq!(fault(fine), None, "{fine}");
        }
        assert_eq!(fault("kfmvtq"), Some(Code::PasswordGuessable));
    }

    /// Anyone may have a password checked, so the cost must be bounded.
    #[test]
    fn not_every_disguise_is_looked_behind() {
        let worst = simplified("4@8({[<369|!10$5+7%2aBc");
        let left = worst.chars().filter(|c| DISGUISES.contains(*c));
        assert_eq!(left.collect::<String>(), "4@8({[");
        assert!(worst.ends_with("aBc"), "{worst}");
        assert_eq!(simplified("P@$$w0rd!1"), "P@$$w0rd!1");
        assert_eq!(fault("4@8({[<369|!10$5+7%2"), None);
    }

    #[test]
    fn a_long_one_is_judged_by_its_beginning() {
        assert_eq!(
            fault(&format!("{}{}", "a".repeat(40), "correct horse battery")),
            Some(Code::PasswordGuessable)
        );
        assert_eq!(fault(&format!("{}{}", "correct horse battery ", "a".repeat(40))), None);
    }
}
