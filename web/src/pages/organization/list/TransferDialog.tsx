/** Transfers a team: the chosen member becomes its owner, the user stays as an admin. */
import { useState } from 'react'
import { transferOrg, type Org, type OrgMember } from '../../../api/orgs'
import { DangerDialog } from '../../../components/DangerDialog'
import { useT } from '../../../i18n/useT'
import { MemberPicker } from './MemberPicker'

interface TransferDialogProps {
  org: Org
  onDone: (to: OrgMember) => void
  onCancel: () => void
}

export function TransferDialog({ org, onDone, onCancel }: TransferDialogProps) {
  const t = useT()
  const [to, setTo] = useState<OrgMember | null>(null)
  return (
    <DangerDialog
      title={t('orgs.transferTitle', { name: org.name })}
      confirm={t('orgs.do.transfer')}
      disabled={to === null}
      send={async () => {
        await transferOrg(org.id, to!.user_id)
        return to!
      }}
      onDone={onDone}
      onCancel={onCancel}
    >
      <p>{t('orgs.transferText')}</p>
      <MemberPicker orgId={org.id} chosen={to} onChoose={setTo} />
    </DangerDialog>
  )
}
