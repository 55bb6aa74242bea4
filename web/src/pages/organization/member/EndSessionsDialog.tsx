/** Ending a member's sessions: what it affects, and what it doesn't. */
import { endMemberSessions, type Org, type OrgMember } from '../../../api/orgs'
import { DangerDialog } from '../../../components/DangerDialog'
import { useT } from '../../../i18n/useT'

interface EndSessionsDialogProps {
  org: Org
  member: OrgMember
  onDone: () => void
  onCancel: () => void
}

export function EndSessionsDialog({ org, member, onDone, onCancel }: EndSessionsDialogProps) {
  const t = useT()
  return (
    <DangerDialog
      title={t('members.endSessionsTitle', { name: member.name })}
      confirm={t('members.endSessions')}
      send={() => endMemberSessions(org.id, member.user_id)}
      onDone={onDone}
      onCancel={onCancel}
    >
      <p>{t('members.endSessionsText', { name: member.name, team: org.name })}</p>
      <p>{t('members.endSessionsLeaves')}</p>
    </DangerDialog>
  )
}
