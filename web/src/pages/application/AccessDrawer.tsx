/** Explains why someone may do something in the app, or what would allow them to. */
import { CheckCircleFilled, MinusCircleOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Drawer } from 'antd'
import { useState } from 'react'
import { accessQuery, type MemberAccess, type PermissionAccess } from '../../api/appMembers'
import { TextInput } from '../../components/form/TextInput'
import { Loaded } from '../../components/Loaded'
import { useDebounced } from '../../components/table/useDebounced'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { hasAll, wordsOf } from './matrix'
import styles from './members.module.css'

interface AccessDrawerProps {
  /** Undefined: closed. */
  userId: string | undefined
  onClose: () => void
}

export function AccessDrawer({ userId, onClose }: AccessDrawerProps) {
  const t = useT()
  return (
    <Drawer
      open={userId !== undefined}
      title={t('access.title')}
      size={480}
      closable={{ 'aria-label': t('common.close') }}
      destroyOnHidden
      onClose={onClose}
    >
      {userId && <Explanation userId={userId} />}
    </Drawer>
  )
}

function Explanation({ userId }: { userId: string }) {
  const { app } = useApp()
  const language = useLanguageStore((state) => state.currentLang)
  const access = useQuery(accessQuery(app.id, userId, language))
  return (
    <Loaded query={access} skeleton={10}>
      {(found) => <Permissions access={found} />}
    </Loaded>
  )
}

function Permissions({ access: { user, permissions } }: { access: MemberAccess }) {
  const t = useT()
  const [search, setSearch] = useState('')
  const words = wordsOf(useDebounced(search))
  const found = permissions.filter(({ code, name }) => hasAll(`${code} ${name}`, words))
  const held = permissions.filter((permission) => permission.held).length
  return (
    <>
      <p className={styles.person}>
        <strong>{user.name}</strong> <span className={styles.soft}>{user.email}</span>
      </p>
      <p className={styles.soft}>{t('access.count', { held, all: permissions.length })}</p>
      <TextInput
        className={styles.accessSearch}
        type="search"
        value={search}
        aria-label={t('access.search')}
        placeholder={t('access.search')}
        onChange={({ target }) => setSearch(target.value)}
      />
      {found.length === 0 ? (
        <p role="status">{t('role.nothingFound')}</p>
      ) : (
        <ul className={styles.permissions} aria-label={t('access.title')}>
          {found.map((permission) => (
            <PermissionItem key={permission.code} permission={permission} />
          ))}
        </ul>
      )}
    </>
  )
}

function PermissionItem({ permission }: { permission: PermissionAccess }) {
  const t = useT()
  const { held, name, code } = permission
  return (
    <li className={styles.permission} data-held={held}>
      {held ? <CheckCircleFilled aria-hidden /> : <MinusCircleOutlined aria-hidden />}
      <div>
        <p>
          <span className="visually-hidden">{t(held ? 'access.held' : 'access.notHeld')}</span>{' '}
          {name} <code className={styles.code}>{code}</code>
        </p>
        <p className={styles.soft}>
          <Reason permission={permission} />
        </p>
      </div>
    </li>
  )
}

function Reason({ permission }: { permission: PermissionAccess }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { held, through, roles_that_give: givers } = permission
  if (held && through) return t(`access.through.${through.kind}`, { role: through.role.name })
  if (held) return null
  if (givers.length === 0) return t('access.givenByNone')
  const list = new Intl.ListFormat(language, { type: 'disjunction' })
  return t('access.givenBy', { roles: list.format(givers.map(({ name }) => name)) })
}
