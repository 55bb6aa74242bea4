/** Small facts shared by both kinds of keys. */
import { Moment } from '../../../components/Moment'
import { useT } from '../../../i18n/useT'
import styles from './keys.module.css'

/** Unnamed if the system created it or the account is gone. */
export function By({ person }: { person: { name: string } | null | undefined }) {
  const t = useT()
  return person ? <span className={styles.soft}>{t('keys.by', { name: person.name })}</span> : null
}

interface Used {
  last_used_at?: string | null
  last_used_ip?: string | null
}

export function LastUse({ of: { last_used_at, last_used_ip } }: { of: Used }) {
  const t = useT()
  if (!last_used_at) return <span className={styles.soft}>{t('keys.never')}</span>
  return (
    <>
      <Moment at={last_used_at} />{' '}
      {last_used_ip && <span className={styles.soft}>{t('keys.from', { ip: last_used_ip })}</span>}
    </>
  )
}
