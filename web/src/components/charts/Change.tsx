import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { percent } from './format'
import styles from './Change.module.css'

/** The change since before: an arrow, a color, and a word for people who see neither. */
export function Change({ change }: { change: number | null | undefined }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  if (change == null) return <span className={styles.change}>{t('chart.noChange')}</span>
  const way = change > 0 ? 'up' : change < 0 ? 'down' : 'same'
  return (
    <span className={styles.change} data-way={way}>
      <span aria-hidden="true">{ARROWS[way]} </span>
      <span className="visually-hidden">{t(`chart.${way}`)}</span>
      {percent(Math.abs(change), language)}
    </span>
  )
}

const ARROWS = { up: '▲', down: '▼', same: '＝' }
