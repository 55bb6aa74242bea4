import { useId } from 'react'
import styles from './ChoiceGroup.module.css'

interface Choice<Value extends string> {
  value: Value
  /** The text for screen readers and the tooltip. */
  name: string
  shown: React.ReactNode
}

interface ChoiceGroupProps<Value extends string> {
  label: string
  value: Value
  choices: Choice<Value>[]
  onChoose: (value: Value) => void
}

/** A few exclusive choices side by side. Native radio buttons provide arrow keys and roles. */
export function ChoiceGroup<Value extends string>(props: ChoiceGroupProps<Value>) {
  const name = useId()
  return (
    <div className={styles.group} role="radiogroup" aria-label={props.label}>
      {props.choices.map((choice) => (
        <label key={choice.value} className={styles.choice} title={choice.name}>
          <input
            type="radio"
            className={styles.input}
            name={name}
            value={choice.value}
            aria-label={choice.name}
            checked={choice.value === props.value}
            onChange={() => props.onChoose(choice.value)}
          />
          <span className={styles.shown}>{choice.shown}</span>
        </label>
      ))}
    </div>
  )
}
