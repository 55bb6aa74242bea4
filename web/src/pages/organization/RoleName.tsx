import type { OrgRole } from '../../api/orgs'
import { useT } from '../../i18n/useT'
import styles from './organization.module.css'

export function RoleName({ role }: { role: OrgRole }) {
  const t = useT()
  return <span className={`${styles.tag} ${styles[role] ?? ''}`}>{t(`org.role.${role}`)}</span>
}
