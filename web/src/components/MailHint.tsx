import { useT } from '../i18n/useT'
import { useEnvironment } from '../session/useEnvironment'
import styles from './MailHint.module.css'

/** Without a mail server nothing arrives: says where the mails are instead. */
export function MailHint() {
  const t = useT()
  if (useEnvironment()?.mail_configured !== false) return null
  return <p className={styles.hint}>{t('mail.notConfigured')}</p>
}
