import { deleteCohort, type Cohort } from '../../../api/analyses'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import { DangerDialog } from '../../DangerDialog'

interface DeleteCohortProps {
  cohort: Cohort
  onDone: () => void
  onCancel: () => void
}

export function DeleteCohort({
  cohort: { id, name, shared },
  onDone,
  onCancel,
}: DeleteCohortProps) {
  const t = useT()
  const watched = useWatched()
  const { app } = useApp()
  return (
    <DangerDialog
      title={t('cohorts.deleteTitle', { name })}
      confirm={t('cohorts.delete')}
      send={() => watched(deleteCohort(app.id, id))}
      onDone={onDone}
      onCancel={onCancel}
    >
      <p>{t(shared ? 'cohorts.deleteShared' : 'cohorts.deleteMine')}</p>
    </DangerDialog>
  )
}
