import styles from './DataTable.module.css'

const MOST_SHOWN = 8

/** Placeholder rows that keep the layout from shifting when the data arrives. */
export function RowSkeleton({ rows }: { rows: number }) {
  return (
    <div className={styles.skeleton}>
      {Array.from({ length: Math.min(rows, MOST_SHOWN) }, (_, index) => (
        <div key={index} className={styles.bar} />
      ))}
    </div>
  )
}
