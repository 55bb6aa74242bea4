import { TextInput, type TextInputProps } from './TextInput'
import styles from './CodeInput.module.css'

export const CODE_LENGTH = 6

interface CodeInputProps extends Omit<TextInputProps, 'onChange' | 'type'> {
  onChange: (code: string) => void
  /** All digits are there, typed, pasted or filled in by the browser. */
  onComplete?: (code: string) => void
}

/**
 * The digits of a mailed code. One input rather than six: the browser can fill it in, a screen
 * reader knows it as one thing, and a paste needs no help.
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

/** "123 456", "123-456" and full-width digits all come out of some mail program's copy. */
export function digitsOf(text: string): string {
  return text.normalize('NFKC').replace(/\D/g, '').slice(0, CODE_LENGTH)
}
