import { BlockSkeleton, DataCard } from '../../../components/charts/DataCard'
import { percent, plainCount } from '../../../components/charts/format'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import {
  CHART_HEIGHT,
  CutNote,
  DayChart,
  FigureList,
  useChartPicture,
  type EngagementCardProps,
} from './card'

const LINES = [
  { counter: 'returning_users', name: 'overview.returning' },
  { counter: 'new_users', name: 'overview.new' },
] as const

/** Of those who come, how many are here for the first time. */
export function NewAndReturning({ query, cut }: EngagementCardProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const title = t('overview.newAndReturning')
  const { chart, button } = useChartPicture('new-and-returning', title, query.data)
  return (
    <DataCard
      title={title}
      definition={t('overview.newDefinition')}
      query={query}
      skeleton={<BlockSkeleton height={CHART_HEIGHT + 90} />}
      actions={button}
    >
      {({ days }) => {
        const fresh = days.reduce((sum, day) => sum + day.new_users, 0)
        const came = days.reduce((sum, day) => sum + day.dau, 0)
        return (
          <>
            <CutNote cut={cut} />
            <FigureList
              figures={[
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
              ]}
            />
            <DayChart ref={chart} days={days} label={title} lines={[...LINES]} stacked />
          </>
        )
      }}
    </DataCard>
  )
}
