import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { cohortSizeQuery } from '../../../api/analyses'
import { ApiError } from '../../../api/errors'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { Counted, UNKNOWN } from '../../table/Counted'
import styles from './cohorts.module.css'

/** The cohort's current size, loaded separately after the list. */
export function CohortSize({ id }: { id: string }) {
  const t = useT()
  const { app } = useApp()
  const { data, error, isFetching, refetch } = useQuery(cohortSizeQuery(app.id, id))
  if (data) return <Counted value={data.people} />
  if (!error) return <span className={styles.soft}>{t('cohorts.counting')}</span>
  // A short ID list reveals too much to someone who may not see personal data. Retrying won't help.
  if (error instanceof ApiError && error.status === 422) {
    return (
      <span className={styles.soft} title={error.message}>
        <span aria-hidden="true">{UNKNOWN}</span>
        <span className="visually-hidden">{error.message}</span>
      </span>
    )
  }
  return (
    <Button
      size="small"
      type="link"
      loading={isFetching}
      title={error.message}
      onClick={() => void refetch()}
    >
      {t('common.retry')}
    </Button>
  )
}
