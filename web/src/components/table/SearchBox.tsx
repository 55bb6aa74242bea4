import { SearchOutlined } from '@ant-design/icons'
import { useState } from 'react'
import { TextInput } from '../form/TextInput'
import { useAfterTyping } from './useDebounced'

interface SearchBoxProps {
  label: string
  value: string | undefined
  onSearch: (text: string | undefined) => void
  className?: string
}

/** Searches when typing pauses. Follows the URL if it changes otherwise, e.g. on Back. */
export function SearchBox({ label, value = '', onSearch, className }: SearchBoxProps) {
  const [typed, setTyped] = useState(value)
  const [shown, setShown] = useState(value)
  if (shown !== value) {
    setShown(value)
    // Newer typing takes precedence over the URL it led to.
    if (typed.trim() !== value) setTyped(value)
  }

  useAfterTyping(typed, (text) => {
    const wanted = text.trim()
    if (wanted !== value) onSearch(wanted || undefined)
  })

  return (
    <TextInput
      className={className}
      type="search"
      value={typed}
      aria-label={label}
      placeholder={label}
      prefix={<SearchOutlined aria-hidden />}
      onChange={({ target }) => setTyped(target.value)}
    />
  )
}
