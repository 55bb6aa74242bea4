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
  /** Where it is in the question. */
  place?: string
  /** Whose own properties are offered beside those that every event has. */
  events: string[]
  value: string | null
  onChange: (property: string | null) => void
  /** Whether properties of people, to whoever may see those, and cohorts are offered too. */
  people?: boolean
  /** Only those with numbers, where it is known. */
  numeric?: boolean
  placeholder?: string
  clearable?: boolean
}

/**
 * Before a typed name, because the list marks the value that begins with what is typed, and Enter takes it.
 * What begins with a dollar sign is never the name of an event’s own property.
 */
const OTHER = '$other:'

/** For a property of a person, the name is typed beside it. */
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
  // One that the newest events do not carry, or a name inside of another: "cart.total". Not before all
  // others are there, or whoever types a cohort's name fast and presses Enter gets an unknown property.
  const free = typed.trim()
  const isNew = isComplete && free !== '' && ![...builtIns, ...own].includes(free)

  const optionOf = (name: string, text = propertyName(name, t)) => ({
    value: name,
    label: text,
    search: `${name} ${text}`.toLowerCase(),
  })
  const group = (title: string, options: ReturnType<typeof optionOf>[]) =>
    options.length > 0 ? [{ label: title, options }] : []
  // The part of a person's property that a choice can tell; its name is typed.
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
