//! A browser's name in words, such as "Chrome on macOS": enough to recognize one's own device.

/// The first match wins, so names that other browsers also claim come last.
const BROWSERS: [(&str, &str); 12] = [
    ("wxwork/", "WeChat Work"),
    ("MicroMessenger/", "WeChat"),
    ("Lark/", "Feishu"),
    ("Feishu/", "Feishu"),
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

const SYSTEMS: [(&str, &str); 8] = [
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("HarmonyOS", "HarmonyOS"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

pub fn in_words(user_agent: &str) -> String {
    let find = |table: &[(&str, &'static str)]| {
        table.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(name), None) | (None, Some(name)) => name.to_owned(),
        // A tool such as curl/8.5 names itself first.
        (None, None) => {
            let name: String =
                user_agent.chars().take_while(|c| !"/ (".contains(*c)).take(40).collect();
            if name.is_empty() { "?".to_owned() } else { name }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn common_browsers() {
        let chrome = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
        assert_eq!(in_words(chrome), "Chrome on macOS");
        assert_eq!(in_words(&format!("{chrome} Edg/142.0.0.0")), "Edge on macOS");
        let safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";
        assert_eq!(in_words(safari), "Safari on iOS");
        let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
        assert_eq!(in_words(firefox), "Firefox on Linux");
        let wechat = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/120 Mobile Safari/537.36 MicroMessenger/8.0.50";
        assert_eq!(in_words(wechat), "WeChat on Android");
        assert_eq!(in_words("curl/8.5.0"), "curl");
        assert_eq!(in_words(""), "?");
    }
}
