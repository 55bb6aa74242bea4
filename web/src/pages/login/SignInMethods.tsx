/** The ways to sign in. With more than one they become tabs; a way that is not configured is not shown. */
import { useQuery } from '@tanstack/react-query'
import { environmentQuery } from '../../api/environment'
import { useT } from '../../i18n/useT'
import { PasswordSignIn } from './PasswordSignIn'
import styles from './login.module.css'

export function SignInMethods({ search }: { search: string }) {
  const t = useT()
  // Read only: start-up loads it, and without an answer the password form stands on its own.
  const environment = useQuery({ ...environmentQuery, enabled: false }).data
  return (
    <>
      <h1 className={styles.title}>{t('login.title')}</h1>
      <p className={styles.lead}>{t('login.lead')}</p>
      <PasswordSignIn search={search} />
      {environment?.registration === 'invite' && (
        <p className={styles.note}>{t('login.inviteOnly')}</p>
      )}
    </>
  )
}
