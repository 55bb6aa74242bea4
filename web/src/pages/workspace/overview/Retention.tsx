import { Button } from 'antd'
import { useState } from 'react'
import { BlockSkeleton, DataCard } from '../../../components/charts/DataCard'
import { dayLabel, daysLabel, percent } from '../../../components/charts/format'
import { Counted, UNKNOWN } from '../../../components/table/Counted'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { CutNote, FigureList, type EngagementCardProps } from './card'
import { RETENTION_DAYS, weeksOf, type CameBack, type NewInWeek } from './weeks'
import styles from './overview.module.css'

/** The share of new users who returned a day, a week, and a month later. */
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
      {({ retention }) => {
        const first = retention.cohorts[0]?.date
        return (
          <>
            <CutNote cut={cut} />
            {first && (
              <p className={styles.soft}>
                {t('overview.newSince', { date: dayLabel(first, language) })}
              </p>
            )}
            <FigureList
              figures={RETENTION_DAYS.flatMap((day) => {
                const value = retention[day]
                if (value == null) return []
                return {
                  name: t(`overview.${day}`),
                  definition: t(`overview.${day}.definition`),
                  value: percent(value, language),
                }
              })}
            />
            <Weeks weeks={weeksOf(retention.cohorts)} />
          </>
        )
      }}
    </DataCard>
  )
}

const MOST_SHOWN = 10

function Weeks({ weeks }: { weeks: NewInWeek[] }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const [all, setAll] = useState(false)
  if (weeks.length === 0) return <p className={styles.soft}>{t('overview.nobodyNew')}</p>
  const shown = weeks.slice(0, all ? undefined : MOST_SHOWN)
  // Leave out columns that no week has reached.
  const days = RETENTION_DAYS.filter((day) => shown.some((week) => week[day] !== null))
  return (
    <>
      <table className={styles.cohorts} aria-label={t('overview.cohorts')}>
        <thead>
          <tr>
            <th scope="col">{t('overview.cohort')}</th>
            <th scope="col">{t('overview.size')}</th>
            {days.map((day) => (
              <th key={day} scope="col">
                {t(`overview.${day}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((week) => (
            <tr key={week.first}>
              <th scope="row">{daysLabel(week.first, week.last, language)}</th>
              <td>
                <Counted value={week.size} />
              </td>
              {days.map((day) => (
                <Returned key={day} back={week[day]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {weeks.length > MOST_SHOWN && (
        <Button aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('overview.fewerCohorts') : t('overview.allCohorts', { count: weeks.length })}
        </Button>
      )}
    </>
  )
}

/** The higher the share, the deeper the color; the number says it too. */
function Returned({ back }: { back: CameBack | null }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  if (back === null) {
    return (
      <td className={styles.soft} title={t('overview.notOver')}>
        {UNKNOWN}
      </td>
    )
  }
  const ratio = back.people / back.of
  return (
    <td
      className={styles.shaded}
      data-partial={back.partial}
      style={{ '--share': ratio } as React.CSSProperties}
      title={back.partial ? t('overview.soFarOf', { count: back.of }) : undefined}
    >
      {percent(ratio, language)}{' '}
      <small>{back.partial ? t('chart.soFar') : back.people.toLocaleString(language)}</small>
    </td>
  )
}
