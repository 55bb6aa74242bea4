import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  invitationLink,
  invitationsOf,
  invitationsQuery,
  resendInvitation,
  revokeInvitation,
  type Invitation,
} from '../../../api/invitations'
import { ActionMenu, type Action } from '../../../components/ActionMenu'
import { DangerDialog } from '../../../components/DangerDialog'
import { FormError } from '../../../components/form/FormError'
import { LinkDialog } from '../../../components/LinkMaker'
import { MailHint } from '../../../components/MailHint'
import { Moment } from '../../../components/Moment'
import type { Column } from '../../../components/table/columns'
import { UNKNOWN } from '../../../components/table/Counted'
import { DataTable } from '../../../components/table/DataTable'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { SearchBox } from '../../../components/table/SearchBox'
import { Toolbar } from '../../../components/table/Toolbar'
import { useTableParams } from '../../../components/table/useTableParams'
import { useMailT, useNoMail } from '../../../components/useMailT'
import { useLanguageStore, type Translate } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useOrg } from '../../../session/org'
import { RoleName } from '../RoleName'
import page from '../organization.module.css'
import styles from './MembersPage.module.css'

const CHOICES = { sorts: ['email', 'created_at', 'expires_at'] }

export function InvitationsTab() {
  const t = useT()
  const mailT = useMailT()
  const noMail = useNoMail()
  const client = useQueryClient()
  const org = useOrg()
  const language = useLanguageStore((state) => state.currentLang)
  const [params, setParams] = useTableParams(CHOICES)
  const invitations = useQuery(invitationsQuery(org.id, params, language))
  const [revoking, setRevoking] = useState<Invitation | null>(null)
  const [linking, setLinking] = useState<Invitation | null>(null)
  const [status, setStatus] = useState('')
  const reload = () => client.invalidateQueries(invitationsOf(org.id))
  const resending = useMutation({
    mutationFn: (invitation: Invitation) => resendInvitation(org.id, invitation.id),
    onMutate: () => setStatus(''),
    onSuccess: ({ email }) => setStatus(mailT('invitations.resent', { email })),
    // After a failure too: the invitation may have been answered meanwhile.
    onSettled: reload,
  })

  return (
    <>
      <Toolbar>
        <SearchBox
          className={page.search}
          label={t('invitations.search')}
          value={params.search}
          onSearch={(search) => setParams({ search })}
        />
      </Toolbar>
      <div className={page.hint}>
        <MailHint />
      </div>
      <FormError>{resending.error?.message}</FormError>
      <p role="status" className={page.status}>
        {status}
      </p>
      <DataTable
        label={t('members.tab.invitations')}
        query={invitations}
        params={params}
        onChange={setParams}
        onClear={() => setParams({ search: undefined })}
        rowKey={(invitation) => invitation.id}
        columns={columns(t, {
          // Without a mail server, resending would reach nobody.
          resend: noMail ? undefined : resending.mutate,
          link: noMail ? setLinking : undefined,
          revoke: setRevoking,
        })}
        empty={<EmptyFace title={t('invitations.none')}>{t('invitations.noneText')}</EmptyFace>}
      />
      {linking && (
        <LinkDialog
          title={t('invitations.linkTitle', { email: linking.email })}
          text={t('invitations.linkText')}
          label={t('link.copyFor', { email: linking.email })}
          make={() => invitationLink(org.id, linking.id)}
          onClose={() => {
            setLinking(null)
            void reload()
          }}
        />
      )}
      {revoking && (
        <DangerDialog
          title={t('invitations.revokeTitle', { email: revoking.email })}
          confirm={t('invitations.revoke')}
          send={() => revokeInvitation(org.id, revoking.id)}
          onDone={() => {
            setRevoking(null)
            setStatus(t('invitations.revoked', { email: revoking.email }))
            void reload()
          }}
          onCancel={() => setRevoking(null)}
        >
          <p>{mailT('invitations.revokeText')}</p>
        </DangerDialog>
      )}
    </>
  )
}

interface RowActions {
  resend?: (invitation: Invitation) => void
  link?: (invitation: Invitation) => void
  revoke: (invitation: Invitation) => void
}

function columns(t: Translate, actions: RowActions): Column<Invitation>[] {
  return [
    {
      key: 'email',
      title: t('field.email'),
      sorts: true,
      heads: true,
      render: ({ email }) => email,
    },
    { key: 'role', title: t('members.role'), render: ({ role }) => <RoleName role={role} /> },
    {
      key: 'apps',
      title: t('invitations.apps'),
      render: ({ apps }) =>
        apps.length === 0 ? (
          UNKNOWN
        ) : (
          <ul className={styles.apps}>
            {apps.map((app) => (
              <li key={app.app_id}>
                {t('invitations.grant', { app: app.app_name, role: app.role_name })}
              </li>
            ))}
          </ul>
        ),
    },
    {
      key: 'invited_by',
      title: t('invitations.invitedBy'),
      render: (invitation) => invitation.invited_by?.name ?? UNKNOWN,
    },
    {
      key: 'created_at',
      title: t('invitations.sentAt'),
      sorts: true,
      render: (invitation) => <Moment at={invitation.created_at} />,
    },
    {
      key: 'expires_at',
      title: t('invitations.expiresAt'),
      sorts: true,
      render: (invitation) =>
        invitation.state === 'expired' ? (
          <span className={page.warning}>{t('invitations.expired')}</span>
        ) : (
          <Moment at={invitation.expires_at} />
        ),
    },
    {
      key: 'actions',
      title: t('common.actions'),
      actions: true,
      render: (invitation) => (
        <ActionMenu
          label={t('table.actionsOf', { name: invitation.email })}
          actions={actionsFor(t, invitation, actions)}
        />
      ),
    },
  ]
}

function actionsFor(
  t: Translate,
  invitation: Invitation,
  { resend, link, revoke }: RowActions,
): Action[] {
  return [
    ...(resend
      ? [{ key: 'resend', label: t('invitations.resend'), onChoose: () => resend(invitation) }]
      : []),
    ...(link ? [{ key: 'link', label: t('link.copy'), onChoose: () => link(invitation) }] : []),
    {
      key: 'revoke',
      label: t('invitations.revoke'),
      danger: true,
      onChoose: () => revoke(invitation),
    },
  ]
}
