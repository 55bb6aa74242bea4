import { Counted } from '../../table/Counted'
import { useT } from '../../../i18n/useT'
import styles from './results.module.css'

interface FigureProps {
  value: number
  /** Whose figure it is, for who hears the button alone. */
  of: string
  /** Opens the people behind it; null where they may not be seen. */
  onOpen: (() => void) | null
  children?: React.ReactNode
}

/** A number of people that leads to who they are. Nobody is behind a nought. */
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
