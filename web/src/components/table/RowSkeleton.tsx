import { useT } from '../../i18n/useT'
import styles from './DataTable.module.css'

const MOST_SHOWN = 8

/** Bars in the place of rows that are on their way, so that nothing jumps when they arrive. */
export function RowSkeleton({ rows }: { rows: number }) {
  const t = useT()
  return (
    <div className={styles.skeleton} role="status" aria-busy="true">
      <span className="visually-hidden">{t('common.loading')}</span>
      {Array.from({ length: Math.min(rows, MOST_SHOWN) }, (_, index) => (
        <div key={index} className={styles.bar} aria-hidden="true" />
      ))}
    </div>
  )
}
