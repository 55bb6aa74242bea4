//! Property names that suggest personal data.

use warehouse::shown::looks_personal;

/// Words that suggest it anywhere in a name.
const WORDS: &str = "addr address addresses alipay birth birthdate birthday cellphone dianhua \
    cookie credential credentials cvv displayname dizhi dob email emails firstname fullname gaid iban idcard idfa idfv imei ip ipv4 \
    ipv6 lastname mail mailbox mails mobile msisdn nickname nric oaid openid otp passport passwd \
    password phone phones pwd qq realname secret shenfenzheng shengri shouji skype ssn surname tel telegram telephone token uid unionid \
    userid username wechat weixin whatsapp wxid xingming youxiang";

/// Words that suggest it only when they are the whole name.
const ALONE: &str = "name names contact contacts";

/// Words for people whose name or id is personal: `customer_name`, `userId`.
const PEOPLE: &str = "account anonymous author billing buyer cardholder child client consignee \
    contact customer device distinct doctor driver employee family friend guest holder leader \
    login manager member open operator owner parent passenger patient payee payer person player \
    receiver recipient seller sender shipping student teacher union user visitor";

/// Names whose plain value identifies a person: `referrer_user`, `friend`. The contents of an object with
/// such a name are judged by their own names.
const PERSONS: &str = "assignee buyer creator customer employee follower followers friend friends \
    guest invitee inviter member members owner patient payee payer receiver recipient sender student \
    user users";

/// Verbs before `by`: `invited_by`.
const DONE_BY: &str = "approved assigned created invited owned referred sent shared updated";

/// Words before `name` that make it a person's name.
const KINDS_OF_NAME: &str = "display first full given last legal maiden middle nick real";

/// Pairs of consecutive words that suggest it together.
const PAIRS: &[(&str, &str)] = &[
    ("android", "id"),
    ("bank", "account"),
    ("bank", "card"),
    ("card", "no"),
    ("card", "number"),
    ("cell", "number"),
    ("contact", "details"),
    ("contact", "info"),
    ("contact", "number"),
    ("driver", "license"),
    ("e", "mail"),
    ("id", "card"),
    ("identity", "card"),
    ("identity", "no"),
    ("identity", "number"),
    ("license", "plate"),
    ("national", "id"),
    ("tax", "id"),
];

/// Last words that turn a name into one about things: `email_count`, `mobile_app_version`.
const THINGS: &str = "app at browser campaign clicked count enabled format length menu method nav \
    opened os provider required sent site size source status step subscribed template time total \
    type valid verified version web";

/// Parts of Chinese names, which have no word boundaries.
const CHINESE: &str = "手机 电话 邮箱 邮件 姓名 名字 真名 昵称 用户名 联系人 联系方式 地址 住址 \
    身份证 证件 护照 生日 出生 微信 银行卡 车牌 用户id 用户ID 设备号";

fn among(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

/// Whether a property of this name is likely to hold personal data.
pub fn sounds_personal(name: &str) -> bool {
    if CHINESE.split_ascii_whitespace().any(|part| name.contains(part)) {
        return true;
    }
    let words = words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => false,
        [only] => among(ALONE, only) || among(WORDS, only),
        // `is_mobile`, `has_email`: yes or no, not the value.
        ["is" | "has", ..] => false,
        [.., last] if among(THINGS, last) => false,
        words => {
            words.iter().any(|word| among(WORDS, word))
                || words.windows(2).any(|pair| says_together(pair[0], pair[1]))
        }
    }
}

/// Whether a path of names leads to something personal: each name by itself, and together with those
/// above it.
pub fn is_personal_path(path: &[String]) -> bool {
    let sounds = |end: usize| sounds_personal(&path[..end].join("."));
    path.iter().any(|name| sounds_personal(name) || looks_personal(name))
        || looks_personal(&path.join("."))
        || (1..=path.len()).any(sounds)
        || path.last().is_some_and(|name| names_person(name))
}

/// Whether a plain value under this name identifies a person.
pub fn names_person(name: &str) -> bool {
    let words = words(name);
    match words.as_slice() {
        [.., done, by] if by == "by" => among(DONE_BY, done),
        [.., last] => among(PERSONS, last),
        [] => false,
    }
}

/// The name of a file or a button is not a person's.
fn says_together(word: &str, next: &str) -> bool {
    match next {
        "name" | "names" => among(KINDS_OF_NAME, word) || among(PEOPLE, word),
        "id" | "ids" if among(PEOPLE, word) => true,
        next => PAIRS.contains(&(word, next)),
    }
}

/// `userEmail`, `user_email`, `User-Email2` and `USER.EMAIL` alike: user, email.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let starts = c.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || before.is_some_and(char::is_uppercase)
                    && after.is_some_and(|after| after.is_lowercase()));
        let is_letter = c.is_alphabetic() || c.is_ascii_digit() && word == "ipv";
        if (starts || !is_letter) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if is_letter {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        let cut = |name: &str| words(name).join(" ");
        assert_eq!(cut("userEmail"), "user email");
        assert_eq!(cut("USER_EMAIL2"), "user email");
        assert_eq!(cut("clientIPAddress"), "client ip address");
        assert_eq!(cut("home-phone.number"), "home phone number");
        assert_eq!(cut("ipv4"), "ipv4");
        assert_eq!(cut(""), "");
    }

    #[test]
    fn personal_names() {
        let names = "email e-mail E_MAIL userEmail work_mail phone phoneNumber mobile tel home_tel_2 \
            name Name user_name userName username first_name lastName FullName real_name nickname \
            nickName contact contact_name contactInfo customerName receiver_name address homeAddress \
            shipping_addr email_address birthday date_of_birth dob idCard id_card_no identityNumber \
            passport_no ip client_ip clientIP IPAddress wechat weixin_id openid openId wx_open_id \
            unionID qq user_id userId userIds uid device_id card_number 手机号 联系电话 邮箱 用户姓名 \
            收货地址 身份证号 生日 微信号 shouji youxiang";
        for name in names.split_ascii_whitespace() {
            assert!(sounds_personal(name), "{name}");
        }
    }

    #[test]
    fn paths_of_names() {
        let is_personal =
            |path: &str| is_personal_path(&path.split('.').map(str::to_owned).collect::<Vec<_>>());
        for path in
            ["card.number", "a.driver.license", "user.name", "phone.type", "o.friend", "a@b.co"]
        {
            assert!(is_personal(path), "{path}");
        }
        for path in ["card.type", "user.level", "file.size", "plan", "sort_by"] {
            assert!(!is_personal(path), "{path}");
        }
        assert!(names_person("referrer_user") && names_person("invitedBy"));
        assert!(!names_person("user_count") && !names_person("order_by"));
    }

    #[test]
    fn names_of_things() {
        let names = "file_name fileName event_name button_label button_id product_name page_name plan \
            price order_id order_no hotel telemetry description shipping_method zip_file tip recipe \
            is_mobile hasEmail email_count emailVerified mobile_app_version namespace rename \
            card_type contact_us id referrer seats 商品名称 文件名 按钮 价格 订单号 _ 2";
        for name in names.split_ascii_whitespace() {
            assert!(!sounds_personal(name), "{name}");
        }
        assert!(!sounds_personal(""));
    }
}
