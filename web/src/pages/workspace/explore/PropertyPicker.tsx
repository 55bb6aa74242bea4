import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import { eventPropertiesQuery } from '../../../api/catalog'
import { BUILT_INS, PERSONAL_BUILT_INS } from '../../../api/explore'
import { besideField } from '../../../components/form/TimezoneSelect'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { propertyName } from './propertyName'
import styles from './explore.module.css'

interface PropertyPickerProps {
  id?: string
  label?: string
  /** Whose own properties are offered beside those that every event has. */
  event: string | null
  value: string | null
  placeholder: string
  onChange: (property: string | null) => void
  clearable?: boolean
}

export function PropertyPicker(props: PropertyPickerProps) {
  const { id, label, event, value, placeholder, onChange, clearable } = props
  const t = useT()
  const { app, may } = useApp()
  const [typed, setTyped] = useState('')
  const known = useQuery({
    ...eventPropertiesQuery(app.id, event ?? ''),
    enabled: event !== null && may('event:view'),
  })
  const seesPeople = may('profile:pii')
  const builtIns = BUILT_INS.filter((name) => seesPeople || !PERSONAL_BUILT_INS.includes(name))
  const own = (known.data?.items ?? [])
    .filter(({ personal }) => seesPeople || !personal)
    .map(({ property }) => property)
  // One that the newest events do not carry, or a name inside of another: "cart.total".
  const free = typed.trim()
  const isNew = free !== '' && ![...builtIns, ...own].includes(free)

  const optionOf = (name: string) => ({
    value: name,
    label: propertyName(name, t),
    search: `${name} ${propertyName(name, t)}`.toLowerCase(),
  })
  return (
    <Select
      id={id}
      aria-label={label}
      className={styles.picker}
      allowClear={clearable}
      placeholder={placeholder}
      value={value === null || value === '' ? undefined : value}
      popupMatchSelectWidth={false}
      getPopupContainer={besideField}
      showSearch={{
        onSearch: setTyped,
        filterOption: (text, option) =>
          option !== undefined &&
          'search' in option &&
          String(option.search).includes(text.trim().toLowerCase()),
      }}
      labelRender={({ value: chosen }) => propertyName(String(chosen), t)}
      options={[
        ...(own.length > 0
          ? [{ label: t('explore.ownProperties'), options: own.map(optionOf) }]
          : []),
        { label: t('explore.builtIns'), options: builtIns.map(optionOf) },
        ...(isNew ? [{ label: t('explore.otherProperty'), options: [optionOf(free)] }] : []),
      ]}
      onOpenChange={(open) => !open && setTyped('')}
      onChange={(chosen: string | undefined) => onChange(chosen ?? null)}
    />
  )
}
