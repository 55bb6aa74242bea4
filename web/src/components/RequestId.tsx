import { useT } from '../i18n/useT'
import { CopyButton } from './CopyButton'
import styles from './RequestId.module.css'

/** The ID to quote when asking about a failure. */
export function RequestId({ id }: { id: string }) {
  const t = useT()
  return (
    <span className={styles.id}>
      {t('error.requestId', { id })}
      <CopyButton compact text={id}>
        {t('error.copyId')}
      </CopyButton>
    </span>
  )
}
