import { Select } from 'antd'
import { useT } from '../../../i18n/useT'
import { TextInput } from '../../form/TextInput'
import { besideField } from '../../form/TimezoneSelect'
import { EventChoiceField } from '../builder/EventChoiceField'
import { isDays, isTimes, type RuleDraft } from './draft'
import styles from './cohorts.module.css'

type Did = Extract<RuleDraft, { is: 'did' }>

interface DidRowProps {
  number: number
  rule: Did
  onChange: (rule: Did) => void
}

/** What someone did or didn't do, how often, and within how many days. */
export function DidRow({ number, rule, onChange }: DidRowProps) {
  const t = useT()
  const field = (name: 'times' | 'days', isRight: (text: string) => boolean) => (
    <label className={styles.count}>
      <span>{t(`cohorts.${name}.before`)}</span>
      <TextInput
        className={styles.number}
        inputMode="numeric"
        autoComplete="off"
        aria-label={t(`cohorts.${name}`, { number })}
        aria-invalid={!isRight(rule[name])}
        status={isRight(rule[name]) ? '' : 'error'}
        value={rule[name]}
        onChange={({ target }) => onChange({ ...rule, [name]: target.value })}
      />
      <span>{t(`cohorts.${name}.after`)}</span>
    </label>
  )
  return (
    <>
      <div className={styles.row}>
        <Select<'did' | 'not'>
          className={styles.did}
          aria-label={t('cohorts.didOrNot', { number })}
          value={rule.not ? 'not' : 'did'}
          getPopupContainer={besideField}
          options={(['did', 'not'] as const).map((value) => ({
            value,
            label: t(`cohorts.didOrNot.${value}`),
          }))}
          onChange={(chosen) => onChange({ ...rule, not: chosen === 'not' })}
        />
        {field('days', isDays)}
        {field('times', isTimes)}
      </div>
      <EventChoiceField
        label={t('cohorts.event', { number })}
        value={rule.event}
        onChange={(event) => onChange({ ...rule, event })}
      />
    </>
  )
}
