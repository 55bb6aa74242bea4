import { useState } from 'react'
import { TextInput, type TextInputProps } from '../../form/TextInput'
import { useAfterTyping } from '../../table/useDebounced'

interface TypedTextProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string
  /** Whether the text is valid; invalid text is never sent. */
  isRight?: (text: string) => boolean
  onChange: (text: string) => void
}

/** Applies the text when typing pauses. Follows the URL if it changes otherwise, e.g. on Back. */
export function TypedText(given: TypedTextProps) {
  const { value, isRight = () => true, onChange, ...props } = given
  const [typed, setTyped] = useState(value)
  const [shown, setShown] = useState(value)
  if (shown !== value) {
    setShown(value)
    // Newer typing takes precedence over the URL it led to.
    if (typed.trim() !== value) setTyped(value)
  }
  const wrong = !isRight(typed.trim())
  const settle = (text: string) => {
    const wanted = text.trim()
    if (wanted !== value && isRight(wanted)) onChange(wanted)
  }
  useAfterTyping(typed, settle)
  return (
    <TextInput
      autoComplete="off"
      spellCheck={false}
      {...props}
      aria-invalid={wrong || props['aria-invalid']}
      status={wrong ? 'error' : props.status}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onPressEnter={() => settle(typed)}
    />
  )
}
