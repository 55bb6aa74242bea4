import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { valuesQuery } from '../../../api/explore'
import { SearchSelect, useTypeahead } from '../../../components/form/SearchSelect'
import { TextInput } from '../../../components/form/TextInput'
import { formatCount } from '../../../components/table/Counted'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { isNumber } from '../../../components/explore/question'
import styles from './explore.module.css'

interface TextValuesProps {
  label: string
  property: string
  event: string | null
  values: string[]
  onChange: (values: string[]) => void
}

/** Any of several, chosen from the most frequent or typed. */
export function TextValues({ label, property, event, values, onChange }: TextValuesProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { app } = useApp()
  const typeahead = useTypeahead()
  const { search, opened } = typeahead
  const suggested = useQuery({
    ...valuesQuery(app.id, { property, event: event ?? undefined, search }),
    enabled: opened && property !== '',
  })
  const options = (suggested.data?.items ?? []).map(({ value }) => ({
    value,
    label: value,
    disabled: false,
  }))
  const other = suggested.data?.other ?? 0
  if (other > 0) {
    const label = t('explore.otherValues', { count: formatCount(other, language) })
    // No app can send this value.
    options.push({ value: '\0other', label, disabled: true })
  }
  return (
    <SearchSelect<string[]>
      typeahead={typeahead}
      found={suggested}
      mode="tags"
      className={styles.values}
      aria-label={label}
      placeholder={t('explore.anyOf')}
      value={values}
      notFoundContent={suggested.error?.message ?? t('explore.typeValue')}
      options={options}
      onChange={onChange}
    />
  )
}

interface NumberValueProps {
  label: string
  value: string
  onChange: (values: string[]) => void
}

/** Asked with once it is typed in full: each digit would be a question of its own. */
export function NumberValue({ label, value, onChange }: NumberValueProps) {
  const [typed, setTyped] = useState(value)
  const [shown, setShown] = useState(value)
  // The address can change otherwise, e.g. by Back.
  if (shown !== value) {
    setShown(value)
    setTyped(value)
  }
  const wrong = typed.trim() !== '' && !isNumber(typed)
  const settle = () => {
    if (typed.trim() !== value && !wrong) onChange(typed.trim() === '' ? [] : [typed.trim()])
  }
  return (
    <TextInput
      className={styles.number}
      inputMode="decimal"
      aria-label={label}
      aria-invalid={wrong}
      status={wrong ? 'error' : ''}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={settle}
      onPressEnter={settle}
    />
  )
}
