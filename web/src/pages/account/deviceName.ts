import type { Session } from '../../api/profile'
import type { Translate } from '../../i18n/store'

/** The server sends "Chrome on macOS", only one of the two, or a question mark. */
export function deviceName(t: Translate, { user_agent: words }: Session): string {
  const [browser, system] = words.split(' on ')
  if (browser && system) return wordedDevice(t, { browser, system })
  return /\w/.test(words) ? words : t('sessions.unknown')
}

/** In the word order of the current language. */
export function wordedDevice(
  t: Translate,
  { browser, system }: { browser?: string; system?: string },
): string {
  if (browser && system) return t('sessions.deviceName', { browser, system })
  return browser ?? system ?? t('sessions.unknown')
}
