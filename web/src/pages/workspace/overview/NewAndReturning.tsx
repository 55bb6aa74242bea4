import { percent, plainCount } from '../../../components/charts/format'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { DayCard } from './DayCard'
import type { DayLine, EngagementCardProps } from './card'

const LINES: DayLine[] = [
  { counter: 'returning_users', name: 'overview.returning' },
  { counter: 'new_users', name: 'overview.new' },
]

/** How many active users are new. */
export function NewAndReturning(card: EngagementCardProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  return (
    <DayCard
      {...card}
      title="overview.newAndReturning"
      definition="overview.newDefinition"
      file="new-and-returning"
      figures={({ days }) => {
        const fresh = days.reduce((sum, day) => sum + day.new_users, 0)
        const came = days.reduce((sum, day) => sum + day.dau, 0)
        return [
          {
            name: t('overview.new'),
            definition: t('overview.new.definition'),
            value: plainCount(fresh, language),
          },
          {
            name: t('overview.newShare'),
            definition: t('overview.newShare.definition'),
            value: came > 0 ? percent(fresh / came, language) : null,
          },
        ]
      }}
      lines={LINES}
      stacked
    />
  )
}
