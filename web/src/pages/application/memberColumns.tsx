import { Button } from 'antd'
import type { AppMember } from '../../api/appMembers'
import type { Role } from '../../api/roles'
import { Moment } from '../../components/Moment'
import type { Column } from '../../components/table/columns'
import { useT } from '../../i18n/useT'
import { RoleSelect } from './RoleSelect'
import styles from './members.module.css'

interface MemberColumns {
  roles: Role[]
  /** Whether the user may change this member. */
  isOpen: (member: AppMember) => boolean
  /** The member whose role is being saved. */
  changing: string | null
  onRole: (member: AppMember, role: Role) => void
  onRemove: (member: AppMember) => void
  onExplain: (member: AppMember) => void
}

export function useMemberColumns(props: MemberColumns): Column<AppMember>[] {
  const t = useT()
  return [
    {
      key: 'name',
      title: t('appMember.name'),
      sorts: true,
      heads: true,
      render: (member) => (
        <>
          <bdi>{member.name}</bdi>{' '}
          {member.is_me && <span className={styles.tag}>{t('appMember.me')}</span>}
        </>
      ),
    },
    { key: 'email', title: t('appMember.email'), sorts: true, render: ({ email }) => email },
    {
      key: 'role',
      title: t('appMember.role'),
      sorts: true,
      width: 220,
      render: (member) => <RoleCell member={member} {...props} />,
    },
    {
      key: 'added_at',
      title: t('appMember.added'),
      sorts: true,
      width: 160,
      render: (member) => <Added member={member} />,
    },
    {
      key: 'actions',
      title: t('common.actions'),
      actions: true,
      width: 220,
      render: (member) => <Actions member={member} {...props} />,
    },
  ]
}

function RoleCell({
  member,
  roles,
  isOpen,
  changing,
  onRole,
}: MemberColumns & { member: AppMember }) {
  const t = useT()
  if (member.via === 'organization') {
    return (
      <span className={styles.throughTeam}>
        <span className={styles.tag}>{t(`appMember.via.${member.org_role}`)}</span>
        <span className={styles.soft}>{t('appMember.everything')}</span>
      </span>
    )
  }
  if (!isOpen(member)) return member.role?.name ?? '—'
  return (
    <RoleSelect
      className={styles.role}
      size="small"
      aria-label={t('appMember.roleOf', { name: member.name })}
      roles={roles}
      value={member.role?.id}
      loading={changing === member.user_id}
      disabled={changing === member.user_id}
      onChange={(id) => {
        const role = roles.find((known) => known.id === id)
        if (role) onRole(member, role)
      }}
    />
  )
}

function Added({ member: { added_at, added_by } }: { member: AppMember }) {
  const t = useT()
  if (!added_at) return '—'
  return (
    <>
      <Moment at={added_at} />
      {added_by && (
        <span className={styles.by}>{t('appMember.addedBy', { name: added_by.name })}</span>
      )}
    </>
  )
}

function Actions({ member, isOpen, onRemove, onExplain }: MemberColumns & { member: AppMember }) {
  const t = useT()
  return (
    <span className={styles.actions}>
      <Button
        size="small"
        aria-label={t('access.whyOf', { name: member.name })}
        onClick={() => onExplain(member)}
      >
        {t('access.why')}
      </Button>
      {isOpen(member) && (
        <Button
          size="small"
          danger
          aria-label={t('appMember.removeName', { name: member.name })}
          onClick={() => onRemove(member)}
        >
          {t('appMember.remove')}
        </Button>
      )}
    </span>
  )
}
