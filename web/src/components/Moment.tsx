import { useSyncExternalStore } from 'react'
import { useLanguageStore } from '../i18n/store'
import { useT } from '../i18n/useT'
import { exactTime, relativeTime } from '../lib/time'
import { useUser } from '../session/useUser'

const TICK_MS = 30_000

/** How long ago something was; the exact time, in the person's zone, on hover. */
export function Moment({ at }: { at: string }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  const now = useNow()
  const moment = Date.parse(at)
  if (Number.isNaN(moment)) return at
  return (
    <time dateTime={at} title={exactTime(moment, language, zone)}>
      {relativeTime(moment, now, language) ?? t('time.now')}
    </time>
  )
}

function useNow(): number {
  return useSyncExternalStore(subscribe, read)
}

function subscribe(tick: () => void): () => void {
  const timer = setInterval(tick, TICK_MS)
  return () => clearInterval(timer)
}

// Rounded, because between two ticks the answer must stay the same.
function read(): number {
  return Math.ceil(Date.now() / TICK_MS) * TICK_MS
}
