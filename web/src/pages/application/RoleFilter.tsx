import { Select } from 'antd'
import type { Role } from '../../api/roles'
import { useT } from '../../i18n/useT'
import styles from './members.module.css'

interface RoleFilterProps {
  roles: Role[]
  value: string | undefined
  onChange: (roleId: string | undefined) => void
}

export function RoleFilter({ roles, value, onChange }: RoleFilterProps) {
  const t = useT()
  if (roles.length === 0) return null
  return (
    <Select<string>
      className={styles.filter}
      aria-label={t('appMember.roleFilter')}
      placeholder={t('appMember.anyRole')}
      allowClear
      value={value}
      options={roles.map(({ id, name }) => ({ value: id, label: name }))}
      getPopupContainer={(select: HTMLElement) => select.parentElement ?? document.body}
      onChange={(chosen: string | undefined) => onChange(chosen)}
    />
  )
}
