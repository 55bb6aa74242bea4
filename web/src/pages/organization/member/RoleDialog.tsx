import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { changeMember, type Org, type OrgMember, type OrgRole } from '../../../api/orgs'
import { FormDialog } from '../../../components/FormDialog'
import { useSubmit } from '../../../components/form/useSubmit'
import { useT } from '../../../i18n/useT'
import { RoleChoice } from './RoleChoice'
import { rolesToGive } from './memberActions'

interface RoleDialogProps {
  org: Org
  member: OrgMember
  onDone: () => void
  onCancel: () => void
}

export function RoleDialog({ org, member, onDone, onCancel }: RoleDialogProps) {
  const t = useT()
  const [role, setRole] = useState<OrgRole>(member.role)
  const submitting = useSubmit(useForm(), {
    send: () => changeMember(org.id, member.user_id, role),
    done: onDone,
  })
  return (
    <FormDialog
      title={t('members.roleTitle', { name: member.name })}
      submitting={submitting}
      submit={t('common.save')}
      disabled={role === member.role}
      onCancel={onCancel}
    >
      <RoleChoice roles={rolesToGive(org)} value={role} onChange={setRole} />
    </FormDialog>
  )
}
