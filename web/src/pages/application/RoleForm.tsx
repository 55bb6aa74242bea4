import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { useController, useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { everythingOf } from '../../api/app'
import {
  createRole,
  updateRole,
  type PermissionGroup,
  type Role,
  type RoleDraft,
} from '../../api/roles'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { SubmitButton } from '../../components/form/SubmitButton'
import { TextInput } from '../../components/form/TextInput'
import { useUnsaved } from '../../components/form/unsaved'
import { useSubmit } from '../../components/form/useSubmit'
import { LinkButton } from '../../components/LinkButton'
import { useT } from '../../i18n/useT'
import { useWatched } from '../../session/app'
import { paths } from '../../paths'
import { DESCRIPTION_MAX, inOrder } from './draft'
import { PermissionPicker } from './PermissionPicker'
import { RolePreview } from './RolePreview'
import type { SavedRole } from './savedRole'
import styles from './editor.module.css'

interface RoleFormProps {
  appId: string
  /** Omitted for a new role. */
  role?: Role
  initial: RoleDraft
  groups: PermissionGroup[]
}

export function RoleForm({ appId, role, initial, groups }: RoleFormProps) {
  const t = useT()
  // Fixed when the page opens: refetching the list must not undo changes.
  const [before] = useState(() => inOrder(initial.permissions, groups))
  const form = useForm({ mode: 'onBlur', defaultValues: { ...initial, permissions: before } })
  const { control, formState } = form
  useUnsaved(formState.isDirty)
  const permissions = useController({ control, name: 'permissions' })
  const { save, leave } = useSaving(appId, role)
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: save,
    done: (saved) => {
      // The guard must know that nothing is unsaved before the page is left.
      flushSync(() => form.reset(form.getValues()))
      leave(saved)
    },
  })
  return (
    <form noValidate className={styles.form} onSubmit={onSubmit}>
      <div className={styles.words}>
        <FormError>{failure?.message}</FormError>
        <Field
          control={control}
          name="name"
          label={t('role.name')}
          rules={{ validate: (name) => String(name).trim() !== '' || t('role.nameRequired') }}
        >
          {(input) => <TextInput {...input} autoComplete="off" />}
        </Field>
        <Field control={control} name="description" label={t('role.description')}>
          {(input) => <TextInput {...input} autoComplete="off" maxLength={DESCRIPTION_MAX} />}
        </Field>
      </div>
      <PermissionPicker
        groups={groups}
        value={permissions.field.value}
        error={permissions.fieldState.error?.message}
        onChange={(chosen) => permissions.field.onChange(inOrder(chosen, groups))}
      />
      {role && (
        <RolePreview role={role} before={before} after={permissions.field.value} groups={groups} />
      )}
      <div className={styles.actions}>
        <SubmitButton
          sending={sending}
          retryAt={failure?.retryAt}
          disabled={role !== undefined && !formState.isDirty}
        >
          {t(role ? 'common.save' : 'role.create')}
        </SubmitButton>
        <LinkButton to={paths.appAuthority(appId)}>{t('common.cancel')}</LinkButton>
      </div>
    </form>
  )
}

function useSaving(appId: string, role: Role | undefined) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const watched = useWatched()
  return {
    save: (draft: RoleDraft) => {
      const body = { ...draft, name: draft.name.trim(), description: draft.description.trim() }
      return watched(role ? updateRole(appId, role.id, body) : createRole(appId, body))
    },
    leave: ({ name }: Role) => {
      void client.invalidateQueries(everythingOf(appId))
      const state: SavedRole = { savedRole: name }
      void navigate(paths.appAuthority(appId), { state })
    },
  }
}
