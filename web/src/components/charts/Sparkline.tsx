/** A small line without axes, beside a number that says what matters. Decoration for screen readers. */
import styles from './Sparkline.module.css'

export interface Course {
  /** Null for what lies ahead. */
  values: (number | null)[]
  /** What it is compared with, dashed. */
  previous?: (number | null)[]
  /** The place of the value that is so far; the way to it is dashed. */
  partial?: number
}

const WIDTH = 100
const HEIGHT = 32
/** Room for half of the line's width. */
const EDGE = 2

export function Sparkline({ values, previous = [], partial = -1 }: Course) {
  const most = Math.max(1, ...known(values), ...known(previous))
  const whole = partial < 0 ? values : values.map((value, at) => (at < partial ? value : null))
  const soFar = values.map((value, at) => (at === partial || at === partial - 1 ? value : null))
  const last = values.findLastIndex((value) => value !== null)
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
          <path
            className={styles.area}
            d={`${pathOf(values, most)} L${acrossOf(last, values)} ${HEIGHT} L0 ${HEIGHT} Z`}
          />
          <path className={styles.line} d={pathOf(whole, most)} />
          {partial > 0 && <path className={styles.soFar} d={pathOf(soFar, most)} />}
        </>
      )}
    </svg>
  )
}

/** Through all that is known; each in its place. */
export function pathOf(values: (number | null)[], most: number): string {
  return values
    .flatMap((value, index) => {
      if (value === null) return []
      const y = HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE)
      return [`${acrossOf(index, values)} ${round(y)}`]
    })
    .map((point, index) => `${index === 0 ? 'M' : 'L'}${point}`)
    .join(' ')
}

const known = (values: (number | null)[]) => values.filter((value) => value !== null)
const acrossOf = (index: number, { length }: unknown[]) =>
  round((index / Math.max(1, length - 1)) * WIDTH)
const round = (value: number) => Math.round(value * 100) / 100
