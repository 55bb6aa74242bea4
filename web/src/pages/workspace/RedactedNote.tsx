import { LockOutlined } from '@ant-design/icons'
import { useT } from '../../i18n/useT'
import styles from './workspace.module.css'

/** Why some values are missing, and what would show them. */
export function RedactedNote() {
  const t = useT()
  return (
    <p className={styles.note}>
      <LockOutlined aria-hidden />
      <span>{t('properties.redacted')}</span>
    </p>
  )
}
