import { SubmitButton } from './SubmitButton'
import styles from './SaveRow.module.css'

interface SaveRowProps {
  label: string
  sending: boolean
  retryAt?: number | null
  disabled?: boolean
  /** The message once saved; empty before. */
  saved: string
}

/** The end of a form on a page with several: its button, and the success message beside it. */
export function SaveRow({ label, sending, retryAt, disabled, saved }: SaveRowProps) {
  return (
    <div className={styles.row}>
      <SubmitButton sending={sending} retryAt={retryAt} disabled={disabled}>
        {label}
      </SubmitButton>
      <p className={styles.saved} role="status">
        {saved}
      </p>
    </div>
  )
}
