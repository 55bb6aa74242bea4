//! The one error type. What a caller may read (a code, its text in two languages, a field) is kept
//! apart from the cause, which only goes to the log.
//!
//! A handler returns `Error`; `http::envelope` turns it into JSON in the caller's language.

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
use http::StatusCode;

use crate::locale::Locale;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Declares every code once: its status and its text in Chinese and English.
macro_rules! codes {
    ($($variant:ident = $name:literal, $status:ident, $zh:literal, $en:literal;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($variant),+ }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$variant),+];

            /// The value clients compare with; never changes once released.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $name),+ }
            }

            pub fn status(self) -> StatusCode {
                match self { $(Code::$variant => StatusCode::$status),+ }
            }

            pub fn text(self, locale: Locale) -> &'static str {
                match (self, locale) {
                    $((Code::$variant, Locale::ZhCn) => $zh,
                      (Code::$variant, Locale::EnUs) => $en,)+
                }
            }
        }
    };
}

codes! {
    MalformedRequest = "malformed_request", BAD_REQUEST, "请求无法解析。", "The request could not be read.";
    MalformedJson = "malformed_json", BAD_REQUEST, "请求内容不是有效的 JSON。", "The body is not valid JSON.";
    MalformedReport = "malformed_report", BAD_REQUEST, "错误报告无法解析。", "The error report could not be read.";
    NotSignedIn = "not_signed_in", UNAUTHORIZED, "请先登录。", "Please sign in.";
    BadCredentials = "bad_credentials", UNAUTHORIZED, "邮箱或密码不正确。", "Incorrect email or password.";
    BadCode = "bad_code", UNAUTHORIZED, "验证码不正确或已失效。", "This code is incorrect or no longer valid.";
    BadPasskey = "bad_passkey", UNAUTHORIZED, "无法使用该通行密钥登录。", "This passkey could not be used to sign in.";
    BadAppKey = "bad_app_key", UNAUTHORIZED, "app_key 无效。", "Invalid app_key.";
    BadQueryKey = "bad_query_key", UNAUTHORIZED, "查询密钥无效或已过期。", "This query key is invalid or has expired.";
    BadSignature = "bad_signature", UNAUTHORIZED, "请求签名无效。", "Invalid request signature.";
    ReauthRequired = "reauth_required", FORBIDDEN, "请先确认是你本人操作。", "Please confirm your identity first.";
    Forbidden = "forbidden", FORBIDDEN, "你没有权限执行此操作。", "You don't have permission to do this.";
    PersonalData = "personal_data", FORBIDDEN, "其中可能包含个人信息，需要“查看个人信息”权限。", "This may contain personal data, which requires the “View personal data” permission.";
    BeyondOwn = "beyond_own", FORBIDDEN, "不能授予或更改超出你自身权限的内容。", "You cannot grant or change permissions you don't have yourself.";
    SecondFactorRequired = "second_factor_required", FORBIDDEN, "访问此处需要两步验证，请先开启。", "Two-step verification is required here. Turn it on first.";
    SsoRequired = "sso_required", FORBIDDEN, "该团队要求通过单点登录访问，请用工作邮箱重新登录。", "This team requires single sign-on. Sign in again with your work email.";
    RegistrationClosed = "registration_closed", FORBIDDEN, "未开放自助注册，请联系团队管理员邀请你加入。", "Registration is by invitation only. Ask a team admin to invite you.";
    CrossSite = "cross_site", FORBIDDEN, "已拦截来自其他网站的请求。", "A request from another site was blocked.";
    ForeignReport = "foreign_report", FORBIDDEN, "此处仅接收本控制台的错误报告。", "Only error reports from this console are accepted here.";
    NotFound = "not_found", NOT_FOUND, "内容不存在，或你没有查看权限。", "This does not exist, or you don't have access to it.";
    SsoNotFound = "sso_not_found", NOT_FOUND, "没有团队为该邮箱域名开启单点登录，请改用其他方式登录。", "No team uses single sign-on for this email domain. Sign in another way.";
    PasskeysUnavailable = "passkeys_unavailable", NOT_FOUND, "通过此地址访问时无法使用通行密钥。", "Passkeys are not available at this address.";
    ProviderNotConfigured = "provider_not_configured", NOT_FOUND, "此服务器没有启用这种登录方式。", "This sign-in method is not enabled on this server.";
    NotBound = "not_bound", NOT_FOUND, "你还没有绑定账号。", "You have not linked an account.";
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "此地址不支持该请求方法。", "This address does not support the request method.";
    EmailTaken = "email_taken", CONFLICT, "该邮箱已注册。", "This email already has an account.";
    TotpEnabled = "totp_enabled", CONFLICT, "两步验证已开启。", "Two-step verification is already on.";
    TotpNotStarted = "totp_not_started", CONFLICT, "请重新开始设置两步验证。", "Please start setting up two-step verification again.";
    TotpNotEnabled = "totp_not_enabled", CONFLICT, "两步验证尚未开启。", "Two-step verification is not on.";
    MfaRequiredByRole = "mfa_required_by_role", CONFLICT, "团队所有者和服务器管理员必须开启两步验证，不能关闭。", "Team owners and operators must use two-step verification, so you cannot turn it off.";
    MfaRequiredByOrg = "mfa_required_by_org", CONFLICT, "你所在的团队要求开启两步验证，不能关闭。", "One of your teams requires two-step verification, so you cannot turn it off.";
    TooManyPasskeys = "too_many_passkeys", CONFLICT, "最多添加 {max} 个通行密钥。", "You can have at most {max} passkeys.";
    AlreadyBound = "already_bound", CONFLICT, "你已绑定一个账号，请先解除绑定。", "You have already linked an account. Unlink it first.";
    LastWayIn = "last_way_in", CONFLICT, "解除绑定后你将无法登录。请先设置密码或添加通行密钥。", "Without it, you could no longer sign in. Set a password or add a passkey first.";
    SoleOwner = "sole_owner", CONFLICT, "你是以下团队的唯一所有者：{names}。请先转让所有权，或删除团队。", "You are the only owner of: {names}. Transfer ownership or delete the team first.";
    AccessChanged = "access_changed", CONFLICT, "你的权限刚刚发生变化，请刷新后重试。", "Your permissions have just changed. Reload and try again.";
    ChangedMeanwhile = "changed_meanwhile", CONFLICT, "内容刚刚被更改过，请刷新后重试。", "This has just been changed. Reload and try again.";
    LastOwner = "last_owner", CONFLICT, "团队至少需要一位所有者。", "A team needs at least one owner.";
    OrgHasApps = "org_has_apps", CONFLICT, "团队还有 {count} 个应用未彻底清除，暂不能删除。", "The team cannot be deleted yet: it still has {count} apps that have not been purged.";
    TooManyOrgs = "too_many_orgs", CONFLICT, "最多加入 {max} 个团队。", "You can belong to at most {max} teams.";
    MfaEnrolFirst = "mfa_enrol_first", CONFLICT, "请先为自己开启两步验证并用它登录。", "Turn on two-step verification for yourself and sign in with it first.";
    InvitationClosed = "invitation_closed", CONFLICT, "邀请已被处理或已失效。", "This invitation has already been answered, or is no longer valid.";
    LinksByMail = "links_by_mail", CONFLICT, "服务器已配置邮件服务，链接只通过邮件发送。", "Mail is set up on this server, so links are only sent by mail.";
    AppNameTaken = "app_name_taken", CONFLICT, "团队中已有同名应用。", "The team already has an app with this name.";
    AppNotActive = "app_not_active", CONFLICT, "应用已归档或删除，不能修改。", "The app is archived or deleted and cannot be changed.";
    AppNotArchived = "app_not_archived", CONFLICT, "应用未归档。", "The app is not archived.";
    AppNotDeleted = "app_not_deleted", CONFLICT, "应用未删除。", "The app is not deleted.";
    PurgeStarted = "purge_started", CONFLICT, "应用正在彻底清除，无法恢复。", "The app is being purged and cannot be restored.";
    RoleNameTaken = "role_name_taken", CONFLICT, "已有同名角色。", "A role with this name already exists.";
    RoleInUse = "role_in_use", CONFLICT, "仍有成员使用该角色，请指定替代角色。", "Some members have this role. Choose a role to replace it.";
    BuiltinRole = "builtin_role", CONFLICT, "内置角色不能修改或删除。", "Built-in roles cannot be changed or deleted.";
    TooManyApps = "too_many_apps", CONFLICT, "每个团队最多 {max} 个应用。", "A team can have at most {max} apps.";
    TooManyRoles = "too_many_roles", CONFLICT, "每个应用最多 {max} 个自定义角色。", "An app can have at most {max} custom roles.";
    TooManyAnalyses = "too_many_analyses", CONFLICT, "每个应用最多保存 {max} 个分析。", "An app can have at most {max} saved analyses.";
    TooManyCohorts = "too_many_cohorts", CONFLICT, "每个应用最多 {max} 个分群。", "An app can have at most {max} cohorts.";
    TooManyErasures = "too_many_erasures", CONFLICT, "最多同时处理 {max} 个擦除请求，请等待已有请求完成。", "At most {max} erasure requests can be open at once. Wait until some are done.";
    KeyNameTaken = "key_name_taken", CONFLICT, "已有同名访问密钥。", "An access key with this name already exists.";
    TooManyKeys = "too_many_keys", CONFLICT, "每个应用最多 {max} 个访问密钥。", "An app can have at most {max} access keys.";
    SsoNoDomain = "sso_no_domain", CONFLICT, "开启单点登录至少需要一个已验证的邮箱域名。", "Single sign-on needs at least one verified email domain.";
    DomainTaken = "domain_taken", CONFLICT, "该域名已由其他团队验证。", "Another team has verified this domain.";
    TooManyDomains = "too_many_domains", CONFLICT, "每个团队最多 {max} 个域名。", "A team can have at most {max} domains.";
    RecordMissing = "record_missing", CONFLICT, "没有找到 TXT 记录。新记录可能需要一段时间才能生效，请稍后再试。", "No TXT record was found. New records can take a while to appear, so try again later.";
    RecordWrong = "record_wrong", CONFLICT, "TXT 记录的内容与要求不一致，请检查。", "The TXT record has a different value. Please check it.";
    LinkWrongAccount = "link_wrong_account", CONFLICT, "当前登录的不是这个邮箱的账号，请换用该邮箱的账号登录。", "You are signed in to a different account. Sign in to the account with this email.";
    TokenGone = "token_gone", GONE, "链接已使用或已过期。", "This link has already been used or has expired.";
    AppArchived = "app_archived", GONE, "应用已归档，不再接收数据。", "The app is archived and no longer accepts data.";
    AppDeleted = "app_deleted", GONE, "应用已删除，不再接收数据。", "The app is deleted and no longer accepts data.";
    TooManyMessages = "too_many_messages", PAYLOAD_TOO_LARGE, "一次最多发送 1000 条消息。", "Send at most 1,000 messages at once.";
    TooLarge = "too_large", PAYLOAD_TOO_LARGE, "请求内容过大。", "The request is too large.";
    BadEncoding = "bad_encoding", BAD_REQUEST, "请求内容无法解压。", "The body could not be decompressed.";
    UnsupportedEncoding = "unsupported_encoding", UNSUPPORTED_MEDIA_TYPE, "仅支持 gzip、deflate 和 zstd 压缩。", "Only gzip, deflate, and zstd are supported.";
    UnsupportedType = "unsupported_type", UNSUPPORTED_MEDIA_TYPE, "请以 JSON 格式（application/json）提交。", "Send the body as JSON (application/json).";
    Invalid = "invalid", UNPROCESSABLE_ENTITY, "填写的内容有误，请检查。", "Some of your input is invalid. Please check it.";
    WrongType = "wrong_type", UNPROCESSABLE_ENTITY, "格式不正确。", "This has the wrong format.";
    Required = "required", UNPROCESSABLE_ENTITY, "此项必填。", "This is required.";
    TooLong = "too_long", UNPROCESSABLE_ENTITY, "最多 {max} 个字符。", "At most {max} characters.";
    OutOfRange = "out_of_range", UNPROCESSABLE_ENTITY, "请输入 {min} 到 {max} 之间的数。", "Enter a number from {min} to {max}.";
    TooManyBuckets = "too_many_buckets", UNPROCESSABLE_ENTITY, "时间范围过长，请选择更粗的粒度（最多 {max} 个数据点）。", "This is more than {max} data points. Choose a coarser granularity.";
    NulCharacter = "nul_character", UNPROCESSABLE_ENTITY, "包含不支持的字符。", "This contains an unsupported character.";
    BadEmail = "bad_email", UNPROCESSABLE_ENTITY, "请输入有效的邮箱地址。", "Enter a valid email address.";
    PasswordTooShort = "password_too_short", UNPROCESSABLE_ENTITY, "密码至少 {min} 个字符。", "Use at least {min} characters.";
    PasswordTooLong = "password_too_long", UNPROCESSABLE_ENTITY, "密码最多 {max} 个字符。", "Use at most {max} characters.";
    PasswordCommon = "password_common", UNPROCESSABLE_ENTITY, "这个密码太常见，曾在泄露的密码中出现，请换一个。", "This password is too common and has appeared in data leaks. Choose another.";
    PasswordPersonal = "password_personal", UNPROCESSABLE_ENTITY, "密码包含你的姓名、邮箱或团队名称，容易被猜到。", "This contains your name, email, or team name, which makes it easy to guess.";
    PasswordGuessable = "password_guessable", UNPROCESSABLE_ENTITY, "这个密码容易被猜到。请加长，或避免常用词、日期和规律的字符。", "This is too easy to guess. Make it longer, or avoid common words, dates and patterns.";
    WrongPassword = "wrong_password", UNPROCESSABLE_ENTITY, "当前密码不正确。", "The current password is incorrect.";
    WrongCode = "wrong_code", UNPROCESSABLE_ENTITY, "动态码不正确，请检查手机时间是否准确。", "Incorrect code. Check that your phone's clock is right.";
    CodeRequired = "code_required", UNPROCESSABLE_ENTITY, "请输入验证器中的动态码或恢复码。", "Enter a code from your authenticator app, or a recovery code.";
    RefusedPasskey = "refused_passkey", UNPROCESSABLE_ENTITY, "无法添加该通行密钥，请重试。", "This passkey could not be added. Try again.";
    SameEmail = "same_email", UNPROCESSABLE_ENTITY, "这就是你现在的邮箱。", "This is already your email address.";
    WrongEmail = "wrong_email", UNPROCESSABLE_ENTITY, "与你的邮箱不一致。", "This does not match your email address.";
    WrongName = "wrong_name", UNPROCESSABLE_ENTITY, "名称不一致。", "The name does not match.";
    NotAMember = "not_a_member", UNPROCESSABLE_ENTITY, "请选择团队中的其他成员。", "Choose another member of the team.";
    BadIssuer = "bad_issuer", UNPROCESSABLE_ENTITY, "请输入身份提供方的 HTTPS 地址，不带参数。", "Enter the provider's HTTPS address, without parameters.";
    SecretRequired = "secret_required", UNPROCESSABLE_ENTITY, "请填写客户端密钥。更换提供方后需要重新填写。", "Enter the client secret. If you change the provider, you must enter it again.";
    EnforceNeedsEnabled = "enforce_needs_enabled", UNPROCESSABLE_ENTITY, "请先开启单点登录，再要求成员使用。", "Turn on single sign-on before requiring it.";
    BadDomain = "bad_domain", UNPROCESSABLE_ENTITY, "请输入有效的域名，例如 example.com。", "Enter a valid domain, such as example.com.";
    PublicDomain = "public_domain", UNPROCESSABLE_ENTITY, "公共邮箱的域名不属于任何团队。", "Public email domains cannot belong to a team.";
    BadGrant = "bad_grant", UNPROCESSABLE_ENTITY, "所选应用或角色不存在。", "The selected app or role does not exist.";
    BadRole = "bad_role", UNPROCESSABLE_ENTITY, "角色不存在。", "This role does not exist.";
    BadPermission = "bad_permission", UNPROCESSABLE_ENTITY, "包含未知权限。", "One of the permissions is unknown.";
    AppViewRequired = "app_view_required", UNPROCESSABLE_ENTITY, "角色必须包含“查看应用”权限。", "A role must include the “View the app” permission.";
    BadRegion = "bad_region", UNPROCESSABLE_ENTITY, "未知区域。", "Unknown region.";
    BadSort = "bad_sort", UNPROCESSABLE_ENTITY, "不支持的排序方式。", "Sorting by this is not supported.";
    BadMoment = "bad_moment", UNPROCESSABLE_ENTITY, "请输入日期或时间。", "Enter a date or time.";
    BadRange = "bad_range", UNPROCESSABLE_ENTITY, "结束日期不能早于开始日期。", "The end must not be before the start.";
    ExpiryInPast = "expiry_in_past", UNPROCESSABLE_ENTITY, "到期时间必须晚于当前时间。", "The expiry must be in the future.";
    UnknownProperty = "unknown_property", UNPROCESSABLE_ENTITY, "属性不存在。", "This property does not exist.";
    UnknownCohort = "unknown_cohort", UNPROCESSABLE_ENTITY, "分群不存在，或你无权使用。", "This cohort does not exist, or you don't have access to it.";
    UnknownFigure = "unknown_figure", UNPROCESSABLE_ENTITY, "结果中没有这个数据，请刷新后重试。", "The results do not contain this figure. Reload and try again.";
    BadFormula = "bad_formula", UNPROCESSABLE_ENTITY, "公式无法识别：用字母表示指标，可使用 + - * / 和括号，最多 {max} 个字符。", "Invalid formula. Use the letters of the series with + - * / and parentheses, at most {max} characters.";
    QueryTooHeavy = "query_too_heavy", UNPROCESSABLE_ENTITY, "查询的数据量过大，请缩小日期范围或减少条件。", "This query covers too much data. Choose fewer days or conditions.";
    BadLength = "bad_length", UNPROCESSABLE_ENTITY, "数量应为 {min} 到 {max} 个。", "Enter between {min} and {max} items.";
    BadLocale = "bad_locale", UNPROCESSABLE_ENTITY, "不支持该语言。", "This language is not supported.";
    BadNotificationType = "bad_notification_type", UNPROCESSABLE_ENTITY, "未知的通知类型或渠道。", "Unknown notification type or channel.";
    SecurityMailRequired = "security_mail_required", UNPROCESSABLE_ENTITY, "安全通知的邮件不能关闭。", "Mails about security cannot be turned off.";
    BadTimezone = "bad_timezone", UNPROCESSABLE_ENTITY, "未知时区。", "Unknown time zone.";
    Throttled = "throttled", TOO_MANY_REQUESTS, "尝试次数过多，请稍后再试。", "Too many attempts. Try again later.";
    TooManyViewers = "too_many_viewers", TOO_MANY_REQUESTS, "同时查看实时数据的人数已达上限，请稍后再试。", "Too many people are watching live data. Try again later.";
    TooManyQueries = "too_many_queries", TOO_MANY_REQUESTS, "你同时发起的查询过多，请等待前面的查询完成后再试。", "You have too many queries waiting. Let some of them finish first.";
    QuotaExceeded = "quota_exceeded", TOO_MANY_REQUESTS, "超出该应用每分钟的接收上限。", "The app has exceeded its quota per minute.";
    TooManyRejected = "too_many_rejected", TOO_MANY_REQUESTS, "该来源发送的无效消息过多，请稍后再试。", "Too many messages from this address were rejected. Try again later.";
    SpoolFull = "spool_full", SERVICE_UNAVAILABLE, "待写入的数据已达上限，请稍后重发。", "Too much data is waiting to be stored. Send it again later.";
    QueriesBusy = "queries_busy", SERVICE_UNAVAILABLE, "当前查询较多，请稍后再试。", "Too many queries are running right now. Try again in a moment.";
    DiskFull = "disk_full", SERVICE_UNAVAILABLE, "服务器磁盘空间不足，暂时无法保存，请稍后重试。", "The server's disk is full, so nothing can be saved right now. Try again later.";
    StorageReadOnly = "storage_read_only", SERVICE_UNAVAILABLE, "服务器存储当前为只读，暂时无法保存，请稍后重试。", "The server's storage is read-only right now, so nothing can be saved. Try again later.";
    InstanceMoved = "instance_moved", SERVICE_UNAVAILABLE, "服务正在迁移，暂时无法保存更改，请稍后重试。", "This instance is being moved, so changes cannot be saved right now. Try again later.";
    ProviderUnavailable = "provider_unavailable", SERVICE_UNAVAILABLE, "身份提供方暂时无法访问，请稍后再试。", "The sign-in provider cannot be reached right now. Try again later.";
    DnsUnavailable = "dns_unavailable", SERVICE_UNAVAILABLE, "域名查询暂时不可用，请稍后再试。", "Domain records cannot be looked up right now. Try again later.";
    ShardLost = "shard_lost", SERVICE_UNAVAILABLE, "事件存储的第 {shard} 个分片暂时无法访问，请稍后再试。", "Shard {shard} of the event store cannot be reached right now. Try again later.";
    Internal = "internal", INTERNAL_SERVER_ERROR, "服务器出错了，请稍后重试。", "Something went wrong on the server. Try again later.";
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, "服务暂时不可用，请稍后重试。", "The service is temporarily unavailable. Try again later.";
    Timeout = "timeout", SERVICE_UNAVAILABLE, "请求超时，请重试。", "The request took too long. Try again.";
}

crate::code_schema!(Code, "ErrorCode", Code::ALL.iter().map(|it| it.as_str()));

impl Code {
    /// The code for a response that a layer below us made without one.
    pub fn for_status(status: StatusCode) -> Self {
        match status {
            StatusCode::UNAUTHORIZED => Self::NotSignedIn,
            StatusCode::FORBIDDEN => Self::Forbidden,
            StatusCode::NOT_FOUND => Self::NotFound,
            StatusCode::METHOD_NOT_ALLOWED => Self::MethodNotAllowed,
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLarge,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Self::UnsupportedType,
            StatusCode::UNPROCESSABLE_ENTITY => Self::Invalid,
            StatusCode::TOO_MANY_REQUESTS => Self::Throttled,
            StatusCode::SERVICE_UNAVAILABLE => Self::Unavailable,
            status if status.is_client_error() => Self::MalformedRequest,
            _ => Self::Internal,
        }
    }
}

/// One thing that is wrong, with the field it belongs to, if any.
#[derive(Clone, Debug)]
pub struct Fault {
    pub code: Code,
    pub field: Option<Cow<'static, str>>,
    pub values: Vec<(&'static str, String)>,
}

impl Fault {
    pub fn new(code: Code) -> Self {
        Self { code, field: None, values: Vec::new() }
    }

    pub fn on(mut self, field: impl Into<Cow<'static, str>>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Fills `{name}` in the text.
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.values.push((name, value.to_string()));
        self
    }

    pub fn text(&self, locale: Locale) -> String {
        let text = self.code.text(locale).to_owned();
        self.values
            .iter()
            .fold(text, |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }
}

/// What the caller may know about an error: travels on the response to `http::envelope`.
#[derive(Clone, Debug)]
pub struct Problem {
    pub status: StatusCode,
    pub faults: Vec<Fault>,
    pub retry_after_seconds: Option<u64>,
}

impl Problem {
    pub fn code(&self) -> Option<Code> {
        self.faults.first().map(|fault| fault.code)
    }
}

#[derive(Debug)]
pub struct Error {
    problem: Problem,
    cause: Option<anyhow::Error>,
}

impl Error {
    pub fn internal(cause: impl Into<anyhow::Error>) -> Self {
        Self { cause: Some(cause.into()), ..Code::Internal.into() }
    }

    pub fn unavailable(cause: impl Into<anyhow::Error>) -> Self {
        Self::unavailable_for(Code::Unavailable, cause)
    }

    /// Like `unavailable`, with a code that says more.
    pub fn unavailable_for(code: Code, cause: impl Into<anyhow::Error>) -> Self {
        Self::unavailable_because(Fault::new(code), cause)
    }

    /// Like `unavailable`, with a message that has placeholders.
    pub fn unavailable_because(fault: Fault, cause: impl Into<anyhow::Error>) -> Self {
        let mut error: Self = fault.into();
        error.problem.retry_after_seconds = Some(5);
        error.cause = Some(cause.into());
        error
    }

    pub fn timed_out() -> Self {
        let mut error: Self = Code::Timeout.into();
        error.problem.retry_after_seconds = Some(5);
        error
    }

    /// The caller should try again: the code says why, and `retry_after_seconds` when.
    pub fn busy(code: Code, retry_after_seconds: u64) -> Self {
        let mut error = Self::from(code);
        error.problem.retry_after_seconds = Some(retry_after_seconds);
        error
    }

    pub fn throttled(retry_after_seconds: u64) -> Self {
        let mut error: Self = Code::Throttled.into();
        error.problem.retry_after_seconds = Some(retry_after_seconds);
        error
    }

    /// 422 with one entry per field.
    pub fn invalid(faults: Vec<Fault>) -> Self {
        Self {
            problem: Problem {
                status: StatusCode::UNPROCESSABLE_ENTITY,
                faults,
                retry_after_seconds: None,
            },
            cause: None,
        }
    }

    pub fn status(&self) -> StatusCode {
        self.problem.status
    }

    pub fn code(&self) -> Option<Code> {
        self.problem.code()
    }
}

impl From<Code> for Error {
    fn from(code: Code) -> Self {
        Fault::new(code).into()
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self {
            problem: Problem {
                status: fault.code.status(),
                faults: vec![fault],
                retry_after_seconds: None,
            },
            cause: None,
        }
    }
}

/// A database error is never "not found": lookups return `Option`. So what arrives here is either an
/// unreachable database or a bug of ours.
impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_) => {
                Self::unavailable(error)
            }
            // The thread behind a SQLite connection has died, as it does when it cannot roll back. The
            // pool makes a new connection for the next call.
            sqlx::Error::WorkerCrashed => Self::unavailable(error),
            sqlx::Error::Database(ref database) => {
                match database.code().and_then(|code| passing(&code)) {
                    Some(code) => Self::unavailable_for(code, error),
                    None => Self::internal(error),
                }
            }
            other => Self::internal(other),
        }
    }
}

/// Maps errors that may pass: on SQLite busy, locked, I/O error, damaged, read-only or full; on
/// PostgreSQL a lost connection, exhausted, shutting down, read-only or a serialization conflict. None
/// for a bug of ours.
fn passing(code: &str) -> Option<Code> {
    match code.parse::<u32>() {
        // A trigger refused, and only a database that was moved away has triggers (`db::moved`).
        Ok(1811) => Some(Code::InstanceMoved),
        // SQLite keeps the primary code in the low byte; PostgreSQL's codes have five characters.
        Ok(number) if code.len() < 5 => match number & 0xff {
            13 => Some(Code::DiskFull),
            8 => Some(Code::StorageReadOnly),
            // The last three: the file is damaged, cannot be opened, or is not a database.
            5 | 6 | 10 | 11 | 14 | 26 => Some(Code::Unavailable),
            _ => None,
        },
        _ => match code {
            "53100" => Some(Code::DiskFull),
            "25006" => Some(Code::StorageReadOnly),
            "40001" | "40P01" => Some(Code::Unavailable),
            _ if ["08", "53", "57P", "58"].iter().any(|class| code.starts_with(class)) => {
                Some(Code::Unavailable)
            }
            _ => None,
        },
    }
}

impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Self {
        Self::internal(error)
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let texts: Vec<_> = self.problem.faults.iter().map(|f| f.text(Locale::EnUs)).collect();
        write!(f, "{}", texts.join(" "))?;
        match &self.cause {
            Some(cause) => write!(f, " ({cause:#})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        if let Some(cause) = &self.cause {
            tracing::error!(error = format!("{cause:#}"), "request failed");
        }
        let mut response = self.problem.status.into_response();
        response.extensions_mut().insert(self.problem);
        response
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn codes_are_unique_snake_case_names() {
        let names: HashSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        for name in names {
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
        }
    }

    #[test]
    fn both_languages_have_the_same_placeholders() {
        let placeholders = |text: &str| -> Vec<String> {
            let mut found: Vec<_> = text
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split_once('}').map(|(name, _)| name.to_owned()))
                .collect();
            found.sort();
            found
        };
        for code in Code::ALL {
            assert_eq!(
                placeholders(code.text(Locale::ZhCn)),
                placeholders(code.text(Locale::EnUs)),
                "{}",
                code.as_str()
            );
        }
    }

    #[test]
    fn a_database_that_says_not_now_is_unavailable() {
        for code in ["5", "261", "517", "6", "10", "11", "26", "08006", "53300", "57P01", "40P01"] {
            assert_eq!(passing(code), Some(Code::Unavailable), "{code}");
        }
        for code in ["13", "53100"] {
            assert_eq!(passing(code), Some(Code::DiskFull), "{code}");
        }
        for code in ["8", "1032", "25006"] {
            assert_eq!(passing(code), Some(Code::StorageReadOnly), "{code}");
        }
        assert_eq!(passing("1811"), Some(Code::InstanceMoved));
        for ours in ["1", "19", "2067", "1555", "23505", "42P01", "22021", "XX000"] {
            assert_eq!(passing(ours), None, "{ours}");
        }
    }

    #[test]
    fn values_are_filled_in() {
        let fault = Fault::new(Code::TooLong).with("max", 80);
        assert_eq!(fault.text(Locale::EnUs), "At most 80 characters.");
        assert_eq!(fault.text(Locale::ZhCn), "最多 80 个字符。");
    }

    #[test]
    fn a_cause_never_reaches_the_caller() {
        let error = Error::internal(anyhow::anyhow!("connection to 10.0.0.1 refused"));
        let response = error.into_response();
        let problem = response.extensions().get::<Problem>().unwrap();
        assert!(!problem.faults[0].text(Locale::EnUs).contains("10.0.0.1"));
    }
}
