import { Button } from 'antd'
import type { useChart } from '../../charts/useChart'
import { useT } from '../../../i18n/useT'
import chartStyles from '../../charts/LineChart.module.css'

interface StageProps extends React.HTMLAttributes<HTMLDivElement> {
  drawn: ReturnType<typeof useChart>
  label: string
  height: number
  /** Whether clicking does something. */
  leads: boolean
  /** Whether arrow keys move over it. */
  keys?: boolean
}

/** The chart's canvas, or its loading and failure states. */
export function Stage({ drawn, label, height, leads, keys, children, ...handlers }: StageProps) {
  const t = useT()
  const { host, chart, failed, retry } = drawn
  return (
    <div className={chartStyles.stage} style={{ height }} data-leads={leads} {...handlers}>
      <div
        ref={host}
        className={chartStyles.canvas}
        role="img"
        aria-label={label}
        aria-keyshortcuts={keys ? 'ArrowLeft ArrowRight' : undefined}
        tabIndex={keys ? 0 : undefined}
      />
      {!chart && !failed && <div className={chartStyles.skeleton} aria-hidden="true" />}
      {failed && (
        <div className={chartStyles.failure} role="alert">
          <p>{t('chart.failed')}</p>
          <Button onClick={retry}>{t('common.retry')}</Button>
        </div>
      )}
      {children}
    </div>
  )
}
