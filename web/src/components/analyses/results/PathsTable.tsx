import { Button } from 'antd'
import type { PathNode, PathsAnswer } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { Figure } from './Figure'
import type { OnPick } from './result'
import { pickOfFlow, type Flow } from './flows'
import { Scroll } from './Scroll'
import { useSteps } from './ShowMore'
import { nodeName } from './words'
import styles from './results.module.css'

interface PathsTableProps {
  flows: Flow[]
  side: PathsAnswer['side']
  onPick: OnPick
  /** Null if the table is only for screen readers, beside the chart. */
  onStart: ((node: PathNode) => void) | null
}

/**
 * Every link of the paths, step by step; the node away from the common end can become the next
 * start.
 */
export function PathsTable({ flows, side, onPick, onStart }: PathsTableProps) {
  const t = useT()
  const { shown, more } = useSteps(flows)
  const table = (
    <table className={styles.table} aria-label={t('results.paths.title')}>
      <thead>
        <tr>
          <th scope="col">{t('results.paths.step')}</th>
          <th scope="col">{t('results.paths.source')}</th>
          <th scope="col">{t('results.paths.target')}</th>
          <th scope="col" className={styles.number}>
            {t('results.people')}
          </th>
          {onStart && (
            <th scope="col">
              <span className="visually-hidden">{t('results.paths.actions')}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {shown.map((flow) => {
          const [source, target] = [flow.source.node, flow.target.node]
          const far = side === 'from' ? target : source
          return (
            <tr key={`${flow.source.id} ${flow.target.id}`}>
              <td>{flow.step}</td>
              <td className={tone(source)}>{nodeName(source, t)}</td>
              <td className={tone(target)}>{nodeName(target, t)}</td>
              <td className={styles.number}>
                <Figure
                  value={flow.people}
                  of={`${nodeName(source, t)} → ${nodeName(target, t)}`}
                  onOpen={onPick && (() => onPick(pickOfFlow(flow)))}
                />
              </td>
              {onStart && (
                <td className={styles.number}>
                  {far.kind === 'event' && (
                    <Button
                      size="small"
                      type="link"
                      aria-label={`${t(`results.paths.start.${side}`)}: ${nodeName(far, t)}`}
                      onClick={() => onStart(far)}
                    >
                      {t(`results.paths.start.${side}`)}
                    </Button>
                  )}
                </td>
              )}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
  if (!onStart) return table
  return (
    <>
      <Scroll label={t('results.paths.title')}>{table}</Scroll>
      {more}
    </>
  )
}

const tone = ({ kind }: PathNode) => (kind === 'event' ? undefined : styles.soft)
