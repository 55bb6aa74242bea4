import { TextInput, type TextInputProps } from './TextInput'
import styles from './CodeInput.module.css'

export const CODE_LENGTH = 6

interface CodeInputProps extends Omit<TextInputProps, 'onChange' | 'type'> {
  onChange: (code: string) => void
  /** Called once all digits are typed, pasted, or autofilled. */
  onComplete?: (code: string) => void
}

/**
 * Input for an emailed code. One input instead of six: autofill and pasting just work, and screen
 * readers see a single field.
 */
export function CodeInput({ onChange, onComplete, ...props }: CodeInputProps) {
  return (
    <TextInput
      {...props}
      data-secret
      className={styles.code}
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="[0-9]*"
      spellCheck={false}
      onChange={(event) => {
        const code = digitsOf(event.target.value)
        onChange(code)
        if (code.length === CODE_LENGTH && code !== props.value) onComplete?.(code)
      }}
    />
  )
}

/** Some mail programs copy codes as "123 456", "123-456", or full-width digits. */
export function digitsOf(text: string): string {
  return text.normalize('NFKC').replace(/\D/g, '').slice(0, CODE_LENGTH)
}
