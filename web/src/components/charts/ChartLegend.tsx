import type { Stroke } from './colors'
import type { DrawnSeries } from './series'
import styles from './ChartLegend.module.css'

interface ChartLegendProps {
  series: DrawnSeries[]
  hidden: string[]
  onChange: (hidden: string[]) => void
}

/** Which line is which, with a switch for each. The last one can't be turned off. */
export function ChartLegend({ series, hidden, onChange }: ChartLegendProps) {
  return (
    <ul className={styles.legend}>
      {series.map(({ key, name, stroke }) => {
        const off = hidden.includes(key)
        const others = hidden.filter((other) => other !== key)
        return (
          <li key={key}>
            <button
              type="button"
              className={styles.entry}
              aria-pressed={!off}
              onClick={() => {
                if (off) onChange(others)
                else if (others.length < series.length - 1) onChange([...others, key])
              }}
            >
              <Sample stroke={stroke} />
              {name}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

const DASHES = { solid: undefined, dashed: '4 2.5', dotted: '1.5 2' }

/** A piece of the line. */
export function Sample({ stroke: { color, line } }: { stroke: Stroke }) {
  return (
    <svg className={styles.sample} width="16" height="8" aria-hidden="true">
      <line
        x1="0"
        x2="16"
        y1="4"
        y2="4"
        stroke={color}
        strokeWidth="2.5"
        strokeDasharray={DASHES[line]}
      />
    </svg>
  )
}
