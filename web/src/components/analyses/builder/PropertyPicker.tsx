import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import { cohortChoicesQuery } from '../../../api/analyses'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { besideField } from '../../form/TimezoneSelect'
import { COHORT, isCohort, PROFILES, profileOf } from '../filters'
import { BUILT_INS, PERSONAL_BUILT_INS, propertyName } from '../properties'
import { useCohortNames } from '../useCohortNames'
import { useKnownProperties } from './useKnownProperties'
import { useFault } from './useFault'
import styles from './builder.module.css'

interface PropertyPickerProps {
  label: string
  /** The path in the question. */
  place?: string
  /** The events whose own properties are offered, besides the common ones. */
  events: string[]
  value: string | null
  onChange: (property: string | null) => void
  /** Whether to also offer cohorts and, with permission, user properties. */
  people?: boolean
  /** Only numeric properties, if known. */
  numeric?: boolean
  placeholder?: string
  clearable?: boolean
}

/**
 * Prefixes typed names: the list marks the first value that starts with the typed text, and Enter
 * picks it. Event properties never start with a dollar sign.
 */
const OTHER = '$other:'

/** For a user property, the name is typed beside it. */
export function PropertyPicker(props: PropertyPickerProps) {
  const { label, events, value, onChange, people = false, numeric = false, clearable } = props
  const t = useT()
  const fault = useFault(props.place)
  const { app, may } = useApp()
  const [typed, setTyped] = useState('')
  const [opened, setOpened] = useState(false)
  const names = useCohortNames(value !== null && isCohort(value))
  const cohorts = useQuery({ ...cohortChoicesQuery(app.id), enabled: people && opened })
  const { known, isLoading } = useKnownProperties(events)
  const isComplete = !isLoading && !cohorts.isLoading

  const builtIns = numeric
    ? []
    : BUILT_INS.filter((name) => may('profile:pii') || !PERSONAL_BUILT_INS.includes(name))
  const own = known
    .filter(({ types }) => !numeric || types.some(({ type }) => type === 'number'))
    .map(({ property }) => property)
  // Offers a property that recent events don't carry, or a nested name such as "cart.total". Wait
  // until all others have loaded; otherwise quickly typing a cohort's name and pressing Enter would
  // pick an unknown property.
  const free = typed.trim()
  const isNew = isComplete && free !== '' && ![...builtIns, ...own].includes(free)

  const optionOf = (name: string, text = propertyName(name, t)) => ({
    value: name,
    label: text,
    search: `${name} ${text}`.toLowerCase(),
  })
  const group = (title: string, options: ReturnType<typeof optionOf>[]) =>
    options.length > 0 ? [{ label: title, options }] : []
  // For a user property, the list shows only its kind; the name is typed.
  const shown = value === null || value === '' ? undefined : (profileOf(value) ?? value)
  return (
    <>
      <Select
        {...fault.field}
        aria-label={label}
        className={styles.picker}
        allowClear={clearable}
        placeholder={props.placeholder ?? t('analyses.chooseProperty')}
        value={shown}
        loading={opened && !isComplete}
        notFoundContent={isComplete ? undefined : t('common.loading')}
        popupMatchSelectWidth={false}
        getPopupContainer={besideField}
        showSearch={{
          onSearch: setTyped,
          filterOption: (text, option) =>
            option !== undefined &&
            'search' in option &&
            String(option.search).includes(text.trim().toLowerCase()),
        }}
        labelRender={({ value: chosen }) => propertyName(String(chosen), t, names)}
        options={[
          ...group(
            t('analyses.ownProperties'),
            own.map((name) => optionOf(name)),
          ),
          ...group(
            t('analyses.builtIns'),
            builtIns.map((name) => optionOf(name)),
          ),
          ...(people && may('profile:view')
            ? group(
                t('analyses.profiles'),
                PROFILES.map((name) => optionOf(name)),
              )
            : []),
          ...(people
            ? group(
                t('analyses.cohorts'),
                (cohorts.data ?? []).map(({ id, name }) => optionOf(`${COHORT}${id}`, name)),
              )
            : []),
          ...(isNew ? group(t('analyses.otherProperty'), [optionOf(OTHER + free, free)]) : []),
        ]}
        onOpenChange={(open) => {
          if (open) setOpened(true)
          else setTyped('')
        }}
        onChange={(chosen: string | undefined) =>
          onChange(chosen?.startsWith(OTHER) ? chosen.slice(OTHER.length) : (chosen ?? null))
        }
      />
      {fault.note}
    </>
  )
}
