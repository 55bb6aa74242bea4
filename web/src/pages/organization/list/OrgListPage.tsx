/** The user's teams: their role in each, and how to enter, leave, and manage them. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { Link } from 'react-router'
import { allOrgs, createOrg, orgsQuery, updateOrg, type Org } from '../../../api/orgs'
import { ActionMenu } from '../../../components/ActionMenu'
import { Page } from '../../../components/Page'
import type { Column } from '../../../components/table/columns'
import { Counted } from '../../../components/table/Counted'
import { DataTable } from '../../../components/table/DataTable'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { SearchBox } from '../../../components/table/SearchBox'
import { Toolbar } from '../../../components/table/Toolbar'
import { useTableParams } from '../../../components/table/useTableParams'
import { browserZone } from '../../../components/form/zones'
import { Moment } from '../../../components/Moment'
import { useT } from '../../../i18n/useT'
import { goTo } from '../../../lib/navigation'
import { paths } from '../../../paths'
import { useDialogInAddress } from '../../../router/useDialogInAddress'
import { reloadUser } from '../../../session/session'
import { TeamNameDialog } from '../../../components/teams/TeamNameDialog'
import { RoleName } from '../RoleName'
import { DeleteOrgDialog } from './DeleteOrgDialog'
import { LeaveTeamDialog } from '../../../components/teams/LeaveTeamDialog'
import { MyInvitations } from '../../../components/teams/MyInvitations'
import { orgActions, type OrgAction } from './orgActions'
import { TransferDialog } from './TransferDialog'
import styles from '../organization.module.css'

const SORTS = ['name', 'created_at', 'member_count', 'app_count']
const CHOICES = { sorts: SORTS }

type Asking = { what: OrgAction; org: Org }

export default function OrgListPage() {
  const t = useT()
  const client = useQueryClient()
  const [params, setParams] = useTableParams(CHOICES)
  const orgs = useQuery(orgsQuery(params))
  const [asking, setAsking] = useState<Asking | null>(null)
  const [status, setStatus] = useState('')
  const close = () => setAsking(null)
  const [creating, creation] = useDialogInAddress('create')

  function finish(said: string) {
    close()
    setStatus(said)
    void client.invalidateQueries(allOrgs)
    // Which app the user lands in, if any, depends on their teams.
    void reloadUser().catch(() => {})
  }

  const create = (
    <Button type="primary" onClick={creation.open}>
      {t('orgs.create')}
    </Button>
  )
  return (
    <Page wide title={t('title.organizationList')} lead={t('orgs.lead')}>
      <MyInvitations onAccepted={(org) => finish(t('orgs.joined', { name: org.name }))} />
      <p role="status" className={styles.status}>
        {status}
      </p>
      <Toolbar actions={create}>
        <SearchBox
          className={styles.search}
          label={t('orgs.search')}
          value={params.search}
          onSearch={(search) => setParams({ search })}
        />
      </Toolbar>
      <DataTable
        label={t('title.organizationList')}
        query={orgs}
        params={params}
        onChange={setParams}
        onClear={() => setParams({ search: undefined })}
        rowKey={(org) => org.id}
        columns={columns(t, (what, org) => setAsking({ what, org }))}
        empty={
          <EmptyFace title={t('org.none')} action={create}>
            {t('orgs.emptyText')}
          </EmptyFace>
        }
      />
      {creating !== null && (
        <TeamNameDialog
          title={t('orgs.create')}
          submit={t('orgs.create')}
          hint={t('orgs.createHint')}
          save={(name) => createOrg({ name, timezone: browserZone() })}
          onDone={(org) => {
            creation.close()
            finish('')
            goTo(paths.teamApps({ org: org.id }))
          }}
          onCancel={creation.close}
        />
      )}
      {asking?.what === 'rename' && (
        <TeamNameDialog
          title={t('orgs.renameTitle')}
          submit={t('common.save')}
          name={asking.org.name}
          save={(name) => updateOrg(asking.org.id, { name })}
          onDone={() => finish(t('common.saved'))}
          onCancel={close}
        />
      )}
      {asking?.what === 'leave' && (
        <LeaveTeamDialog
          org={asking.org}
          onDone={() => finish(t('orgs.left', { name: asking.org.name }))}
          onCancel={close}
        />
      )}
      {asking?.what === 'transfer' && (
        <TransferDialog
          org={asking.org}
          onDone={(person) =>
            finish(t('orgs.transferred', { name: asking.org.name, person: person.name }))
          }
          onCancel={close}
        />
      )}
      {asking?.what === 'delete' && (
        <DeleteOrgDialog
          org={asking.org}
          onDone={() => finish(t('orgs.deleted', { name: asking.org.name }))}
          onCancel={close}
        />
      )}
    </Page>
  )
}

function columns(
  t: ReturnType<typeof useT>,
  ask: (what: OrgAction, org: Org) => void,
): Column<Org>[] {
  return [
    {
      key: 'name',
      title: t('field.team'),
      sorts: true,
      heads: true,
      render: (org) => <Link to={paths.teamMembers({ org: org.id })}>{org.name}</Link>,
    },
    { key: 'role', title: t('orgs.myRole'), render: (org) => <RoleName role={org.role} /> },
    {
      key: 'member_count',
      title: t('orgs.members'),
      sorts: true,
      numeric: true,
      render: (org) => <Counted value={org.member_count} />,
    },
    {
      key: 'app_count',
      title: t('orgs.apps'),
      sorts: true,
      numeric: true,
      render: (org) => (
        <Link to={paths.teamApps({ org: org.id })}>
          <Counted value={org.app_count} />
        </Link>
      ),
    },
    {
      key: 'created_at',
      title: t('table.createdAt'),
      sorts: true,
      render: (org) => <Moment at={org.created_at} />,
    },
    {
      key: 'actions',
      title: t('common.actions'),
      actions: true,
      render: (org) => (
        <ActionMenu
          label={t('table.actionsOf', { name: org.name })}
          actions={orgActions(org).map(({ what, danger }) => ({
            key: what,
            label: t(`orgs.do.${what}`),
            danger,
            onChoose: () => ask(what, org),
          }))}
        />
      ),
    },
  ]
}
