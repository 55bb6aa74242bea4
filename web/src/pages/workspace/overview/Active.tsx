import { dayLabel, percent, plainCount } from '../../../components/charts/format'
import { addDays, type DayRange } from '../../../components/range/range'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { DayCard } from './DayCard'
import type { DayLine, EngagementCardProps } from './card'
import styles from './overview.module.css'

const WINDOWS = ['dau', 'wau', 'mau'] as const
/** How many days each looks back over, including its own. */
const WINDOW_DAYS = { dau: 1, wau: 7, mau: 30 }
const LINES: DayLine[] = WINDOWS.map((window) => ({ counter: window, name: `overview.${window}` }))

/** Daily, weekly, and monthly active users. */
export function Active(card: EngagementCardProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  return (
    <DayCard
      {...card}
      title="overview.active"
      definition="overview.activeDefinition"
      file="active"
      note={({ last_whole_day: day }) =>
        day && (
          <p className={styles.soft}>
            {t('overview.ofDay', { date: dayLabel(day.date, language) })}
          </p>
        )
      }
      figures={({ last_whole_day: day, so_far, stickiness }) => [
        ...WINDOWS.map((window) => ({
          name: t(`overview.${window}`),
          definition: t(`overview.${window}.definition`),
          value: day ? plainCount(day[window], language) : null,
          people: day ? daysUpTo(day.date, WINDOW_DAYS[window]) : undefined,
          soFar: so_far ? plainCount(so_far[window], language) : undefined,
        })),
        {
          name: t('overview.stickiness'),
          definition: t('overview.stickiness.definition'),
          value: stickiness == null ? null : percent(stickiness, language),
        },
      ]}
      lines={LINES}
    />
  )
}

const daysUpTo = (end: string, count: number): DayRange => ({ start: addDays(end, 1 - count), end })
