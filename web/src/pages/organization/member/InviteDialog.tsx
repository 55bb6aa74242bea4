/** Invites people by address: many at once, with a role and app access. */
import { useQueryClient } from '@tanstack/react-query'
import TextArea from 'antd/es/input/TextArea'
import { useState } from 'react'
import { useController, useForm, useWatch } from 'react-hook-form'
import {
  invitationsOf,
  invite,
  MOST_ADDRESSES,
  type InvitationResult,
} from '../../../api/invitations'
import type { OrgRole } from '../../../api/orgs'
import { Dialog } from '../../../components/Dialog'
import { DialogForm } from '../../../components/FormDialog'
import { Field } from '../../../components/form/Field'
import { useSubmit } from '../../../components/form/useSubmit'
import { useMailT } from '../../../components/useMailT'
import { useT } from '../../../i18n/useT'
import { useOrg } from '../../../session/org'
import { readAddresses } from './addresses'
import { GrantsField } from './GrantsField'
import { completeGrants, type GrantDraft } from './grants'
import { InviteResults } from './InviteResults'
import { rolesToGive } from './memberActions'
import { RoleChoice } from './RoleChoice'

interface InviteDialogProps {
  /** A known address, e.g. from the email of someone who asked to join. */
  address?: string
  onClose: () => void
}

export function InviteDialog({ address = '', onClose }: InviteDialogProps) {
  const t = useT()
  const client = useQueryClient()
  const org = useOrg()
  const [results, setResults] = useState<InvitationResult[] | null>(null)
  return (
    <Dialog title={t('invite.title', { name: org.name })} width={560} onCancel={onClose}>
      {results ? (
        <InviteResults results={results} onMore={() => setResults(null)} onClose={onClose} />
      ) : (
        <InviteForm
          address={address}
          onDone={(answered) => {
            setResults(answered)
            void client.invalidateQueries(invitationsOf(org.id))
          }}
          onCancel={onClose}
        />
      )}
    </Dialog>
  )
}

interface InviteFormProps {
  address: string
  onDone: (results: InvitationResult[]) => void
  onCancel: () => void
}

interface Values {
  emails: string
  role: OrgRole
  apps: GrantDraft[]
}

function InviteForm({ address, onDone, onCancel }: InviteFormProps) {
  const t = useT()
  const mailT = useMailT()
  const org = useOrg()
  const form = useForm<Values>({
    mode: 'onBlur',
    defaultValues: { emails: address, role: 'member', apps: [] },
  })
  const { control } = form
  const submitting = useSubmit(form, {
    send: ({ emails, role, apps }) =>
      invite(org.id, {
        emails: readAddresses(emails).valid,
        role,
        // Owners and admins can open all of the team's apps anyway.
        apps: role === 'member' ? completeGrants(apps) : [],
      }),
    done: onDone,
  })
  const role = useController({ control, name: 'role' })
  const count = readAddresses(useWatch({ control, name: 'emails' })).valid.length
  return (
    <DialogForm submitting={submitting} submit={mailT('invite.submit')} onCancel={onCancel}>
      <Field
        control={control}
        name="emails"
        label={t('invite.addresses')}
        hint={count > 0 ? t('invite.count', { count }) : t('invite.hint', { most: MOST_ADDRESSES })}
        rules={{ validate: (text) => problem(t, text) }}
      >
        {(input) => (
          <TextArea
            {...input}
            // Auto-sizing would need a style attribute, which the content security policy blocks.
            rows={4}
            autoComplete="off"
            spellCheck={false}
            inputMode="email"
          />
        )}
      </Field>
      <RoleChoice
        roles={rolesToGive(org)}
        value={role.field.value}
        onChange={role.field.onChange}
      />
      {role.field.value === 'member' && <GrantsField control={control} name="apps" />}
    </DialogForm>
  )
}

function problem(t: ReturnType<typeof useT>, text: string): true | string {
  const { valid, wrong } = readAddresses(text)
  if (wrong.length > 0) return t('invite.wrong', { text: wrong[0]! })
  if (valid.length === 0) return t('invite.required')
  if (valid.length > MOST_ADDRESSES) return t('invite.tooMany', { most: MOST_ADDRESSES })
  return true
}
