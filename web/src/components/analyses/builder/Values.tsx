import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { valuesQuery } from '../../../api/catalog'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { SearchSelect, useTypeahead } from '../../form/SearchSelect'
import { besideField } from '../../form/TimezoneSelect'
import { formatCount } from '../../table/Counted'
import { isNumber, isTime, profileOf } from '../filters'
import { TypedText } from './TypedText'
import { useFault } from './useFault'
import styles from './builder.module.css'

interface ValuesProps {
  /** The path in the question. */
  place?: string
  label: string
  values: string[]
  onChange: (values: string[]) => void
}

interface TextValuesProps extends ValuesProps {
  property: string
  events: string[]
}

/** One or more values, picked from the most frequent or typed. */
export function TextValues(props: TextValuesProps) {
  const { place, label, property, events, values, onChange } = props
  const fault = useFault(place)
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { app } = useApp()
  const typeahead = useTypeahead()
  const { search, opened } = typeahead
  const event = events.length === 1 ? events[0] : undefined
  const suggested = useQuery({
    ...valuesQuery(app.id, { property, event, search }),
    // Values of user properties aren't counted.
    enabled: opened && property !== '' && !profileOf(property),
  })
  const options = (suggested.data?.items ?? []).map(({ value }) => ({
    value,
    label: value,
    disabled: false,
  }))
  const other = suggested.data?.other ?? 0
  if (other > 0) {
    const text = t('analyses.otherValues', { count: formatCount(other, language) })
    // No app can send this value.
    options.push({ value: '\0other', label: text, disabled: true })
  }
  return (
    <>
      <SearchSelect<string[]>
        {...fault.field}
        typeahead={typeahead}
        found={suggested}
        mode="tags"
        className={styles.values}
        aria-label={label}
        placeholder={t('analyses.anyOf')}
        value={values}
        notFoundContent={suggested.error?.message ?? t('analyses.typeValue')}
        options={options}
        onChange={onChange}
      />
      {fault.note}
    </>
  )
}

export function NumberValue({ place, label, values, onChange }: ValuesProps) {
  const fault = useFault(place)
  return (
    <>
      <TypedText
        {...fault.field}
        className={styles.number}
        inputMode="decimal"
        aria-label={label}
        value={values[0] ?? ''}
        isRight={(text) => text === '' || isNumber(text)}
        onChange={(text) => onChange(text === '' ? [] : [text])}
      />
      {fault.note}
    </>
  )
}

export function TimeValue({ place, label, values, onChange }: ValuesProps) {
  const t = useT()
  const fault = useFault(place)
  return (
    <>
      <TypedText
        {...fault.field}
        className={styles.values}
        aria-label={label}
        placeholder={t('analyses.timeHint')}
        value={values[0] ?? ''}
        isRight={(text) => text === '' || isTime(text)}
        onChange={(text) => onChange(text === '' ? [] : [text])}
      />
      {fault.note}
    </>
  )
}

export function YesNoValue({ place, label, values, onChange }: ValuesProps) {
  const t = useT()
  const fault = useFault(place)
  return (
    <>
      <Select<string>
        {...fault.field}
        className={styles.number}
        aria-label={label}
        value={values[0]}
        getPopupContainer={besideField}
        options={[
          { value: 'true', label: t('analyses.yes') },
          { value: 'false', label: t('analyses.no') },
        ]}
        onChange={(value) => onChange([value])}
      />
      {fault.note}
    </>
  )
}
