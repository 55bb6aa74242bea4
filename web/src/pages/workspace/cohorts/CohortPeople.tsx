import { useQuery } from '@tanstack/react-query'
import { cohortPeopleQuery } from '../../../api/analyses'
import { PeopleTable } from '../../../components/people/PeopleTable'
import { Panel } from '../../../components/Panel'
import { useTableParams } from '../../../components/table/useTableParams'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import styles from './cohorts.module.css'

export function CohortPeople({ id }: { id: string }) {
  const t = useT()
  const { app } = useApp()
  const [params, setParams] = useTableParams()
  const people = useQuery(cohortPeopleQuery(app.id, id, params.page, params.page_size))
  return (
    <Panel title={t('cohorts.people')}>
      <PeopleTable
        label={t('cohorts.people')}
        query={people}
        params={params}
        onChange={setParams}
        empty={<p className={styles.soft}>{t('cohorts.nobody')}</p>}
      />
    </Panel>
  )
}
