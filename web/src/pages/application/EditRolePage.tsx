/** An app's own role: new, a copy of another, or an existing one. */
import { useLocation } from 'react-router'
import type { PermissionGroup, Role } from '../../api/roles'
import { UnsavedGuard } from '../../components/form/unsaved'
import { LinkButton } from '../../components/LinkButton'
import { Loaded, together } from '../../components/Loaded'
import { Page } from '../../components/Page'
import { RowSkeleton } from '../../components/table/RowSkeleton'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { parseQuery, queryText } from '../../lib/query'
import { paths } from '../../paths'
import { Allowed } from './Allowed'
import { copyOf, draftOf, NEW_ROLE } from './draft'
import { isWithin } from '../../session/access'
import { RoleForm } from './RoleForm'
import { useAppPermissions, useRoles } from './useRoles'
import styles from './editor.module.css'

export default function EditRolePage() {
  const t = useT()
  const query = parseQuery(useLocation().search)
  const roleId = queryText(query, 'role')
  const from = queryText(query, 'from')
  return (
    <Allowed to="role:manage">
      <Page title={t(roleId ? 'role.editTitle' : 'role.newTitle')} lead={t('role.editLead')}>
        <Editor key={`${roleId} ${from}`} roleId={roleId} from={from} />
      </Page>
    </Allowed>
  )
}

function Editor({ roleId, from }: { roleId: string | null; from: string | null }) {
  const both = together(useRoles(), useAppPermissions())
  return (
    <Loaded query={both} skeleton={<RowSkeleton rows={8} />}>
      {([roles, groups]) => (
        <RoleEditor roleId={roleId} from={from} roles={roles} groups={groups} />
      )}
    </Loaded>
  )
}

interface RoleEditorProps {
  roleId: string | null
  from: string | null
  roles: Role[]
  groups: PermissionGroup[]
}

function RoleEditor({ roleId, from, roles, groups }: RoleEditorProps) {
  const t = useT()
  const { app, held, mayChange } = useApp()
  if (!mayChange('role:manage')) return <Notice>{t('role.readOnly')}</Notice>

  const find = (id: string | null) => roles.find((role) => role.id === id)
  const role = find(roleId)
  if (roleId && !role) return <Notice>{t('role.gone')}</Notice>
  if (role?.builtin) return <Notice copies={role}>{t('role.builtinFixed')}</Notice>
  if (role && !isWithin(held, role)) return <Notice>{t('role.beyondRole')}</Notice>

  const source = find(from)
  const initial = role
    ? draftOf(role)
    : source
      ? copyOf(source, t('role.copyName', { name: source.name }), held)
      : NEW_ROLE
  return (
    <UnsavedGuard>
      <RoleForm appId={app.id} role={role} initial={initial} groups={groups} />
    </UnsavedGuard>
  )
}

/** Why there is nothing to edit here, and where to go instead. */
function Notice({ copies, children }: { copies?: Role; children: string }) {
  const t = useT()
  const { app } = useApp()
  return (
    <div className={styles.notice}>
      <p>{children}</p>
      <div className={styles.actions}>
        {copies && (
          <LinkButton type="primary" to={paths.editRole(app.id, { from: copies.id })}>
            {t('role.copyThis')}
          </LinkButton>
        )}
        <LinkButton to={paths.appAuthority(app.id)}>{t('role.toList')}</LinkButton>
      </div>
    </div>
  )
}
