import { Button } from 'antd'
import { useState } from 'react'
import type { Cohort } from '../../../api/engagement'
import { BlockSkeleton, DataCard } from '../../../components/charts/DataCard'
import { dayLabel, percent } from '../../../components/charts/format'
import { Counted, UNKNOWN } from '../../../components/table/Counted'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { comparing } from '../../../lib/sort'
import { CutNote, FigureList, type EngagementCardProps } from './card'
import styles from './overview.module.css'

const DAYS = ['day1', 'day7', 'day30'] as const

/** Of those who came for the first time, how many were back a day, a week, a month later. */
export function Retention({ query, cut }: EngagementCardProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  return (
    <DataCard
      title={t('overview.retention')}
      definition={t('overview.retentionDefinition')}
      query={query}
      skeleton={<BlockSkeleton height={360} />}
    >
      {({ retention }) => (
        <>
          <CutNote cut={cut} />
          <FigureList
            figures={DAYS.map((day) => ({
              name: t(`overview.${day}`),
              definition: t(`overview.${day}.definition`),
              value: retention[day] == null ? null : percent(retention[day], language),
            }))}
          />
          <Cohorts cohorts={retention.cohorts} />
        </>
      )}
    </DataCard>
  )
}

const MOST_SHOWN = 14
const latest = comparing('timestamp', 'desc')

function Cohorts({ cohorts }: { cohorts: Cohort[] }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const [all, setAll] = useState(false)
  // Days on which nobody was new have nobody to come back.
  const newest = cohorts
    .filter(({ size }) => size > 0)
    .sort((one, other) => latest(one.date, other.date))
  if (newest.length === 0) return <p className={styles.soft}>{t('overview.nobodyNew')}</p>
  return (
    <>
      <table className={styles.cohorts} aria-label={t('overview.cohorts')}>
        <thead>
          <tr>
            <th scope="col">{t('overview.cohort')}</th>
            <th scope="col">{t('overview.size')}</th>
            {DAYS.map((day) => (
              <th key={day} scope="col">
                {t(`overview.${day}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {newest.slice(0, all ? undefined : MOST_SHOWN).map((cohort) => (
            <tr key={cohort.date}>
              <th scope="row">{dayLabel(cohort.date, language)}</th>
              <td>
                <Counted value={cohort.size} />
              </td>
              {DAYS.map((day) => (
                <Back key={day} back={cohort[day]} size={cohort.size} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {newest.length > MOST_SHOWN && (
        <Button aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('overview.fewerCohorts') : t('overview.allCohorts', { count: newest.length })}
        </Button>
      )}
    </>
  )
}

/** The more came back, the deeper the colour; the number says it too. */
function Back({ back, size }: { back?: number | null; size: number }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  if (back == null) {
    return (
      <td className={styles.soft} title={t('overview.notOver')}>
        {UNKNOWN}
      </td>
    )
  }
  const ratio = back / size
  return (
    <td className={styles.shaded} style={{ '--share': ratio } as React.CSSProperties}>
      {percent(ratio, language)} <small>{back.toLocaleString(language)}</small>
    </td>
  )
}
