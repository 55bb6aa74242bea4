import type { BuiltIn } from '../../../api/explore'
import type { MessageKey, Translate } from '../../../i18n/store'
import { isBuiltIn } from '../../../components/explore/question'

const NAMES: Record<BuiltIn, MessageKey> = {
  $os: 'explore.os',
  $browser: 'explore.browser',
  $browser_version: 'explore.browserVersion',
  $device_type: 'explore.deviceType',
  $language: 'explore.language',
  $url_path: 'explore.urlPath',
  $client_version: 'explore.clientVersion',
  $sdk_version: 'explore.sdkVersion',
  $source: 'explore.source',
  $user_id: 'explore.userId',
  $device_id: 'explore.deviceId',
}

/** What people call a property; its own name where it is the app's. */
export function propertyName(property: string, t: Translate): string {
  return isBuiltIn(property) ? t(NAMES[property]) : property
}
