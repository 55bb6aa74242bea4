import { useT } from '../../../i18n/useT'
import styles from './retention.module.css'

interface HeatCellProps {
  share: number | null
  /** Not over yet: there is nothing to tell. */
  ahead: boolean
  children: React.ReactNode
}

/** The higher the share, the more of the brand's color; text stays readable on all of it. */
const MOST_COLOR = 55

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
