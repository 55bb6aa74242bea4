import { useT } from '../../../i18n/useT'
import { MOST_COLOR } from './retention'
import styles from './retention.module.css'

interface HeatCellProps {
  share: number | null
  /** Not over yet, so there is no value. */
  ahead: boolean
  children: React.ReactNode
}

export function HeatCell({ share, ahead, children }: HeatCellProps) {
  const t = useT()
  if (ahead) {
    return (
      <td className={styles.ahead} title={t('results.retention.ahead')}>
        <span className="visually-hidden">{t('results.retention.ahead')}</span>
      </td>
    )
  }
  const color = Math.round((share ?? 0) * MOST_COLOR)
  return (
    <td style={{ background: `color-mix(in srgb, var(--brand) ${color}%, transparent)` }}>
      {children}
    </td>
  )
}
