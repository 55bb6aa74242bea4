/** One figure: its name and definition, its value, how it changed, and its course in small. */
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
  /** Null where nothing can be compared yet. */
  previous?: number | null
  /** Ratio of the difference to the value before, over the same part of both times. */
  change?: number | null
}

interface StatCardProps {
  title: string
  definition: string
  figure: CardQuery<Figure>
  /** Whether anything is compared; without it there is no word about change. */
  compared: boolean
  /** Makes a link of the value. */
  lead?: (value: React.ReactNode) => React.ReactNode
  /** Its values over time, null until they are there. */
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
