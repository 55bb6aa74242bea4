import { formatRecoveryCode } from '../../lib/recoveryCode'
import { TextInput, type TextInputProps } from './TextInput'
import styles from './CodeInput.module.css'

interface RecoveryCodeInputProps extends Omit<TextInputProps, 'onChange' | 'type'> {
  onChange: (code: string) => void
}

/** Brings what is typed or pasted into the form in which the codes were handed out. */
export function RecoveryCodeInput({ onChange, ...props }: RecoveryCodeInputProps) {
  return (
    <TextInput
      {...props}
      data-secret
      className={styles.recovery}
      autoComplete="off"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      placeholder="xxxxx-xxxxx"
      onChange={({ target }) => {
        // Corrected in the middle it stays as typed: reshaping would move the caret to the end.
        const atEnd =
          target.selectionStart === null || target.selectionStart === target.value.length
        onChange(atEnd ? formatRecoveryCode(target.value) : target.value)
      }}
    />
  )
}
