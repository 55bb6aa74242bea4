import { Counted } from '../../table/Counted'
import { useT } from '../../../i18n/useT'
import styles from './results.module.css'

interface FigureProps {
  value: number
  /** The figure's context, for screen readers. */
  of: string
  /** Opens the people behind it; null if the user may not see them. */
  onOpen: (() => void) | null
  children?: React.ReactNode
}

/** A number of people that opens their list. A zero opens nothing. */
export function Figure({ value, of, onOpen, children }: FigureProps) {
  const t = useT()
  const shown = children ?? <Counted value={value} />
  if (!onOpen || value === 0) return shown
  return (
    <button
      type="button"
      className={styles.figure}
      title={t('results.seePeople')}
      aria-label={t('results.seePeopleOf', { of, count: value })}
      onClick={onOpen}
    >
      {shown}
    </button>
  )
}
