import { useRef } from 'react'
import { ENGAGEMENT_MOST_DAYS, type Engagement, type EngagementDay } from '../../../api/engagement'
import type { CardQuery } from '../../../components/charts/DataCard'
import { Definition } from '../../../components/charts/Definition'
import { LineChart, type ChartHandle } from '../../../components/charts/LineChart'
import { FIGURE_TRENDS } from '../../../components/figures/trends'
import { TrendLink } from '../../../components/figures/TrendLink'
import { PngButton } from '../../../components/figures/ExportButtons'
import { useBucketLead } from '../../../components/figures/useBucketLead'
import type { DayRange } from '../../../components/range/range'
import { rangeText } from '../../../components/range/rangeText'
import { UNKNOWN } from '../../../components/table/Counted'
import { useLanguageStore, type MessageKey } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { isolated } from '../../../lib/bidi'
import { useApp } from '../../../session/app'
import { dayStart } from '../../../lib/zonedDay'
import styles from './overview.module.css'

export interface EngagementCardProps {
  query: CardQuery<Engagement>
  /** The range is longer than what the server counts. */
  cut: boolean
}

export const CHART_HEIGHT = 260

export interface Figure {
  name: string
  definition: string
  value: string | null
  /** The value of the unfinished day. */
  soFar?: string
  /** The days it counts people over; the trend shows who they are. */
  people?: DayRange
}

/** Figures side by side, each with its definition. */
export function FigureList({ figures }: { figures: Figure[] }) {
  const t = useT()
  return (
    <dl className={styles.figures}>
      {figures.map(({ name, definition, value, soFar, people }) => (
        <div key={name}>
          <dt>
            {name} <Definition of={name}>{definition}</Definition>
          </dt>
          <dd>
            {people ? <PeopleLink days={people}>{value}</PeopleLink> : (value ?? UNKNOWN)}
            {soFar !== undefined && <small>{t('overview.soFar', { value: soFar })}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function PeopleLink({ days, children }: { days: DayRange; children: React.ReactNode }) {
  return (
    <TrendLink trend={FIGURE_TRENDS.active_users} range={days}>
      {children}
    </TrendLink>
  )
}

/** Shown if the range had to be shortened. */
export function CutNote({ cut }: { cut: boolean }) {
  const t = useT()
  if (!cut) return null
  return <p className={styles.soft}>{t('overview.cut', { days: ENGAGEMENT_MOST_DAYS })}</p>
}

type Counter = Exclude<keyof EngagementDay, 'date' | 'partial'>

export interface DayLine {
  counter: Counter
  name: MessageKey
}

interface DayChartProps {
  days: EngagementDay[]
  label: string
  lines: DayLine[]
  stacked?: boolean
  ref: React.Ref<ChartHandle>
}

export function DayChart({ days, label, lines, stacked, ref }: DayChartProps) {
  const t = useT()
  const { app } = useApp()
  const startOf = ({ date }: EngagementDay) => dayStart(date, app.timezone) ?? 0
  const unfinished = days.find(({ partial }) => partial)
  const times = days.map(startOf)
  const onPoint = useBucketLead(FIGURE_TRENDS.active_users, times, 'day')
  return (
    <LineChart
      ref={ref}
      height={CHART_HEIGHT}
      times={times}
      partial={unfinished && startOf(unfinished)}
      onPoint={onPoint}
      series={lines.map(({ counter, name }) => ({
        key: counter,
        name: t(name),
        values: days.map((day) => day[counter]),
      }))}
      stacked={stacked}
      granularity="day"
      timezone={app.timezone}
      ariaLabel={label}
      emptyText={t('overview.nobody')}
    />
  )
}

/** A card's chart as a picture, for users who may export data. */
export function useChartPicture(file: string, title: string, data: Engagement | undefined) {
  const { app, may } = useApp()
  const language = useLanguageStore((state) => state.currentLang)
  const chart = useRef<ChartHandle>(null)
  const [start, end] = [data?.days[0]?.date, data?.days.at(-1)?.date]
  const button = may('event:export') && start && end && (
    <PngButton
      title={title}
      file={`${file}-${start}_${end}`}
      draw={() =>
        chart.current?.toPng(
          title,
          `${isolated(app.name)} · ${rangeText({ start, end }, language)}`,
        )
      }
    />
  )
  return { chart, button }
}
