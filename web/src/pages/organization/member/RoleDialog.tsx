import { Button } from 'antd'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { changeMember, type Org, type OrgMember, type OrgRole } from '../../../api/orgs'
import { FormDialog } from '../../../components/FormDialog'
import { FormError } from '../../../components/form/FormError'
import { SubmitButton } from '../../../components/form/SubmitButton'
import { useSubmit } from '../../../components/form/useSubmit'
import { useT } from '../../../i18n/useT'
import { RoleChoice } from './RoleChoice'
import { rolesToGive } from './memberActions'
import dialog from '../../../components/dialog.module.css'

interface RoleDialogProps {
  org: Org
  member: OrgMember
  onDone: () => void
  onCancel: () => void
}

export function RoleDialog({ org, member, onDone, onCancel }: RoleDialogProps) {
  const t = useT()
  const [role, setRole] = useState<OrgRole>(member.role)
  const { sending, failure, onSubmit } = useSubmit(useForm(), {
    send: () => changeMember(org.id, member.user_id, role),
    done: onDone,
  })
  return (
    <FormDialog title={t('members.roleTitle', { name: member.name })} onCancel={onCancel}>
      <form noValidate onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <RoleChoice roles={rolesToGive(org)} value={role} onChange={setRole} />
        <div className={dialog.actions}>
          <Button onClick={onCancel}>{t('common.cancel')}</Button>
          <SubmitButton
            sending={sending}
            retryAt={failure?.retryAt}
            disabled={role === member.role}
          >
            {t('common.save')}
          </SubmitButton>
        </div>
      </form>
    </FormDialog>
  )
}
