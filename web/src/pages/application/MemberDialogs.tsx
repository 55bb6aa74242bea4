/** Changes to one or more members; each one's result is shown before the dialog closes. */
import { Button } from 'antd'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { changeAppMember, removeAppMember, type AppMember } from '../../api/appMembers'
import type { Role } from '../../api/roles'
import { Dialog } from '../../components/Dialog'
import { DialogForm } from '../../components/FormDialog'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { useSubmit } from '../../components/form/useSubmit'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { forEachMember, type Outcome } from './members'
import { RoleSelect } from './RoleSelect'
import dialog from '../../components/dialog.module.css'
import styles from './members.module.css'

interface Ends {
  /** Called with the message to show; null if the dialog has shown it all. */
  onDone: (said: string | null) => void
  onCancel: () => void
}

interface RemoveProps extends Ends {
  members: AppMember[]
}

export function RemoveMembersDialog({ members, ...ends }: RemoveProps) {
  const t = useT()
  const { app } = useApp()
  const [only] = members.length === 1 ? members : []
  return (
    <MembersDialog
      {...ends}
      members={members}
      danger
      title={
        only
          ? t('appMember.removeTitle', { name: only.name })
          : t('appMember.removeManyTitle', { count: members.length })
      }
      submit={t('appMember.remove')}
      change={(member) => removeAppMember(app.id, member.user_id)}
      said={(count) => t('appMember.removed', { count })}
    >
      <p className={dialog.lead}>
        {t(only?.is_me ? 'appMember.removeMeText' : 'appMember.removeText')}
      </p>
    </MembersDialog>
  )
}

interface ChangeRolesProps extends RemoveProps {
  roles: Role[]
}

export function ChangeRolesDialog({ members, roles, ...ends }: ChangeRolesProps) {
  const t = useT()
  const { app } = useApp()
  return (
    <MembersDialog
      {...ends}
      members={members}
      roles={roles}
      title={t('appMember.changeRoleTitle', { count: members.length })}
      submit={t('appMember.changeRole')}
      change={(member, roleId) => changeAppMember(app.id, member.user_id, roleId)}
      said={(count) => t('appMember.rolesChanged', { count })}
    />
  )
}

interface MembersDialogProps extends Ends {
  members: AppMember[]
  /** The options, if the change needs a role. */
  roles?: Role[]
  title: string
  submit: string
  danger?: boolean
  change: (member: AppMember, roleId: string) => Promise<unknown>
  said: (count: number) => string
  children?: React.ReactNode
}

function MembersDialog(props: MembersDialogProps) {
  const { members, roles, title, submit, danger, change, said, onDone, onCancel, children } = props
  const t = useT()
  const [partly, setPartly] = useState<Outcome | null>(null)
  const form = useForm({ defaultValues: { role_id: '' } })
  const submitting = useSubmit(form, {
    send: ({ role_id }) => forEachMember(members, (member) => change(member, role_id)),
    done: (outcome) => {
      if (outcome.failed.length > 0) setPartly(outcome)
      else onDone(said(outcome.done))
    },
  })
  // Some have changed, so the list is outdated however the dialog closes.
  const close = partly ? () => onDone(null) : onCancel
  return (
    <Dialog title={title} onCancel={close}>
      {partly ? (
        <PartialResult outcome={partly} said={said} onClose={close} />
      ) : (
        <DialogForm submitting={submitting} submit={submit} danger={danger} onCancel={onCancel}>
          {children}
          {members.length > 1 && <Names members={members} />}
          {roles && (
            <Field
              control={form.control}
              name="role_id"
              label={t('appMember.newRole')}
              rules={{ required: t('appMember.roleRequired') }}
            >
              {({ name: _, value, ...input }) => (
                <RoleSelect
                  {...input}
                  value={value || undefined}
                  placeholder={t('role.choose')}
                  roles={roles}
                />
              )}
            </Field>
          )}
        </DialogForm>
      )}
    </Dialog>
  )
}

function Names({ members }: { members: AppMember[] }) {
  const language = useLanguageStore((state) => state.currentLang)
  const names = members.map(({ name }) => name)
  return (
    <p className={styles.names}>{new Intl.ListFormat(language, { type: 'unit' }).format(names)}</p>
  )
}

interface PartialResultProps {
  outcome: Outcome
  said: (count: number) => string
  onClose: () => void
}

function PartialResult({ outcome, said, onClose }: PartialResultProps) {
  const t = useT()
  return (
    <>
      {outcome.done > 0 && <p className={dialog.lead}>{said(outcome.done)}</p>}
      <FormError>
        <ul className={styles.reasons}>
          {outcome.failed.map(({ name, reason }, index) => (
            <li key={index}>{t('appMember.failed', { name, reason })}</li>
          ))}
        </ul>
      </FormError>
      <div className={dialog.actions}>
        <Button type="primary" onClick={onClose}>
          {t('common.close')}
        </Button>
      </div>
    </>
  )
}
