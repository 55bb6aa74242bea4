import { useState } from 'react'
import { TextInput, type TextInputProps } from '../../form/TextInput'
import { useAfterTyping } from '../../table/useDebounced'

interface TypedTextProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string
  /** Whether it makes sense as it stands; nothing is asked with what does not. */
  isRight?: (text: string) => boolean
  onChange: (text: string) => void
}

/** Asks when the typing pauses. Follows the address where that changes otherwise, e.g. by Back. */
export function TypedText(given: TypedTextProps) {
  const { value, isRight = () => true, onChange, ...props } = given
  const [typed, setTyped] = useState(value)
  const [shown, setShown] = useState(value)
  if (shown !== value) {
    setShown(value)
    // What was typed since is newer than the address that it led to.
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
