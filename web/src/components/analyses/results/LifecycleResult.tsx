/** For each day, week, or month: who is new, stayed, returned, or left. */
import { useImperativeHandle, useMemo } from 'react'
import type { LifecycleAnswer, LifecycleQuestion, LifecycleState } from '../../../api/analysisTypes'
import { axisLabel, bucketLabel, compactCount, plainCount } from '../../charts/format'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { STATES } from './lifecycle'
import { LifecycleTable } from './LifecycleTable'
import { Plot } from './Plot'
import { plotPicture, type PlotData } from './plotOption'
import { useZone, type ResultProps } from './result'
import { Nothing } from './View'
import styles from './results.module.css'

export function LifecycleResult(props: ResultProps<LifecycleQuestion, LifecycleAnswer>) {
  const { question, answer, onPick, ref } = props
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const timezone = useZone(question)
  const granularity = question.granularity ?? 'day'
  const { points, partial } = answer
  const plot = useMemo((): PlotData => {
    const style = { granularity, timezone, language }
    return {
      shape: 'bars',
      stacked: true,
      ticks: points.map(({ time }) => axisLabel(time, style)),
      labels: points.map(({ time }) => bucketLabel(time, style)),
      series: STATES.map(({ state, color }) => ({
        key: state,
        name: t(`results.lifecycle.${state}`),
        color,
        // Dormant people hang below the line; they aren't known until the period is over.
        values: points.map((point) =>
          state === 'dormant' ? point.dormant && -point.dormant : point[state],
        ),
      })),
      unit: t('results.people'),
      unfinished: points.map(({ time }) => time === partial),
      format: (value) => plainCount(Math.abs(value), language),
      axis: (value) => compactCount(Math.abs(value), language),
    }
  }, [points, partial, granularity, timezone, language, t])
  useImperativeHandle(
    ref,
    () => ({ toPng: (title = '', note) => plotPicture(plot, title, note) }),
    [plot],
  )
  if (points.every((point) => STATES.every(({ state }) => !point[state]))) return <Nothing />

  const rows = points.map((point, index) => ({
    ...point,
    label: plot.labels[index]!,
    short: plot.ticks[index]!,
    soFar: point.time === partial,
  }))
  return (
    <div className={styles.result}>
      <Plot
        data={plot}
        label={t('results.lifecycle.title')}
        heading={t('chart.time')}
        hasTable
        onPoint={
          onPick
            ? (index, state) =>
                onPick({
                  of: 'lifecycle',
                  time: points[index]!.time,
                  state: state as LifecycleState,
                })
            : undefined
        }
      />
      <LifecycleTable rows={rows.reverse()} onPick={onPick} />
    </div>
  )
}
