import { useLanguageStore } from '../i18n/store'
import { useT } from '../i18n/useT'
import { gapBetween } from '../lib/text'
import { exactTime, relativeTime } from '../lib/time'
import { useUser } from '../session/useUser'
import { useNow } from './useNow'

interface MomentProps {
  /** What happened, shown before the time. */
  after?: string
  at: string
}

/** Relative time; the exact time, in the user's time zone, on hover. */
export function Moment({ after = '', at }: MomentProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  const now = useNow()
  // Not Date.parse: the previous release, which may answer during an upgrade, sends numbers.
  const moment = new Date(at).getTime()
  const isMoment = !Number.isNaN(moment)
  const text = isMoment ? (relativeTime(moment, now, language) ?? t('time.now')) : at
  return (
    <>
      {after}
      {gapBetween(after, text)}
      {isMoment ? (
        <time dateTime={new Date(moment).toISOString()} title={exactTime(moment, language, zone)}>
          {text}
        </time>
      ) : (
        text
      )}
    </>
  )
}
