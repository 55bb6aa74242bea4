/** A small line without axes, beside a number that says what matters. Decoration for screen readers. */
import styles from './Sparkline.module.css'

interface SparklineProps {
  values: number[]
  /** What it is compared with, dashed. */
  previous?: number[]
}

const WIDTH = 100
const HEIGHT = 32
/** Room for half of the line's width. */
const EDGE = 2

export function Sparkline({ values, previous = [] }: SparklineProps) {
  const most = Math.max(1, ...values, ...previous)
  const line = pathOf(values, most)
  return (
    <svg
      className={styles.spark}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {previous.length > 1 && <path className={styles.before} d={pathOf(previous, most)} />}
      {values.length > 1 && (
        <>
          <path className={styles.area} d={`${line} L${WIDTH} ${HEIGHT} L0 ${HEIGHT} Z`} />
          <path className={styles.line} d={line} />
        </>
      )}
    </svg>
  )
}

export function pathOf(values: number[], most: number): string {
  return values
    .map((value, index) => {
      const x = (index / Math.max(1, values.length - 1)) * WIDTH
      const y = HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE)
      return `${index === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`
    })
    .join(' ')
}

const round = (value: number) => Math.round(value * 100) / 100
