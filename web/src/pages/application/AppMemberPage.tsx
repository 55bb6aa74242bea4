/** An app's members, their roles, and the reasons for their permissions. */
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { appMembersQuery, type AppMember } from '../../api/appMembers'
import { FormError } from '../../components/form/FormError'
import { Page } from '../../components/Page'
import { DataTable } from '../../components/table/DataTable'
import { EmptyFace } from '../../components/table/EmptyFace'
import { SearchBox } from '../../components/table/SearchBox'
import { Toolbar } from '../../components/table/Toolbar'
import { useTableParams } from '../../components/table/useTableParams'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { AccessDrawer } from './AccessDrawer'
import { AddMembersDialog } from './AddMembersDialog'
import { Allowed } from './Allowed'
import { BulkBar } from './BulkBar'
import { ChangeNotice } from './ChangeNotice'
import { useMemberColumns } from './memberColumns'
import { isEditable, ownMembersFirst } from './members'
import { ChangeRolesDialog, RemoveMembersDialog } from './MemberDialogs'
import { RoleFilter } from './RoleFilter'
import { useMemberChanges } from './useMemberChanges'
import { useRoles } from './useRoles'
import styles from './members.module.css'

const SORTS = ['name', 'email', 'role', 'added_at']
/** `access` is the member whose permissions are shown in the drawer. */
const FILTERS = ['role_id', 'access'] as const

export default function AppMemberPage() {
  const t = useT()
  return (
    <Allowed to="member:view">
      <Page wide title={t('title.appMember')} lead={t('appMember.lead')}>
        <Members />
      </Page>
    </Allowed>
  )
}

type Asking = { what: 'add' } | { what: 'remove' | 'roles'; members: AppMember[] }

function Members() {
  const t = useT()
  const { app, held, may, mayChange } = useApp()
  const language = useLanguageStore((state) => state.currentLang)
  const [{ access, ...params }, setParams] = useTableParams({ sorts: SORTS, filters: FILTERS })
  const list = useQuery({
    ...appMembersQuery(app.id, params, language),
    select: ({ items, total }) => ({ items: ownMembersFirst(items), total }),
  })
  const roles = useRoles({ enabled: may('role:view') }).data ?? []
  const [selected, setSelected] = useState<string[]>([])
  const [asking, setAsking] = useState<Asking | null>(null)
  const changes = useMemberChanges()
  const manages = mayChange('member:manage')
  const isOpen = (member: AppMember) => manages && isEditable(member, roles, held)
  const columns = useMemberColumns({
    roles,
    isOpen,
    changing: changes.changing,
    onRole: changes.changeRole,
    onRemove: (member) => setAsking({ what: 'remove', members: [member] }),
    // Stay on the same page of the list.
    onExplain: (member) => setParams({ access: member.user_id, page: params.page }),
  })
  const chosen = list.data?.items.filter(
    (member) => selected.includes(member.user_id) && isOpen(member),
  )
  const add = manages && (
    <Button type="primary" onClick={() => setAsking({ what: 'add' })}>
      {t('appMember.add')}
    </Button>
  )

  function finish(said: string | null) {
    setAsking(null)
    setSelected([])
    changes.settle(said)
  }

  return (
    <>
      <FormError>{changes.failure}</FormError>
      <ChangeNotice notice={changes.notice} />
      <Toolbar actions={add}>
        <SearchBox
          className={styles.search}
          label={t('appMember.search')}
          value={params.search}
          onSearch={(search) => setParams({ search })}
        />
        <RoleFilter
          roles={roles}
          value={params.role_id}
          onChange={(role_id) => setParams({ role_id })}
        />
      </Toolbar>
      {chosen && chosen.length > 0 && (
        <BulkBar
          count={chosen.length}
          onRoles={() => setAsking({ what: 'roles', members: chosen })}
          onRemove={() => setAsking({ what: 'remove', members: chosen })}
          onClear={() => setSelected([])}
        />
      )}
      <div className={styles.list}>
        <DataTable
          label={t('title.appMember')}
          query={list}
          params={params}
          onChange={(change) => {
            setSelected([])
            setParams(change)
          }}
          filtered={Boolean(params.role_id)}
          onClear={() => setParams({ search: undefined, role_id: undefined })}
          columns={columns}
          rowKey={(member) => member.user_id}
          selected={selected}
          onSelect={manages ? setSelected : undefined}
          isFixed={(member) => !isOpen(member)}
          empty={
            <EmptyFace title={t('appMember.empty')} action={add}>
              {t('appMember.emptyText')}
            </EmptyFace>
          }
        />
      </div>
      {asking?.what === 'add' && (
        <AddMembersDialog roles={roles} onDone={finish} onCancel={() => setAsking(null)} />
      )}
      {asking?.what === 'remove' && (
        <RemoveMembersDialog
          members={asking.members}
          onDone={finish}
          onCancel={() => setAsking(null)}
        />
      )}
      {asking?.what === 'roles' && (
        <ChangeRolesDialog
          members={asking.members}
          roles={roles}
          onDone={finish}
          onCancel={() => setAsking(null)}
        />
      )}
      <AccessDrawer
        userId={access}
        onClose={() => setParams({ access: undefined, page: params.page })}
      />
    </>
  )
}
