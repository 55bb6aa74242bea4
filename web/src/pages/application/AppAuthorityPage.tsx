/** An app's roles and their permissions. */
import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { Role } from '../../api/roles'
import { FormNotice } from '../../components/form/FormNotice'
import { LinkButton } from '../../components/LinkButton'
import { Loaded } from '../../components/Loaded'
import { Page } from '../../components/Page'
import { RowSkeleton } from '../../components/table/RowSkeleton'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { paths } from '../../paths'
import { Allowed } from './Allowed'
import { DeleteRoleDialog } from './DeleteRoleDialog'
import { savedRoleIn } from './savedRole'
import { RoleList } from './RoleList'
import { RoleMatrix } from './RoleMatrix'
import { useRoles } from './useRoles'
import styles from './roles.module.css'

export default function AppAuthorityPage() {
  return (
    <Allowed to="role:view">
      <RolesPage />
    </Allowed>
  )
}

function RolesPage() {
  const t = useT()
  const roles = useRoles()
  return (
    <Page wide title={t('title.appAuthority')} lead={t('role.lead')}>
      <Loaded query={roles} skeleton={<RowSkeleton rows={4} />}>
        {(found) => <Roles roles={found} />}
      </Loaded>
    </Page>
  )
}

/** The limit for an app's own roles; the server enforces it. */
const CUSTOM_MAX = 30

function Roles({ roles }: { roles: Role[] }) {
  const t = useT()
  const { app, mayChange } = useApp()
  const [deleting, setDeleting] = useState<Role | null>(null)
  const [deleted, setDeleted] = useState<string | null>(null)
  const saved = useSavedRole()
  const custom = roles.filter((role) => !role.builtin).length
  return (
    <>
      <FormNotice>
        {deleted !== null
          ? t('role.deleted', { name: deleted })
          : saved !== null && t('role.saved', { name: saved })}
      </FormNotice>
      <div className={styles.head}>
        <h2 className={styles.title}>{t('role.list')}</h2>
        <p className={styles.count}>{t('role.customCount', { count: custom, max: CUSTOM_MAX })}</p>
        {mayChange('role:manage') && (
          <LinkButton type="primary" to={paths.editRole(app.id)} disabled={custom >= CUSTOM_MAX}>
            {t('role.create')}
          </LinkButton>
        )}
      </div>
      <RoleList roles={roles} onDelete={setDeleting} />
      <RoleMatrix roles={roles} />
      {deleting && (
        <DeleteRoleDialog
          role={deleting}
          roles={roles}
          onCancel={() => setDeleting(null)}
          onDone={() => {
            setDeleting(null)
            setDeleted(deleting.name)
          }}
        />
      )}
    </>
  )
}

/** The role the editor has just saved. Announced once, not again after a reload. */
function useSavedRole(): string | null {
  const { state, search } = useLocation() as { state: unknown; search: string }
  const navigate = useNavigate()
  const [saved] = useState(() => savedRoleIn(state))
  const arrived = savedRoleIn(state) !== null
  useEffect(() => {
    if (arrived) void navigate({ search }, { replace: true, state: null, preventScrollReset: true })
  }, [arrived, navigate, search])
  return saved
}
