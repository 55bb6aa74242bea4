//! Why a message was rejected. Every reason has a name known to clients and the ledger, and a text in
//! both languages. A message cannot be dropped without a reason.

use atrium_core::locale::Locale;

macro_rules! reasons {
    ($($variant:ident = $name:literal, $zh:literal, $en:literal;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Reason { $($variant),+ }

        impl Reason {
            pub const ALL: &[Reason] = &[$(Reason::$variant),+];

            /// Never changes once released: it is stored in the ledger.
            pub fn as_str(self) -> &'static str {
                match self { $(Reason::$variant => $name),+ }
            }

            pub fn text(self, locale: Locale) -> &'static str {
                match (self, locale) {
                    $((Reason::$variant, Locale::ZhCn) => $zh,
                      (Reason::$variant, Locale::EnUs) => $en,)+
                }
            }
        }
    };
}

reasons! {
    BadMessage = "bad_message", "消息格式不正确，应包含 type 和 data。", "A message must have a type and data.";
    UnknownType = "unknown_type", "未知的消息类型。", "Unknown message type.";
    MessageTooLarge = "message_too_large", "单条消息超过 64 KB。", "The message is larger than 64 KB.";
    BadLogId = "bad_log_id", "log_id 应为 UUID。", "log_id must be a UUID.";
    BadEvent = "bad_event", "event 应为 1 到 128 个字符。", "event must have 1 to 128 characters.";
    BadTimestamp = "bad_timestamp", "timestamp 应为毫秒整数。", "timestamp must be an integer in milliseconds.";
    TimestampOutOfRange = "timestamp_out_of_range", "timestamp 不能早于 180 天前或晚于 10 分钟后。", "timestamp must be no more than 180 days in the past or 10 minutes in the future.";
    BadDeviceId = "bad_device_id", "device_id 应为 1 到 128 个字符。", "device_id must have 1 to 128 characters.";
    BadId = "bad_id", "id 应为 1 到 128 个字符。", "id must have 1 to 128 characters.";
    BadField = "bad_field", "某个字段的类型不正确或内容过长。", "A field has the wrong type or is too long.";
    BadProperties = "bad_properties", "properties 应为对象，最多 256 个键、8 层嵌套。", "properties must be an object with at most 256 keys and 8 levels.";
    PropertiesTooLarge = "properties_too_large", "properties 超过 32 KB。", "properties are larger than 32 KB.";
    BadOperation = "bad_operation", "未知的 operation。", "Unknown operation.";
    BadIncrement = "bad_increment", "increment 的每个值都应为数字。", "Every value of an increment must be a number.";
    UnsignedMutation = "unsigned_mutation", "修改设备或用户属性的请求必须签名。", "Changes to devices and users must be signed.";
    QuotaExceeded = "quota_exceeded", "超出该应用每分钟的接收上限。", "The app has exceeded its quota per minute.";
    TooManyRejected = "too_many_rejected", "该来源无效消息过多，暂不接收。", "Too many messages from this address were rejected.";
    AppArchived = "app_archived", "应用已归档，不再接收数据。", "The app is archived and no longer accepts data.";
    CannotBeStored = "cannot_be_stored", "已接收，但数据存储无法写入该消息，已单独保留。", "The message was accepted, but the event store could not store it. It was set aside.";
    AppDeleted = "app_deleted", "应用已删除，不再接收数据。", "The app is deleted and no longer accepts data.";
}

atrium_core::code_schema!(Reason, "RejectionReason", Reason::ALL.iter().map(|it| it.as_str()));

/// The text for a reason in the ledger; a reason written by a later version is shown by its name.
pub fn words(name: &str, locale: Locale) -> String {
    let known = Reason::ALL.iter().find(|reason| reason.as_str() == name);
    known.map_or_else(|| name.to_owned(), |reason| reason.text(locale).to_owned())
}
