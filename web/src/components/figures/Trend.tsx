import { Button } from 'antd'
import { useMemo, useRef } from 'react'
import { FIGURES, type FigureName, type OverallPoint } from '../../api/overall'
import { BlockSkeleton, DataCard } from '../charts/DataCard'
import { NEUTRAL } from '../charts/colors'
import { LEGEND_HEIGHT, LineChart, type ChartHandle } from '../charts/LineChart'
import type { ChartSeries } from '../charts/series'
import { ChoiceGroup } from '../ChoiceGroup'
import { rangeText } from '../range/rangeText'
import { useLanguageStore, type Translate } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { EntryLink } from './EntryLink'
import { CsvButton, PngButton } from './ExportButtons'
import { useBoard, useOverall } from './board'
import { FIGURE_TRENDS } from './trends'
import { useBucketLead } from './useBucketLead'
import styles from './Trend.module.css'

const HEIGHT = 300

/** One figure over time, with its comparison. */
export function Trend() {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { question, course, set } = useBoard()
  const query = useOverall('series')
  const chart = useRef<ChartHandle>(null)
  const points = query.data?.series
  const times = useMemo(() => points?.map(({ time }) => time) ?? [], [points])
  const series = useMemo(() => seriesOf(points ?? [], course, t), [points, course, t])
  const onPoint = useBucketLead(FIGURE_TRENDS[course], times)
  const title = t('dashboard.trendOf', { metric: t(`metric.${course}`) })
  return (
    <DataCard
      title={title}
      definition={t(`metric.${course}.definition`)}
      query={query}
      skeleton={
        <BlockSkeleton height={HEIGHT + (question.compare === 'none' ? 0 : LEGEND_HEIGHT)} />
      }
      choice={
        <ChoiceGroup
          label={t('dashboard.metric')}
          value={course}
          choices={FIGURES.map((value) => ({
            value,
            name: t(`metric.${value}`),
            shown: t(`metric.${value}`),
          }))}
          onChoose={(value) => set('metric', value === 'events' ? null : value)}
        />
      }
      actions={
        query.data?.can_export && (
          <>
            <CsvButton table="series" title={title} />
            <PngButton
              title={title}
              file={`${course}-${question.start}_${question.end}`}
              draw={() =>
                chart.current?.toPng(
                  title,
                  `${rangeText(question, language)} · ${question.timezone}`,
                )
              }
            />
          </>
        )
      }
    >
      {({ range }) => (
        <LineChart
          ref={chart}
          onPoint={onPoint}
          times={times}
          series={series}
          partial={points?.find(({ partial }) => partial)?.time}
          granularity={range.granularity}
          timezone={range.timezone}
          height={HEIGHT}
          ariaLabel={title}
          emptyText={<NoEvents />}
        />
      )}
    </DataCard>
  )
}

export function seriesOf(points: OverallPoint[], course: FigureName, t: Translate): ChartSeries[] {
  const now = {
    key: course,
    name: t(`metric.${course}`),
    values: points.map((at) => at[course] ?? null),
  }
  const before = points.map(({ previous }) => previous)
  if (!before.some(Boolean)) return [now]
  return [
    now,
    {
      key: 'previous',
      name: t('dashboard.compared'),
      values: before.map((at) => at?.[course] ?? null),
      times: before.map((at) => at?.time),
      dashed: true,
      color: NEUTRAL,
    },
  ]
}

/** The range has no events: suggests a longer one, or sending data. */
function NoEvents() {
  const t = useT()
  const { apps, chosen, params } = useBoard()
  const app = apps?.find(({ id }) => chosen.length === 0 || chosen.includes(id))
  return (
    <div className={styles.none}>
      <p className={styles.noneTitle}>{t('dashboard.noEvents')}</p>
      <p>{t('dashboard.noEventsText')}</p>
      <div className={styles.ways}>
        {params.preset !== '90d' && (
          <Button onClick={() => params.setRange('90d')}>{t('range.preset.90d')}</Button>
        )}
        {app && (
          <EntryLink app={app} extra="/quick-start">
            {t('dashboard.quickStart', { name: app.name })}
          </EntryLink>
        )}
      </div>
    </div>
  )
}
