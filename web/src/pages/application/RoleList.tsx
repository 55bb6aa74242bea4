import { Button } from 'antd'
import { Link } from 'react-router'
import type { Role } from '../../api/roles'
import { LinkButton } from '../../components/LinkButton'
import { CardList } from '../../components/table/CardList'
import type { Column } from '../../components/table/columns'
import { Counted } from '../../components/table/Counted'
import { useIsNarrow } from '../../components/table/useIsNarrow'
import { WideTable } from '../../components/table/WideTable'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { paths } from '../../paths'
import { isWithin } from '../../session/access'
import styles from './roles.module.css'

interface RoleListProps {
  roles: Role[]
  onDelete: (role: Role) => void
}

/** Few enough to need neither paging nor sorting: built-in roles first, then by name. */
export function RoleList({ roles, onDelete }: RoleListProps) {
  const t = useT()
  const columns = useColumns(onDelete)
  const List = useIsNarrow() ? CardList : WideTable
  return (
    <List
      label={t('role.list')}
      rows={roles}
      columns={columns}
      rowKey={(role) => role.id}
      onSort={() => {}}
    />
  )
}

function useColumns(onDelete: (role: Role) => void): Column<Role>[] {
  const t = useT()
  const { app, may, mayChange } = useApp()
  const columns: Column<Role>[] = [
    {
      key: 'name',
      title: t('role.name'),
      heads: true,
      width: '24%',
      render: (role) => (
        <>
          {role.name} {role.builtin && <span className={styles.tag}>{t('role.builtin')}</span>}
        </>
      ),
    },
    {
      key: 'description',
      title: t('role.description'),
      render: (role) => role.description || '—',
    },
    {
      key: 'permissions',
      title: t('role.permissions'),
      numeric: true,
      width: 120,
      render: (role) => <Counted value={role.permissions.length} />,
    },
    {
      key: 'members',
      title: t('role.members'),
      numeric: true,
      width: 120,
      render: (role) =>
        may('member:view') && role.member_count > 0 ? (
          <Link
            to={paths.appMembers(app.id, { role_id: role.id })}
            aria-label={t('role.showMembers', { name: role.name, count: role.member_count })}
          >
            <Counted value={role.member_count} />
          </Link>
        ) : (
          <Counted value={role.member_count} />
        ),
    },
  ]
  if (!mayChange('role:manage')) return columns
  return [
    ...columns,
    {
      key: 'actions',
      title: t('common.actions'),
      actions: true,
      width: 260,
      render: (role) => <RoleActions role={role} onDelete={onDelete} />,
    },
  ]
}

function RoleActions({ role, onDelete }: { role: Role; onDelete: (role: Role) => void }) {
  const t = useT()
  const { app, held } = useApp()
  // Nobody may change a role with more permissions than their own.
  const changes = !role.builtin && isWithin(held, role)
  const named = (action: string) => t('role.actionOn', { action, name: role.name })
  return (
    <span className={styles.actions}>
      {changes && (
        <LinkButton
          size="small"
          to={paths.editRole(app.id, { role: role.id })}
          aria-label={named(t('role.edit'))}
        >
          {t('role.edit')}
        </LinkButton>
      )}
      <LinkButton
        size="small"
        to={paths.editRole(app.id, { from: role.id })}
        aria-label={named(t('role.copy'))}
      >
        {t('role.copy')}
      </LinkButton>
      {changes && (
        <Button
          size="small"
          danger
          aria-label={named(t('role.delete'))}
          onClick={() => onDelete(role)}
        >
          {t('role.delete')}
        </Button>
      )}
    </span>
  )
}
