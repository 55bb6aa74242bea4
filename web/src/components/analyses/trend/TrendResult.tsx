import { useImperativeHandle, useMemo, useRef } from 'react'
import type { GroupValues, TrendAnswer, TrendQuestion } from '../../../api/analysisTypes'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { axisLabel, bucketLabel, compactCount, percent, plainCount } from '../../charts/format'
import { LineChart, type ChartHandle } from '../../charts/LineChart'
import { partialIndex, type ChartSeries } from '../../charts/series'
import { ChoiceGroup } from '../../ChoiceGroup'
import { rangeText } from '../../range/rangeText'
import { Plot } from '../results/Plot'
import { plotPicture, type PlotData } from '../results/plotOption'
import { useZone, type ResultProps } from '../results/result'
import type { Chart, Course } from '../question'
import type { Words } from '../sentence'
import { RowTable } from './RowTable'
import { TrendNumbers } from './TrendNumbers'
import { TrendTable } from './TrendTable'
import { chartSeries, chartsFor, coursesFor, drawnRows, MOST_DRAWN, rowsOf, shares } from './rows'
import styles from './trend.module.css'

const HEIGHT = 320

interface TrendResultProps extends ResultProps<TrendQuestion, TrendAnswer> {
  title: string
  words: Words
  chart: Chart
  course: Course
  onShow: (shown: { chart: Chart; course: Course }) => void
  /** Narrows the question to one group's events. */
  onGroup: (group: GroupValues) => void
  /** Shown if nothing was found. */
  empty: React.ReactNode
}

export function TrendResult(props: TrendResultProps) {
  const { question, answer, words, onShow, onPick, onGroup } = props
  const t = useT()
  const charts = chartsFor(question)
  const courses = coursesFor(question)
  const chart = charts.find((one) => one === props.chart) ?? 'line'
  const drawsLines = chart !== 'number' && chart !== 'table'
  const course = (drawsLines && courses.find((one) => one === props.course)) || 'each'
  const rows = useMemo(() => rowsOf(question, answer, words), [question, answer, words])
  if (rows.every(({ points }) => points.every((point) => !point))) return props.empty
  return (
    <div className={styles.result}>
      <div className={styles.views}>
        <ChoiceGroup
          label={t('analyses.chart')}
          value={chart}
          choices={charts.map((value) => named(value, t(`analyses.chart.${value}`)))}
          onChoose={(chosen) => onShow({ chart: chosen, course: props.course })}
        />
        {drawsLines && chart !== 'share' && (
          <ChoiceGroup
            label={t('analyses.course')}
            value={course}
            choices={courses.map((value) => named(value, t(`analyses.course.${value}`)))}
            onChoose={(chosen) => onShow({ chart, course: chosen })}
          />
        )}
      </div>
      {chart === 'number' && (
        <TrendNumbers rows={drawnRows(rows)} answer={answer} onPick={onPick} />
      )}
      {chart === 'table' && (
        <TrendTable rows={rows} question={question} answer={answer} onPick={onPick} />
      )}
      {drawsLines && <Drawing {...props} chart={chart} course={course} rows={rows} />}
      {chart !== 'table' && (
        <RowTable
          rows={rows}
          question={question}
          answer={answer}
          cohorts={words.cohorts}
          onPick={onPick}
          onGroup={onGroup}
        />
      )}
    </div>
  )
}

const named = <Value extends string>(value: Value, name: string) => ({ value, name, shown: name })

interface DrawingProps extends TrendResultProps {
  rows: ReturnType<typeof rowsOf>
}

function Drawing({ ref, rows, question, answer, title, chart, course, onPick }: DrawingProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const timezone = useZone(question)
  const lines = useRef<ChartHandle>(null)
  const all = drawnRows(rows)
  const drawn = all.slice(0, MOST_DRAWN)
  const { granularity = 'day' } = question
  const series = useMemo(() => {
    const compared = answer.compared
      ? t('analyses.comparedWith', { days: rangeText(answer.compared, language) })
      : t('dashboard.compared')
    const parts = chart === 'stacked' || chart === 'share'
    const kept = parts ? drawn.map((row) => ({ ...row, before: null })) : drawn
    return chartSeries(kept, answer, chart === 'share' ? 'each' : course, compared)
  }, [drawn, answer, chart, course, t, language])
  const bars = chart === 'bar' || chart === 'share'
  const plot = bars ? plotOf(answer, series, chart, { granularity, timezone, language }) : null

  useImperativeHandle(
    ref,
    () => ({
      toPng: (name = title, note) =>
        plot ? plotPicture(plot, name, note) : lines.current!.toPng(name, note),
    }),
    [plot, title],
  )
  const [alone] = drawn
  const pickAt =
    onPick && drawn.length === 1 && alone && alone.series !== null
      ? { series: alone.series, group: alone.group }
      : null
  const pick = (index: number) => {
    if (pickAt) onPick?.({ of: 'trend', ...pickAt, time: answer.times[index]! })
  }
  return (
    <>
      {plot ? (
        <Plot
          data={plot}
          label={title}
          height={HEIGHT}
          heading={t('chart.time')}
          onPoint={pickAt ? pick : undefined}
        />
      ) : (
        <LineChart
          ref={lines}
          height={HEIGHT}
          times={answer.times}
          series={series}
          partial={answer.partial}
          granularity={granularity}
          timezone={timezone}
          stacked={chart === 'stacked'}
          ariaLabel={title}
          emptyText={t('analyses.nothing')}
          onPoint={pickAt ? { does: pick, hint: t('results.seePeople') } : undefined}
        />
      )}
      {all.length > drawn.length && (
        <p className={styles.soft}>{t('analyses.mostDrawn', { most: MOST_DRAWN })}</p>
      )}
    </>
  )
}

function plotOf(
  answer: TrendAnswer,
  series: ChartSeries[],
  chart: Chart,
  style: Parameters<typeof bucketLabel>[1],
): PlotData {
  const share = chart === 'share'
  const unfinished = partialIndex(answer)
  const { language } = style
  return {
    shape: 'bars',
    ticks: answer.times.map((time) => axisLabel(time, style)),
    labels: answer.times.map((time) => bucketLabel(time, style)),
    series: share ? shares(series) : series,
    stacked: share,
    unfinished: answer.times.map((_, index) => index === unfinished),
    format: (value) => (share ? percent(value, language) : plainCount(value, language)),
    axis: (value) => (share ? percent(value, language) : compactCount(value, language)),
  }
}
