import { percent, plainCount } from '../../../components/charts/format'
import { BlockSkeleton, DataCard } from '../../../components/charts/DataCard'
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

const WINDOWS = ['dau', 'wau', 'mau'] as const
const LINES = [
  { counter: 'dau', name: 'overview.dau' },
  { counter: 'wau', name: 'overview.wau' },
  { counter: 'mau', name: 'overview.mau' },
] as const

/** How many come in a day, a week, a month. */
export function Active({ query, cut }: EngagementCardProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const title = t('overview.active')
  const { chart, button } = useChartPicture('active', title, query.data)
  return (
    <DataCard
      title={title}
      definition={t('overview.activeDefinition')}
      query={query}
      skeleton={<BlockSkeleton height={CHART_HEIGHT + 90} />}
      actions={button}
    >
      {({ days, today, stickiness }) => (
        <>
          <CutNote cut={cut} />
          <FigureList
            figures={[
              ...WINDOWS.map((window) => ({
                name: t(`overview.${window}`),
                definition: t(`overview.${window}.definition`),
                value: plainCount(today[window], language),
              })),
              {
                name: t('overview.stickiness'),
                definition: t('overview.stickiness.definition'),
                value: stickiness == null ? null : percent(stickiness, language),
              },
            ]}
          />
          <DayChart ref={chart} days={days} label={title} lines={[...LINES]} />
        </>
      )}
    </DataCard>
  )
}
