import { FIGURES, type FigureName } from '../../api/overall'
import { StaleNote } from '../charts/DataCard'
import { StatCard } from '../charts/StatCard'
import { LoadFailure } from '../LoadFailure'
import { useT } from '../../i18n/useT'
import { useBoard, useOverall } from './board'
import { ExploreLink } from './ExploreLink'
import { FIGURE_QUESTIONS } from './exploring'
import styles from './Figures.module.css'

/** The six figures. They come, or fail, with one answer, and their courses with another. */
export function Figures() {
  const t = useT()
  const { compare } = useBoard().question
  const totals = useOverall('totals')
  const series = useOverall('series').data?.series
  const courseOf = (name: FigureName) => {
    if (!series) return null
    return {
      values: series.map((point) => point[name]),
      previous: series.flatMap(({ previous }) => (previous ? [previous[name]] : [])),
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
          lead={(value) => <ExploreLink question={FIGURE_QUESTIONS[name]}>{value}</ExploreLink>}
          course={courseOf(name)}
        />
      ))}
    </div>
  )
}
