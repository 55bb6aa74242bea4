import { leaveOrg, type Org } from '../../api/orgs'
import { DangerDialog } from '../DangerDialog'
import { useT } from '../../i18n/useT'

interface LeaveTeamDialogProps {
  org: Pick<Org, 'id' | 'name' | 'role'>
  onDone: () => void
  onCancel: () => void
}

export function LeaveTeamDialog({ org, onDone, onCancel }: LeaveTeamDialogProps) {
  const t = useT()
  return (
    <DangerDialog
      title={t('orgs.leaveTitle', { name: org.name })}
      confirm={t('orgs.do.leave')}
      send={() => leaveOrg(org.id)}
      onDone={onDone}
      onCancel={onCancel}
    >
      <p>{t('orgs.leaveText')}</p>
      {/* The only owner can't leave; the server says so, and this says what to do. */}
      {org.role === 'owner' && <p>{t('orgs.leaveOwner')}</p>}
    </DangerDialog>
  )
}
