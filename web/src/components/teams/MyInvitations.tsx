/** Invitations waiting for the user's answer. Renders nothing if there are none. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import {
  acceptInvitation,
  declineInvitation,
  myInvitationsQuery,
  type MyInvitation,
} from '../../api/invitations'
import type { Org } from '../../api/orgs'
import { useT } from '../../i18n/useT'
import { FormError } from '../form/FormError'
import { LoadFailure } from '../LoadFailure'
import { Moment } from '../Moment'
import styles from './MyInvitations.module.css'

interface MyInvitationsProps {
  onAccepted: (org: Org) => void
}

export function MyInvitations({ onAccepted }: MyInvitationsProps) {
  const t = useT()
  const invitations = useQuery(myInvitationsQuery)
  if (invitations.error) {
    return (
      <LoadFailure
        error={invitations.error}
        retrying={invitations.isFetching}
        onRetry={() => void invitations.refetch()}
      />
    )
  }
  if (!invitations.data || invitations.data.length === 0) return null
  return (
    <section className={styles.invitations} aria-label={t('invitations.mine')}>
      <h2 className={styles.title}>{t('invitations.mine')}</h2>
      <ul className={styles.list}>
        {invitations.data.map((invitation) => (
          <Invitation key={invitation.id} invitation={invitation} onAccepted={onAccepted} />
        ))}
      </ul>
    </section>
  )
}

interface InvitationProps extends MyInvitationsProps {
  invitation: MyInvitation
}

function Invitation({ invitation, onAccepted }: InvitationProps) {
  const t = useT()
  const client = useQueryClient()
  // After a failure too: the invitation may have been revoked, and then the list should say so.
  const onSettled = () => client.invalidateQueries(myInvitationsQuery)
  const accepting = useMutation({
    mutationFn: () => acceptInvitation(invitation.id),
    onSuccess: onAccepted,
    onSettled,
  })
  const declining = useMutation({
    mutationFn: () => declineInvitation(invitation.id),
    onSettled,
  })
  const { organization, role, invited_by: by } = invitation
  return (
    <li className={styles.invitation}>
      <div className={styles.words}>
        <strong>{organization.name}</strong>
        <span className={styles.detail}>
          {by
            ? t('invitations.by', { person: by, role: t(`org.role.${role}`) })
            : t('invitations.as', { role: t(`org.role.${role}`) })}{' '}
          <Moment after={t('invitations.expires')} at={invitation.expires_at} />
        </span>
        <FormError>{(accepting.error ?? declining.error)?.message}</FormError>
      </div>
      <div className={styles.actions}>
        <Button
          type="primary"
          loading={accepting.isPending}
          disabled={declining.isPending}
          aria-label={t('invitations.acceptOf', { name: organization.name })}
          onClick={() => accepting.mutate()}
        >
          {t('invitations.accept')}
        </Button>
        <Button
          loading={declining.isPending}
          disabled={accepting.isPending}
          aria-label={t('invitations.declineOf', { name: organization.name })}
          onClick={() => declining.mutate()}
        >
          {t('invitations.decline')}
        </Button>
      </div>
    </li>
  )
}
