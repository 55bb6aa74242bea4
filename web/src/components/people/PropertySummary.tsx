import type { Properties } from '../../api/people'
import { useT } from '../../i18n/useT'
import { UNKNOWN } from '../table/Counted'
import { summaryOf } from './summary'
import styles from './people.module.css'

interface PropertySummaryProps {
  properties: Properties
  /** Whether some are hidden from the viewer. */
  redacted: boolean
}

/** The first few properties that have a value. */
export function PropertySummary({ properties, redacted }: PropertySummaryProps) {
  const t = useT()
  const { told, more } = summaryOf(properties)
  if (told.length === 0 && more === 0) return UNKNOWN
  return (
    <span className={styles.summary}>
      {told.map(([name, value]) => (
        <span key={name}>
          <span className={styles.soft}>{name}</span> {value}
        </span>
      ))}
      {more > 0 && (
        <span className={styles.soft}>
          {t(redacted ? 'people.moreHidden' : 'people.more', { count: more })}
        </span>
      )}
    </span>
  )
}
