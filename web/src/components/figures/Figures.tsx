import { FIGURES, type FigureName, type Overall } from '../../api/overall'
import { StaleNote } from '../charts/DataCard'
import { timeLabel } from '../charts/format'
import { StatCard } from '../charts/StatCard'
import { LoadFailure } from '../LoadFailure'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { useBoard, useOverall } from './board'
import { TrendLink } from './TrendLink'
import { FIGURE_TRENDS } from './trends'
import styles from './Figures.module.css'

/** The six figures, from one request; their sparklines come from another. */
export function Figures() {
  const t = useT()
  const { compare } = useBoard().question
  const totals = useOverall('totals')
  const series = useOverall('series').data?.series
  const courseOf = (name: FigureName) => {
    if (!series) return null
    return {
      values: series.map((point) => point[name] ?? null),
      previous: series.flatMap(({ previous }) => (previous ? [previous[name] ?? null] : [])),
      partial: series.findIndex(({ partial }) => partial),
    }
  }
  const { data, error } = totals
  if (error && !data) {
    return (
      <div className={styles.failure}>
        <LoadFailure
          error={error}
          retrying={totals.isFetching}
          onRetry={() => void totals.refetch()}
        />
      </div>
    )
  }
  return (
    <div className={styles.figures}>
      {error && (
        <div className={styles.note}>
          <StaleNote error={error} query={totals} />
        </div>
      )}
      {FIGURES.map((name) => (
        <StatCard
          key={name}
          title={t(`metric.${name}`)}
          definition={t(`metric.${name}.definition`)}
          figure={{ ...totals, data: data?.totals[name] }}
          compared={compare !== 'none'}
          lead={(value) => <TrendLink trend={FIGURE_TRENDS[name]}>{value}</TrendLink>}
          course={courseOf(name)}
        />
      ))}
      {data?.range.partial && <SoFar range={data.range} />}
    </div>
  )
}

/** For an unfinished range: what the figures cover, and what they are compared with. */
function SoFar({ range }: { range: Overall['range'] }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { compared_until: until, timezone } = range
  return (
    <p className={styles.soFar}>
      {until == null
        ? t('dashboard.soFar')
        : t('dashboard.soFarCompared', { time: timeLabel(until, language, timezone) })}
    </p>
  )
}
