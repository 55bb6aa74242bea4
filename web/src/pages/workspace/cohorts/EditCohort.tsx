import { useQuery } from '@tanstack/react-query'
import { cohortQuery, type Cohort } from '../../../api/analyses'
import { CohortDialog } from '../../../components/analyses/cohorts/CohortDialog'
import { useApp } from '../../../session/app'

interface EditCohortProps {
  /** As listed, without its IDs. */
  cohort: Cohort
  onDone: () => void
  onCancel: () => void
}

export function EditCohort({ cohort, onDone, onCancel }: EditCohortProps) {
  const { app } = useApp()
  const listsIds = cohort.definition.of === 'ids'
  const found = useQuery({ ...cohortQuery(app.id, cohort.id), staleTime: 0, enabled: listsIds })
  const isNew = found.data && found.data.version >= cohort.version
  // The name can still be changed if the IDs fail to load.
  const whole = !listsIds || found.error ? cohort : isNew ? found.data : null
  return whole && <CohortDialog cohort={whole} onDone={onDone} onCancel={onCancel} />
}
