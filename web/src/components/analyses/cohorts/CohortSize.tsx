import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { cohortSizeQuery } from '../../../api/analyses'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { Counted } from '../../table/Counted'
import styles from './cohorts.module.css'

/** How many are in it now; counted after the list is there, each for itself. */
export function CohortSize({ id }: { id: string }) {
  const t = useT()
  const { app } = useApp()
  const { data, error, isFetching, refetch } = useQuery(cohortSizeQuery(app.id, id))
  if (data) return <Counted value={data.people} />
  if (!error) return <span className={styles.soft}>{t('cohorts.counting')}</span>
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
