/**
 * A select with server-side search. Typing runs ahead of the results: until they arrive, only
 * matching rows are offered, so that Enter picks what was typed or nothing.
 */
import { Select, type SelectProps } from 'antd'
import { useState } from 'react'
import { useDebounced } from '../table/useDebounced'
import { besideField } from './TimezoneSelect'

export interface SearchOption {
  value: string
  label: string
  disabled?: boolean
}

export interface Typeahead {
  typed: string
  type: (text: string) => void
  /** What to ask the server for, after typing pauses. */
  search: string | undefined
  /** Whether the list has been opened; nothing is requested before. */
  opened: boolean
  open: () => void
}

export function useTypeahead(): Typeahead {
  const [typed, type] = useState('')
  const [opened, setOpened] = useState(false)
  const search = useDebounced(typed.trim()) || undefined
  return { typed, type, search, opened, open: () => setOpened(true) }
}

/** Ignores width, case, and accents. */
const plain = (text: string) => text.normalize('NFKC').toLocaleLowerCase()

const matches = (text: string, typed: string) => plain(text).includes(plain(typed.trim()))

/** Moves an exact match to the top, because Enter picks the first option. */
function exactFirst(options: readonly SearchOption[], typed: string): SearchOption[] {
  const isExact = ({ label }: SearchOption) => plain(label) === plain(typed.trim())
  return [...options].sort((a, b) => Number(isExact(b)) - Number(isExact(a)))
}

interface Found {
  isFetching: boolean
  isPlaceholderData: boolean
}

interface SearchSelectProps<Value extends string | string[]> extends Omit<
  SelectProps<Value, SearchOption>,
  'showSearch' | 'options' | 'filterOption' | 'loading'
> {
  typeahead: Typeahead
  /** The query that searches for `typeahead.search`. */
  found: Found
  options: readonly SearchOption[]
}

export function SearchSelect<Value extends string | string[]>({
  typeahead,
  found,
  options,
  onOpenChange,
  onChange,
  ...props
}: SearchSelectProps<Value>) {
  const { typed, search, type } = typeahead
  const answered = (search ?? '') === typed.trim() && !found.isPlaceholderData
  return (
    <Select<Value, SearchOption>
      {...props}
      loading={found.isFetching}
      getPopupContainer={besideField}
      showSearch={{
        // The server may find rows by criteria only it knows.
        filterOption: (text, option) => answered || matches(option?.label ?? '', text),
        onSearch: type,
      }}
      options={exactFirst(options, typed)}
      onOpenChange={(open) => {
        if (open) typeahead.open()
        else type('')
        onOpenChange?.(open)
      }}
      onChange={(value, option) => {
        type('')
        onChange?.(value, option)
      }}
    />
  )
}
