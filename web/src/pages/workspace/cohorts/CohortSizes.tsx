import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { cohortSizesQuery, type SizeOfDay } from '../../../api/analyses'
import { ApiError } from '../../../api/errors'
import { Change } from '../../../components/charts/Change'
import { BlockSkeleton } from '../../../components/charts/DataCard'
import { bucketLabel } from '../../../components/charts/format'
import { LineChart } from '../../../components/charts/LineChart'
import { Loaded } from '../../../components/Loaded'
import { Panel } from '../../../components/Panel'
import { Counted } from '../../../components/table/Counted'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { latestSize, sizeCourse } from './sizes'
import styles from './cohorts.module.css'

const HEIGHT = 180
const FIGURE_HEIGHT = 40

/** The cohort's size from day to day. */
export function CohortSizes({ id }: { id: string }) {
  const t = useT()
  const { app } = useApp()
  const sizes = useQuery(cohortSizesQuery(app.id, id))
  const { data, error } = sizes
  return (
    <Panel title={t('cohorts.sizes')} lead={t('cohorts.sizesNote')}>
      {/* Retrying won't help: hidden figures stay hidden. */}
      {data === undefined && error instanceof ApiError && [403, 422].includes(error.status) ? (
        <p className={styles.soft}>{error.message}</p>
      ) : (
        <Loaded
          query={sizes}
          skeleton={<BlockSkeleton height={HEIGHT + FIGURE_HEIGHT} />}
          empty={<p className={styles.soft}>{t('cohorts.sizesNone')}</p>}
        >
          {(found) => <Course sizes={found} />}
        </Loaded>
      )}
    </Panel>
  )
}

/** Days have no time zone: format them in a fixed one, whatever the app's is. */
const DAYS = { granularity: 'day', timezone: 'UTC' } as const

function Course({ sizes }: { sizes: SizeOfDay[] }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { latest, before } = latestSize(sizes)
  const { times, series } = useMemo(() => {
    const course = sizeCourse(sizes)
    const values = course.map(({ people }) => people)
    return {
      times: course.map(({ date }) => Date.parse(date)),
      series: [{ key: 'people', name: t('cohorts.size'), values }],
    }
  }, [sizes, t])
  return (
    <>
      <p className={styles.latest}>
        <strong>
          <Counted value={latest.people} />
        </strong>
        <span className={styles.soft}>
          {bucketLabel(Date.parse(latest.date), { ...DAYS, language })}
        </span>
        {before && (
          <span>
            {/* Growth from zero has no percentage. */}
            {before.people > 0 && (
              <Change change={(latest.people - before.people) / before.people} />
            )}{' '}
            <span className={styles.soft}>{t('cohorts.weekBefore', { count: before.people })}</span>
          </span>
        )}
      </p>
      <LineChart
        {...DAYS}
        height={HEIGHT}
        times={times}
        series={series}
        partial={null}
        ariaLabel={t('cohorts.sizes')}
        emptyText={t('cohorts.sizesZero')}
      />
    </>
  )
}
