import { ChoiceGroup } from '../ChoiceGroup'
import styles from './ChoiceField.module.css'

interface ChoiceFieldProps<Value extends string> {
  label: string
  value: Value
  choices: { value: Value; name: string }[]
  onChoose: (value: Value) => void
  /** What the choice means. */
  note?: React.ReactNode
}

/** A few exclusive choices as a form field. */
export function ChoiceField<Value extends string>(props: ChoiceFieldProps<Value>) {
  const { label, note, choices, ...group } = props
  return (
    <div className={styles.choice}>
      <span aria-hidden="true">{label}</span>
      <ChoiceGroup
        {...group}
        label={label}
        choices={choices.map(({ value, name }) => ({ value, name, shown: name }))}
      />
      {note !== undefined && (
        <p className={styles.note} aria-live="polite">
          {note}
        </p>
      )}
    </div>
  )
}
