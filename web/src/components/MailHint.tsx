import { useT } from '../i18n/useT'
import { useNoMail } from './useMailT'
import styles from './MailHint.module.css'

/** Without a mail server nothing arrives; says where to find the emails instead. */
export function MailHint() {
  const t = useT()
  if (!useNoMail()) return null
  return <p className={styles.hint}>{t('mail.notConfigured')}</p>
}
