/** The properties of an event or a person: names, values, and which values are hidden. */
import { LockOutlined } from '@ant-design/icons'
import type { Properties } from '../../api/people'
import { useT } from '../../i18n/useT'
import styles from './PropertyList.module.css'

interface PropertyListProps {
  label: string
  properties?: Properties | null
  /** Whether personal values were removed: hidden isn't the same as empty. */
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

/** Marks a hidden value and says who can see it. */
export function Hidden() {
  const t = useT()
  return (
    <span className={styles.hidden} title={t('properties.hiddenWhy')}>
      <LockOutlined aria-hidden /> {t('properties.hidden')}
    </span>
  )
}
