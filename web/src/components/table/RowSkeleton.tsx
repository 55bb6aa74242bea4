import styles from './DataTable.module.css'

const MOST_SHOWN = 8

/** Bars in the place of rows that are on their way, so that nothing jumps when they arrive. */
export function RowSkeleton({ rows }: { rows: number }) {
  return (
    <div className={styles.skeleton}>
      {Array.from({ length: Math.min(rows, MOST_SHOWN) }, (_, index) => (
        <div key={index} className={styles.bar} />
      ))}
    </div>
  )
}
