/** A team's roles with explanations: a name alone isn't enough to choose by. */
import { useId } from 'react'
import type { OrgRole } from '../../../api/orgs'
import { useT } from '../../../i18n/useT'
import styles from './RoleChoice.module.css'

interface RoleChoiceProps {
  roles: OrgRole[]
  value: OrgRole
  onChange: (role: OrgRole) => void
}

export function RoleChoice({ roles, value, onChange }: RoleChoiceProps) {
  const t = useT()
  const name = useId()
  return (
    <fieldset className={styles.roles}>
      <legend>{t('members.role')}</legend>
      {roles.map((role) => (
        <label key={role} className={styles.role}>
          <input
            type="radio"
            name={name}
            value={role}
            checked={role === value}
            onChange={() => onChange(role)}
          />
          <span>
            <strong>{t(`org.role.${role}`)}</strong>
            <span className={styles.about}>{t(`org.about.${role}`)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
