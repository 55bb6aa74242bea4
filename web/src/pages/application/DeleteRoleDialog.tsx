/** Deleting a role: its members, and people invited with it, must get another one. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { everythingOf } from '../../api/app'
import { ApiError } from '../../api/errors'
import { deleteRole, type Role } from '../../api/roles'
import { FormDialog } from '../../components/FormDialog'
import { Field } from '../../components/form/Field'
import { useSubmit } from '../../components/form/useSubmit'
import { useT } from '../../i18n/useT'
import { useApp, useWatched } from '../../session/app'
import { RoleSelect } from './RoleSelect'

interface DeleteRoleDialogProps {
  role: Role
  roles: Role[]
  onDone: () => void
  onCancel: () => void
}

export function DeleteRoleDialog({ role, roles, onDone, onCancel }: DeleteRoleDialogProps) {
  const t = useT()
  const { app } = useApp()
  const client = useQueryClient()
  const watched = useWatched()
  // Member counts exclude pending invitations, so the server may still require a replacement.
  const [inUse, setInUse] = useState(role.member_count > 0)
  const form = useForm({ defaultValues: { replacement: '' } })
  const submitting = useSubmit(form, {
    send: ({ replacement }) =>
      watched(deleteRole(app.id, role.id, replacement || undefined)).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'role_in_use') setInUse(true)
        throw error
      }),
    done: () => {
      void client.invalidateQueries(everythingOf(app.id))
      onDone()
    },
  })
  return (
    <FormDialog
      title={t('role.deleteTitle', { name: role.name })}
      submitting={submitting}
      submit={t('role.delete')}
      danger
      lead={
        role.member_count > 0
          ? t('role.deleteHeld', { count: role.member_count })
          : t('role.deleteText')
      }
      onCancel={onCancel}
    >
      {inUse && (
        <Field
          control={form.control}
          name="replacement"
          label={t('role.replacement')}
          rules={{ required: t('role.replacementRequired') }}
        >
          {({ name: _, value, ...input }) => (
            <RoleSelect
              {...input}
              value={value || undefined}
              placeholder={t('role.choose')}
              roles={roles.filter(({ id }) => id !== role.id)}
            />
          )}
        </Field>
      )}
    </FormDialog>
  )
}
