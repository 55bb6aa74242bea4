import type { Session } from '../../api/profile'
import type { Translate } from '../../i18n/store'

/** The server says "Chrome on macOS", or one of the two, or a question mark. */
export function deviceName(t: Translate, { user_agent: words }: Session): string {
  const [browser, system] = words.split(' on ')
  if (browser && system) return t('sessions.deviceName', { browser, system })
  return /\w/.test(words) ? words : t('sessions.unknown')
}
