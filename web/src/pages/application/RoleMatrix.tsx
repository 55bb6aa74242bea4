/** A table of roles and permissions. The role names stay visible while the page scrolls. */
import { CheckOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { Fragment, useMemo } from 'react'
import type { Role } from '../../api/roles'
import { Loaded } from '../../components/Loaded'
import { RowSkeleton } from '../../components/table/RowSkeleton'
import { SearchBox } from '../../components/table/SearchBox'
import { Toolbar } from '../../components/table/Toolbar'
import { useTableParams } from '../../components/table/useTableParams'
import { useT } from '../../i18n/useT'
import { matrixOf, type MatrixGroup } from './matrix'
import { useAppPermissions } from './useRoles'
import { useOverflows } from './useOverflows'
import styles from './roles.module.css'

export function RoleMatrix({ roles }: { roles: Role[] }) {
  const t = useT()
  const permissions = useAppPermissions()
  const [{ search }, setParams] = useTableParams()
  const groups = useMemo(
    () => matrixOf(permissions.data ?? [], roles, search),
    [permissions.data, roles, search],
  )
  return (
    <div className={styles.matrix}>
      <h2 className={styles.title}>{t('role.matrix')}</h2>
      <Toolbar>
        <SearchBox
          className={styles.search}
          label={t('role.search')}
          value={search}
          onSearch={(text) => setParams({ search: text })}
        />
      </Toolbar>
      <Loaded query={permissions} skeleton={<RowSkeleton rows={8} />}>
        {() =>
          groups.length > 0 ? (
            <Grid groups={groups} roles={roles} />
          ) : (
            <div className={styles.nothing}>
              <p role="status">{t('role.nothingFound')}</p>
              <Button onClick={() => setParams({ search: undefined })}>{t('table.clear')}</Button>
            </div>
          )
        }
      </Loaded>
    </div>
  )
}

function Grid({ groups, roles }: { groups: MatrixGroup[]; roles: Role[] }) {
  const t = useT()
  const { frame, overflows } = useOverflows(roles.length)
  return (
    // Focusable if it scrolls sideways, so the keyboard can scroll it.
    <div
      ref={frame}
      className={styles.scroller}
      data-overflows={overflows}
      role="region"
      aria-label={t('role.matrix')}
      tabIndex={overflows ? 0 : undefined}
    >
      <table className={styles.grid}>
        <thead>
          <tr>
            <th scope="col">{t('role.permission')}</th>
            {roles.map((role) => (
              <th key={role.id} scope="col">
                <span className={styles.roleName}>{role.name}</span>
                <span className={styles.roleCount}>
                  {t('role.memberCount', { count: role.member_count })}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group.key}>
            <tr className={styles.group}>
              <th scope="rowgroup">{group.name}</th>
              <td colSpan={roles.length} />
            </tr>
            {group.rows.map((row) => (
              <tr key={row.code}>
                <th scope="row">
                  <span className={styles.permission}>{row.name}</span>
                  <code className={styles.code}>{row.code}</code>
                  <span className={styles.about}>{row.description}</span>
                </th>
                {row.held.map((held, index) => (
                  <Fragment key={roles[index]!.id}>
                    <Cell held={held} />
                  </Fragment>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

function Cell({ held }: { held: boolean }) {
  const t = useT()
  return (
    <td className={held ? styles.held : styles.notHeld}>
      {held ? <CheckOutlined aria-hidden /> : <span aria-hidden="true">–</span>}
      <span className="visually-hidden">{t(held ? 'role.has' : 'role.hasNot')}</span>
    </td>
  )
}
