/** Who holds the role being edited, and what the changes mean for them. */
import { useQuery } from '@tanstack/react-query'
import { appMembersQuery } from '../../api/appMembers'
import type { PermissionGroup, Role } from '../../api/roles'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import type { PermissionCode } from '../../session/access'
import { useApp } from '../../session/app'
import { changeBetween } from './draft'
import styles from './editor.module.css'

/** Enough names to recognize who is affected. */
const NAMED = 5

interface RolePreviewProps {
  role: Role
  before: readonly PermissionCode[]
  after: readonly PermissionCode[]
  groups: PermissionGroup[]
}

export function RolePreview({ role, before, after, groups }: RolePreviewProps) {
  const t = useT()
  const { gained, lost } = changeBetween(before, after)
  return (
    <section className={styles.preview} aria-labelledby="preview-title">
      <h2 id="preview-title" className={styles.title}>
        {t('role.preview')}
      </h2>
      <Holders role={role} />
      <div role="status" className={styles.changes}>
        {gained.length + lost.length === 0 ? (
          <p className={styles.soft}>{t('role.previewNone')}</p>
        ) : (
          <>
            <Codes title={t('role.gained')} tone="gained" codes={gained} groups={groups} />
            <Codes title={t('role.lost')} tone="lost" codes={lost} groups={groups} />
          </>
        )}
      </div>
    </section>
  )
}

function Holders({ role }: { role: Role }) {
  const t = useT()
  const { app, may } = useApp()
  const language = useLanguageStore((state) => state.currentLang)
  const holders = useQuery({
    ...appMembersQuery(app.id, { page: 1, page_size: NAMED, role_id: role.id }, language),
    enabled: may('member:view') && role.member_count > 0,
  })
  if (role.member_count === 0) return <p className={styles.soft}>{t('role.heldByNobody')}</p>
  const names = holders.data?.items.map(({ name, is_me }) =>
    is_me ? t('role.you', { name }) : name,
  )
  const list = names && new Intl.ListFormat(language, { type: 'unit' }).format(names)
  const more = role.member_count - (names?.length ?? 0)
  return (
    <p>
      {t('role.heldBy', { count: role.member_count })}
      {list && (
        <span className={styles.names}>
          {more > 0 ? t('role.namesAndMore', { names: list, count: more }) : list}
        </span>
      )}
    </p>
  )
}

interface CodesProps {
  title: string
  tone: 'gained' | 'lost'
  codes: PermissionCode[]
  groups: PermissionGroup[]
}

function Codes({ title, tone, codes, groups }: CodesProps) {
  if (codes.length === 0) return null
  const known = groups.flatMap((group) => group.permissions)
  return (
    <div className={styles[tone]}>
      <h3>{title}</h3>
      <ul>
        {codes.map((code) => (
          <li key={code}>
            {known.find((permission) => permission.code === code)?.name}{' '}
            <code className={styles.code}>{code}</code>
          </li>
        ))}
      </ul>
    </div>
  )
}
