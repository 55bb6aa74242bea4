import { useLanguageStore } from '../i18n/store'
import { useT } from '../i18n/useT'
import { exactTime, relativeTime } from '../lib/time'
import { useUser } from '../session/useUser'
import { useNow } from './useNow'

/** How long ago something was; the exact time, in the person's zone, on hover. */
export function Moment({ at }: { at: string | number }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  const now = useNow()
  const moment = typeof at === 'number' ? at : Date.parse(at)
  if (Number.isNaN(moment)) return at
  return (
    <time dateTime={new Date(moment).toISOString()} title={exactTime(moment, language, zone)}>
      {relativeTime(moment, now, language) ?? t('time.now')}
    </time>
  )
}
