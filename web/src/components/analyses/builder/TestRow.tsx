import { Select } from 'antd'
import type { Operator, Test } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { besideField } from '../../form/TimezoneSelect'
import {
  NO_VALUE,
  NUMERIC,
  operatorsFor,
  profileOf,
  TIMED,
  withOperator,
  withProperty,
} from '../filters'
import { PropertyPicker } from './PropertyPicker'
import { TypedText } from './TypedText'
import { kindOf, useKnownProperties } from './useKnownProperties'
import { useFault } from './useFault'
import { NumberValue, TextValues, TimeValue, YesNoValue } from './Values'
import styles from './builder.module.css'

interface TestRowProps {
  /** The path in the question. */
  place?: string
  /** The test's number, used to label its fields. */
  number: number | string
  events: string[]
  test: Test
  onChange: (test: Test) => void
}

export function TestRow({ place, number, events, test, onChange }: TestRowProps) {
  const t = useT()
  const fault = useFault(place && `${place}.operator`)
  const { property, operator } = test
  const kind = kindOf(property, useKnownProperties(events).known)
  const profile = profileOf(property)
  const offered = operatorsFor(kind)
  const operators = offered.includes(operator) ? offered : [...offered, operator]
  return (
    <>
      <PropertyPicker
        people
        place={place && `${place}.property`}
        label={t('analyses.filterProperty', { number })}
        events={events}
        value={property}
        onChange={(chosen) => chosen && onChange(withProperty(test, chosen))}
      />
      {profile && (
        <TypedText
          className={styles.name}
          aria-label={t('analyses.profileName', { number })}
          placeholder={t('analyses.profileNameHint')}
          value={property.slice(profile.length)}
          onChange={(name) => onChange({ ...test, property: `${profile}${name}` })}
        />
      )}
      <Select<Operator>
        {...fault.field}
        className={styles.operator}
        aria-label={t('analyses.filterOperator', { number })}
        value={operator}
        popupMatchSelectWidth={false}
        getPopupContainer={besideField}
        options={operators.map((value) => ({
          value,
          label:
            kind === 'cohort' && (value === 'is' || value === 'is_not')
              ? t(`analyses.member.${value}`)
              : t(`analyses.operator.${value}`),
        }))}
        onChange={(chosen) => onChange(withOperator(test, chosen))}
      />
      {fault.note}
      {kind !== 'cohort' && !NO_VALUE.includes(operator) && (
        <Value
          place={place && `${place}.values`}
          label={t('analyses.filterValue', { number })}
          isBoolean={kind === 'boolean'}
          events={events}
          test={test}
          onChange={(changed) => onChange({ ...test, values: changed })}
        />
      )}
    </>
  )
}

interface ValueProps {
  place?: string
  label: string
  isBoolean: boolean
  events: string[]
  test: Test
  onChange: (values: string[]) => void
}

function Value({ place, label, isBoolean, events, test, onChange }: ValueProps) {
  const { property, operator, values } = test
  const shared = { place, label, values, onChange }
  if (NUMERIC.includes(operator)) {
    return <NumberValue {...shared} />
  }
  if (TIMED.includes(operator)) return <TimeValue {...shared} />
  if (isBoolean) return <YesNoValue {...shared} />
  return <TextValues {...shared} property={property} events={events} />
}
