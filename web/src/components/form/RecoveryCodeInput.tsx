import { formatRecoveryCode } from '../../lib/recoveryCode'
import { TextInput, type TextInputProps } from './TextInput'
import styles from './CodeInput.module.css'

interface RecoveryCodeInputProps extends Omit<TextInputProps, 'onChange' | 'type'> {
  onChange: (code: string) => void
}

/** Formats what is typed or pasted the way recovery codes are printed. */
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
        // Edits in the middle stay as typed: reformatting would move the cursor to the end.
        const atEnd =
          target.selectionStart === null || target.selectionStart === target.value.length
        onChange(atEnd ? formatRecoveryCode(target.value) : target.value)
      }}
    />
  )
}
