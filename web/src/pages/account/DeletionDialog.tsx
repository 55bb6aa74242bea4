/** Deleting the account: what is deleted with it, or which teams prevent it. */
import { useQuery } from '@tanstack/react-query'
import { Button, Modal } from 'antd'
import { useForm, useWatch } from 'react-hook-form'
import type { User } from '../../api/account'
import { ApiError } from '../../api/errors'
import { deleteAccount, deletionQuery, type BlockingTeam } from '../../api/security'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { TextInput } from '../../components/form/TextInput'
import { useSubmit } from '../../components/form/useSubmit'
import { LinkButton } from '../../components/LinkButton'
import { Loaded } from '../../components/Loaded'
import { useT } from '../../i18n/useT'
import { goTo } from '../../lib/navigation'
import { paths } from '../../paths'
import { forgetUser } from '../../session/session'
import dialog from '../../components/dialog.module.css'
import styles from './DeletionDialog.module.css'

export function DeletionDialog({ user, onCancel }: { user: User; onCancel: () => void }) {
  const t = useT()
  const deletion = useQuery(deletionQuery)
  // A cached answer may be outdated.
  const teams = deletion.isFetching ? undefined : deletion.data
  return (
    <Modal
      open
      title={t(teams && teams.length > 0 ? 'deletion.blocked' : 'deletion.title')}
      footer={null}
      closable={{ 'aria-label': t('common.close') }}
      mask={{ closable: false }}
      width={480}
      onCancel={onCancel}
    >
      <Loaded fresh query={deletion} skeleton={4}>
        {(blocking) =>
          blocking.length > 0 ? (
            <Blocked teams={blocking} onCancel={onCancel} />
          ) : (
            <Confirmation
              user={user}
              onCancel={onCancel}
              onBlocked={() => void deletion.refetch()}
            />
          )
        }
      </Loaded>
    </Modal>
  )
}

function Blocked({ teams, onCancel }: { teams: BlockingTeam[]; onCancel: () => void }) {
  const t = useT()
  return (
    <>
      <p className={dialog.lead}>{t('deletion.blockedText')}</p>
      <ul className={styles.teams}>
        {teams.map((team) => (
          <li key={team.id}>
            <strong>{team.name}</strong>{' '}
            <span>{t('deletion.members', { count: team.member_count })}</span>
          </li>
        ))}
      </ul>
      <div className={dialog.actions}>
        <Button onClick={onCancel}>{t('common.close')}</Button>
        <LinkButton type="primary" to={paths.organizations()}>
          {t('common.toTeams')}
        </LinkButton>
      </div>
    </>
  )
}

interface ConfirmationProps {
  user: User
  onCancel: () => void
  /** A team has come to depend on this user since the dialog opened. */
  onBlocked: () => void
}

function Confirmation({ user, onCancel, onBlocked }: ConfirmationProps) {
  const t = useT()
  const form = useForm({ defaultValues: { email: '' } })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ email }) =>
      deleteAccount(email.trim()).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'sole_owner') onBlocked()
        throw error
      }),
    done: () => {
      forgetUser()
      goTo(paths.login(), { replace: true, state: { notice: 'accountDeleted' } })
    },
  })
  const typed = useWatch({ control: form.control, name: 'email' })
  const matches = typed.trim().toLowerCase() === user.email.toLowerCase()
  return (
    <form noValidate onSubmit={onSubmit}>
      <p className={dialog.lead}>{t('deletion.text')}</p>
      <FormError>{failure?.message}</FormError>
      <Field
        control={form.control}
        name="email"
        label={t('deletion.type', { email: user.email })}
        rules={{ required: t('field.email.required') }}
      >
        {(input) => (
          <TextInput
            {...input}
            autoFocus
            autoComplete="off"
            autoCapitalize="none"
            inputMode="email"
            spellCheck={false}
          />
        )}
      </Field>
      <div className={dialog.actions}>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button type="primary" danger htmlType="submit" loading={sending} disabled={!matches}>
          {t('deletion.submit')}
        </Button>
      </div>
    </form>
  )
}
