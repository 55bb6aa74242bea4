import type { LifecyclePoint } from '../../../api/analysisTypes'
import { UNKNOWN } from '../../table/Counted'
import { useIsNarrow } from '../../table/useIsNarrow'
import { useT } from '../../../i18n/useT'
import { Figure } from './Figure'
import { STATES } from './lifecycle'
import type { OnPick } from './result'
import { useSteps } from './ShowMore'
import { Scroll } from './Scroll'
import styles from './results.module.css'

interface LifecycleTableProps {
  /** Newest first. */
  rows: (LifecyclePoint & { label: string; short: string; soFar: boolean })[]
  onPick: OnPick
}

export function LifecycleTable({ rows, onPick }: LifecycleTableProps) {
  const t = useT()
  const narrow = useIsNarrow()
  const { shown, more } = useSteps(rows)
  return (
    <>
      <Scroll label={t('results.lifecycle.title')}>
        <table className={styles.table} aria-label={t('results.lifecycle.title')}>
          <thead>
            <tr>
              <th scope="col">{t('chart.time')}</th>
              {STATES.map(({ state }) => (
                <th key={state} scope="col" className={styles.number}>
                  {t(`results.lifecycle.${state}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ time, label, short, soFar, ...counts }) => (
              <tr key={time} className={soFar ? styles.unfinished : undefined}>
                <th scope="row" title={label}>
                  {narrow ? short : label}
                  {soFar && <small>{t('chart.soFar')}</small>}
                </th>
                {STATES.map(({ state }) => (
                  <td key={state} className={styles.number}>
                    {counts[state] === null ? (
                      UNKNOWN
                    ) : (
                      <Figure
                        value={counts[state]}
                        of={`${label} · ${t(`results.lifecycle.${state}`)}`}
                        onOpen={onPick && (() => onPick({ of: 'lifecycle', time, state }))}
                      />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {more}
    </>
  )
}
