import { Select } from 'antd'
import type { Operator } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { TextInput } from '../../form/TextInput'
import { besideField } from '../../form/TimezoneSelect'
import { TextValues, TimeValue } from '../builder/Values'
import { isNumber, NO_VALUE, NUMERIC, OPERATORS, PROFILES, TIMED, withOperator } from '../filters'
import { profileOf } from '../filters'
import type { RuleDraft } from './draft'
import styles from './cohorts.module.css'

type Profile = Extract<RuleDraft, { is: 'profile' }>

interface ProfileRowProps {
  number: number
  rule: Profile
  onChange: (rule: Profile) => void
}

const KINDS = { '$user:': 'user', '$device:': 'device' } as const

/** A property of the user or of their device. */
export function ProfileRow({ number, rule, onChange }: ProfileRowProps) {
  const t = useT()
  const { property, operator, values } = rule
  const profile = profileOf(property) ?? '$user:'
  const name = property.slice(profile.length)
  const label = t('cohorts.propertyValue', { number })
  const wrong = values.length > 0 && !isNumber(values[0]!)
  return (
    <div className={styles.row}>
      <Select<(typeof PROFILES)[number]>
        className={styles.did}
        aria-label={t('cohorts.profile', { number })}
        value={profile}
        getPopupContainer={besideField}
        options={PROFILES.map((value) => ({ value, label: t(`cohorts.profile.${KINDS[value]}`) }))}
        onChange={(chosen) => onChange({ ...rule, property: `${chosen}${name}` })}
      />
      <TextInput
        className={styles.name}
        autoComplete="off"
        spellCheck={false}
        aria-label={t('cohorts.propertyName', { number })}
        placeholder={t('cohorts.propertyNameHint')}
        value={name}
        onChange={({ target }) =>
          onChange({ ...rule, property: `${profile}${target.value.trim()}` })
        }
      />
      <Select<Operator>
        className={styles.did}
        aria-label={t('cohorts.propertyTest', { number })}
        value={operator}
        popupMatchSelectWidth={false}
        getPopupContainer={besideField}
        options={OPERATORS.map((value) => ({ value, label: t(`analyses.operator.${value}`) }))}
        onChange={(chosen) => onChange({ ...withOperator(rule, chosen), is: 'profile' })}
      />
      {NUMERIC.includes(operator) ? (
        <TextInput
          className={styles.number}
          inputMode="decimal"
          autoComplete="off"
          aria-label={label}
          aria-invalid={wrong}
          status={wrong ? 'error' : ''}
          value={values[0] ?? ''}
          onChange={({ target: { value } }) =>
            onChange({ ...rule, values: value === '' ? [] : [value] })
          }
        />
      ) : (
        !NO_VALUE.includes(operator) &&
        (TIMED.includes(operator) ? (
          <TimeValue
            label={label}
            values={values}
            onChange={(chosen) => onChange({ ...rule, values: chosen })}
          />
        ) : (
          <TextValues
            label={label}
            property={property}
            events={[]}
            values={values}
            onChange={(chosen) => onChange({ ...rule, values: chosen })}
          />
        ))
      )}
    </div>
  )
}
