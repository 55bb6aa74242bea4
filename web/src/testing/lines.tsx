import { vi } from 'vitest'
import * as chart from '../components/charts/LineChart'

/** Has charts list the values of their lines until the test ends; a click picks the second place. */
export function listLines() {
  vi.spyOn(chart, 'LineChart').mockImplementation(({ series, partial, ariaLabel, onPoint }) => (
    <ul aria-label={ariaLabel} data-partial={partial} onClick={() => onPoint?.does(1)}>
      {series.map(({ key, name, values }) => (
        <li key={key}>
          {name}: {values.join(' ')}
        </li>
      ))}
    </ul>
  ))
}
