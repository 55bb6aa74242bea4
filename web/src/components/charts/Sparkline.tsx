/** A small line without axes, beside the number that matters. Hidden from screen readers. */
import styles from './Sparkline.module.css'

export interface Course {
  /** Null for future values. */
  values: (number | null)[]
  /** The comparison, dashed. */
  previous?: (number | null)[]
  /** The index of the unfinished value; the segment leading to it is dashed. */
  partial?: number
}

const WIDTH = 100
const HEIGHT = 32
/** Room for half the line width. */
const EDGE = 2

export function Sparkline({ values, previous = [], partial = -1 }: Course) {
  const all = [...known(values), ...known(previous)]
  const [least, most] = [Math.min(0, ...all), Math.max(1, ...all)]
  const draw = (part: (number | null)[]) => pathOf(part, most, least)
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
      {previous.length > 1 && <path className={styles.before} d={draw(previous)} />}
      {values.length > 1 && (
        <>
          <path
            className={styles.area}
            d={`${draw(values)} L${acrossOf(last, values)} ${HEIGHT} L0 ${HEIGHT} Z`}
          />
          <path className={styles.line} d={draw(whole)} />
          {partial > 0 && <path className={styles.soFar} d={draw(soFar)} />}
        </>
      )}
    </svg>
  )
}

/** Connects the known values, each at its position. */
export function pathOf(values: (number | null)[], most: number, least = 0): string {
  return values
    .flatMap((value, index) => {
      if (value === null) return []
      const y = HEIGHT - EDGE - ((value - least) / (most - least)) * (HEIGHT - 2 * EDGE)
      return [`${acrossOf(index, values)} ${round(y)}`]
    })
    .map((point, index) => `${index === 0 ? 'M' : 'L'}${point}`)
    .join(' ')
}

const known = (values: (number | null)[]) => values.filter((value) => value !== null)
const acrossOf = (index: number, { length }: unknown[]) =>
  round((index / Math.max(1, length - 1)) * WIDTH)
const round = (value: number) => Math.round(value * 100) / 100
