/** A card with figures above a daily chart. */
import type { Engagement } from '../../../api/engagement'
import { BlockSkeleton, DataCard } from '../../../components/charts/DataCard'
import type { MessageKey } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import {
  CHART_HEIGHT,
  CutNote,
  DayChart,
  FigureList,
  useChartPicture,
  type DayLine,
  type EngagementCardProps,
  type Figure,
} from './card'

interface DayCardProps extends EngagementCardProps {
  title: MessageKey
  definition: MessageKey
  /** The prefix of the picture's file name. */
  file: string
  figures: (engagement: Engagement) => Figure[]
  /** Shown above the figures: which day they are for. */
  note?: (engagement: Engagement) => React.ReactNode
  lines: DayLine[]
  stacked?: boolean
}

export function DayCard(props: DayCardProps) {
  const { query, cut, figures, note, lines, stacked } = props
  const t = useT()
  const title = t(props.title)
  const { chart, button } = useChartPicture(props.file, title, query.data)
  return (
    <DataCard
      title={title}
      definition={t(props.definition)}
      query={query}
      skeleton={<BlockSkeleton height={CHART_HEIGHT + 90} />}
      actions={button}
    >
      {(engagement) => (
        <>
          <CutNote cut={cut} />
          {note?.(engagement)}
          <FigureList figures={figures(engagement)} />
          <DayChart
            ref={chart}
            days={engagement.days}
            label={title}
            lines={lines}
            stacked={stacked}
          />
        </>
      )}
    </DataCard>
  )
}
