/** One figure: name, definition, value, change, and a sparkline. */
import { useId } from 'react'
import { Button } from 'antd'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { Change } from './Change'
import type { CardQuery } from './DataCard'
import { Definition } from './Definition'
import { plainCount } from './format'
import { Sparkline, type Course } from './Sparkline'
import styles from './StatCard.module.css'

interface Figure {
  value: number
  /** Null if nothing can be compared yet. */
  previous?: number | null
  /** The change as a ratio of the earlier value, over the same part of both periods. */
  change?: number | null
}

interface StatCardProps {
  title: string
  definition: string
  figure: CardQuery<Figure>
  /** Whether there is a comparison; without it, no change is shown. */
  compared: boolean
  /** Wraps the value in a link. */
  lead?: (value: React.ReactNode) => React.ReactNode
  /** Its values over time; null until loaded. */
  course: Course | null
}

export function StatCard(props: StatCardProps) {
  const { title, definition, figure, compared, lead, course } = props
  const id = useId()
  return (
    <section className={styles.card} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        <Definition of={title}>{definition}</Definition>
      </div>
      <Value figure={figure} compared={compared} lead={lead} />
      <div className={styles.course}>{course && <Sparkline {...course} />}</div>
    </section>
  )
}

function Value({ figure, compared, lead }: Pick<StatCardProps, 'figure' | 'compared' | 'lead'>) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { data, error, isFetching, isPlaceholderData, refetch } = figure
  if (data === undefined && error) {
    return (
      <div className={styles.failure} role="alert">
        <span>{error.message}</span>
        <Button size="small" loading={isFetching} onClick={() => void refetch()}>
          {t('common.retry')}
        </Button>
      </div>
    )
  }
  if (data === undefined) {
    return (
      <div className={styles.figure} role="status" aria-busy="true">
        <span className="visually-hidden">{t('common.loading')}</span>
        <span className={styles.skeleton} aria-hidden="true" />
      </div>
    )
  }
  const value = plainCount(data.value, language)
  return (
    <div className={styles.figure} aria-busy={isPlaceholderData}>
      <span className={styles.value}>{lead ? lead(value) : value}</span>
      {compared && (
        <span className={styles.before}>
          {data.previous == null ? (
            <span className={styles.previous}>{t('chart.tooEarly')}</span>
          ) : (
            <>
              <Change change={data.change} />
              <span className={styles.previous}>
                {t('chart.previous', { value: plainCount(data.previous, language) })}
              </span>
            </>
          )}
        </span>
      )}
    </div>
  )
}
