/** What an event or a person carries: names and values, and which values are kept from the reader. */
import { LockOutlined } from '@ant-design/icons'
import type { Properties } from '../../api/people'
import { useT } from '../../i18n/useT'
import styles from './PropertyList.module.css'

interface PropertyListProps {
  label: string
  properties?: Properties | null
  /** Values that are personal were taken out: an absent one is not an empty one. */
  redacted: boolean
}

export function PropertyList({ label, properties, redacted }: PropertyListProps) {
  const t = useT()
  const entries = Object.entries(properties ?? {})
  if (entries.length === 0) return <p className={styles.none}>{t('properties.none')}</p>
  return (
    <dl className={styles.list} aria-label={label}>
      {entries.map(([name, value]) => (
        <div key={name} className={styles.property}>
          <dt>{name}</dt>
          <dd>
            <Value value={value} redacted={redacted} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ value, redacted }: { value: unknown; redacted: boolean }) {
  if (value === null && redacted) return <Hidden />
  if (typeof value === 'string') return value || <span className={styles.soft}>""</span>
  if (typeof value === 'object' && value !== null) {
    return <pre className={styles.nested}>{JSON.stringify(value, null, 2)}</pre>
  }
  return <code>{String(value)}</code>
}

/** A value that is there, and for whom. */
export function Hidden() {
  const t = useT()
  return (
    <span className={styles.hidden} title={t('properties.hiddenWhy')}>
      <LockOutlined aria-hidden /> {t('properties.hidden')}
    </span>
  )
}
