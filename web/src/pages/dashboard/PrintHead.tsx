import { rangeText } from '../../components/range/rangeText'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { isolated } from '../../lib/bidi'
import { useOrg } from '../../session/org'
import { useBoard, useOverall } from '../../components/figures/board'
import styles from './PrintHead.module.css'

/** Paper shows no controls, so this says what the figures cover. */
export function PrintHead() {
  const t = useT()
  const org = useOrg()
  const language = useLanguageStore((state) => state.currentLang)
  const { question, chosen } = useBoard()
  const { data } = useOverall('totals')
  const names = data?.apps_seen.map(({ name }) => name)
  return (
    <div className={styles.head}>
      <p className={styles.title}>
        <bdi>{org.name}</bdi> · {t('title.dataDashboard')}
      </p>
      <p>
        {rangeText(question, language)} · {question.timezone} ·{' '}
        {t(`range.compare.${question.compare}`)}
      </p>
      <p>{chosen.length > 0 && names ? names.map(isolated).join(' · ') : t('dashboard.allApps')}</p>
    </div>
  )
}
