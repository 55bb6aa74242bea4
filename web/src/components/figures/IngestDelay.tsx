import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { duration } from '../../lib/time'
import { useOverall } from './board'
import styles from './IngestDelay.module.css'

/** Shown while the figures lack the latest events; says since when. */
export function IngestDelay() {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { data } = useOverall('ingest')
  const seconds = data?.ingest.delay_seconds
  if (!seconds) return null
  return (
    <p role="status" className={styles.notice}>
      {t('ingest.delayed', { time: duration(seconds, language) })}
    </p>
  )
}
