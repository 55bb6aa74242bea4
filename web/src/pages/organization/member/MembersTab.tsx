import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import {
  allOrgs,
  membersOf,
  membersQuery,
  ORG_ROLES,
  type Org,
  type OrgMember,
} from '../../../api/orgs'
import { ActionMenu, type Action } from '../../../components/ActionMenu'
import { besideField } from '../../../components/form/TimezoneSelect'
import { Moment } from '../../../components/Moment'
import type { Column } from '../../../components/table/columns'
import { Counted } from '../../../components/table/Counted'
import { DataTable } from '../../../components/table/DataTable'
import { SearchBox } from '../../../components/table/SearchBox'
import { Toolbar } from '../../../components/table/Toolbar'
import { useTableParams } from '../../../components/table/useTableParams'
import type { Translate } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useOrg, useOrgMay } from '../../../session/org'
import { reloadUser } from '../../../session/session'
import { RoleName } from '../RoleName'
import { EndSessionsDialog } from './EndSessionsDialog'
import { mayManage, mayRemove } from './memberActions'
import { RemoveMemberDialog } from './RemoveMemberDialog'
import { RoleDialog } from './RoleDialog'
import styles from '../organization.module.css'

const CHOICES = {
  sorts: ['name', 'email', 'role', 'joined_at', 'last_login_at'],
  filters: ['role'],
} as const

/** Only people who manage members see last sign-in times, or may sort by them. */
const SEEN_BY_ALL = { ...CHOICES, sorts: CHOICES.sorts.filter((sort) => sort !== 'last_login_at') }

type MemberAction = 'role' | 'endSessions' | 'remove'
type Asking = { what: MemberAction; member: OrgMember }

export function MembersTab() {
  const t = useT()
  const client = useQueryClient()
  const org = useOrg()
  const manages = useOrgMay('org_member:manage')
  const [params, setParams] = useTableParams(manages ? CHOICES : SEEN_BY_ALL)
  const role = ORG_ROLES.find((known) => known === params.role)
  const members = useQuery(membersQuery(org.id, { ...params, role }))
  const [asking, setAsking] = useState<Asking | null>(null)
  const [status, setStatus] = useState('')
  const close = () => setAsking(null)

  function finish(said: string) {
    close()
    setStatus(said)
    void client.invalidateQueries(membersOf(org.id))
    void client.invalidateQueries(allOrgs)
    // It may have been the user themselves.
    void reloadUser().catch(() => {})
  }

  return (
    <>
      <Toolbar>
        <SearchBox
          className={styles.search}
          label={t('members.search')}
          value={params.search}
          onSearch={(search) => setParams({ search })}
        />
        <Select
          className={styles.filter}
          aria-label={t('members.byRole')}
          allowClear
          placeholder={t('members.anyRole')}
          value={role}
          getPopupContainer={besideField}
          options={ORG_ROLES.map((value) => ({ value, label: t(`org.role.${value}`) }))}
          onChange={(chosen?: string) => setParams({ role: chosen })}
        />
      </Toolbar>
      <p role="status" className={styles.status}>
        {status}
      </p>
      <DataTable
        label={t('title.teamMembers')}
        query={members}
        params={params}
        onChange={setParams}
        filtered={role !== undefined}
        onClear={() => setParams({ search: undefined, role: undefined })}
        rowKey={(member) => member.user_id}
        columns={columns(t, org, manages, (what, member) => setAsking({ what, member }))}
        empty={null}
      />
      {asking?.what === 'role' && (
        <RoleDialog
          org={org}
          member={asking.member}
          onDone={() => finish(t('members.roleChanged', { name: asking.member.name }))}
          onCancel={close}
        />
      )}
      {asking?.what === 'endSessions' && (
        <EndSessionsDialog
          org={org}
          member={asking.member}
          onDone={() => finish(t('members.sessionsEnded', { name: asking.member.name }))}
          onCancel={close}
        />
      )}
      {asking?.what === 'remove' && (
        <RemoveMemberDialog
          org={org}
          member={asking.member}
          onDone={() => finish(t('members.removed', { name: asking.member.name }))}
          onCancel={close}
        />
      )}
    </>
  )
}

function columns(
  t: Translate,
  org: Org,
  /** Whether the user can see how and when others sign in. */
  manages: boolean,
  ask: (what: MemberAction, member: OrgMember) => void,
): Column<OrgMember>[] {
  return [
    {
      key: 'name',
      title: t('members.name'),
      sorts: true,
      heads: true,
      render: (member) => (
        <span className={styles.who}>
          <strong>
            <bdi>{member.name}</bdi>
            {member.is_me && <span className={styles.me}>{t('members.me')}</span>}
          </strong>
          <span className={styles.soft}>{member.email}</span>
        </span>
      ),
    },
    {
      key: 'role',
      title: t('members.role'),
      sorts: true,
      render: (member) => <RoleName role={member.role} />,
    },
    {
      key: 'app_count',
      title: t('members.apps'),
      numeric: true,
      render: (member) => <Counted value={member.app_count} />,
    },
    ...(manages ? signInColumns(t, org) : []),
    {
      key: 'joined_at',
      title: t('members.joined'),
      sorts: true,
      render: (member) => <Moment at={member.joined_at} />,
    },
    {
      key: 'actions',
      title: t('common.actions'),
      actions: true,
      render: (member) => (
        <ActionMenu
          label={t('table.actionsOf', { name: member.name })}
          actions={actionsFor(t, org, member, ask)}
        />
      ),
    },
  ]
}

function signInColumns(t: Translate, org: Org): Column<OrgMember>[] {
  return [
    {
      key: 'last_login_at',
      title: t('members.lastLogin'),
      sorts: true,
      render: (member) =>
        member.last_login_at ? <Moment at={member.last_login_at} /> : t('members.never'),
    },
    {
      key: 'mfa',
      title: t('members.mfa'),
      render: (member) =>
        member.mfa ? (
          t('members.mfaOn')
        ) : (
          // It is only a problem if the team requires one.
          <span className={org.require_mfa ? styles.warning : styles.soft}>
            {t('members.mfaOff')}
          </span>
        ),
    },
  ]
}

function actionsFor(
  t: Translate,
  org: Org,
  member: OrgMember,
  ask: (what: MemberAction, member: OrgMember) => void,
): Action[] {
  const actions: (Action & { shown: boolean })[] = [
    {
      key: 'role',
      label: t('members.changeRole'),
      shown: mayManage(org, member),
      onChoose: () => ask('role', member),
    },
    {
      key: 'endSessions',
      label: t('members.endSessions'),
      // The user's own sessions are in the account settings.
      shown: mayManage(org, member) && !member.is_me,
      onChoose: () => ask('endSessions', member),
    },
    {
      key: 'remove',
      label: t('members.remove'),
      danger: true,
      shown: mayRemove(org, member),
      onChoose: () => ask('remove', member),
    },
  ]
  return actions.filter(({ shown }) => shown)
}
