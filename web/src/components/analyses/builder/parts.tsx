import { useT } from '../../../i18n/useT'
import { ChoiceGroup } from '../../ChoiceGroup'
import type { Draft } from '../question'
import { useFault } from './useFault'
import styles from './builder.module.css'

export interface BuilderProps<Kind extends Draft> {
  draft: Kind
  onChange: (draft: Kind) => void
}

/** A named part of the question. */
export function Part({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div role="group" aria-label={name} className={styles.part}>
      <span className={styles.partName} aria-hidden="true">
        {name}
      </span>
      {children}
    </div>
  )
}

interface ChoiceProps<Value extends string> {
  /** The path in the question. */
  place?: string
  name: string
  value: Value
  choices: readonly (readonly [Value, string])[]
  onChoose: (value: Value) => void
}

export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { place, name, value, choices, onChoose } = props
  const { note } = useFault(place)
  return (
    <div className={styles.part}>
      <span className={styles.partName} aria-hidden="true">
        {name}
      </span>
      <ChoiceGroup
        label={name}
        value={value}
        choices={choices.map(([one, text]) => ({ value: one, name: text, shown: text }))}
        onChoose={onChoose}
      />
      {note}
    </div>
  )
}

export function useUnits() {
  const t = useT()
  return (['day', 'week', 'month'] as const).map((unit) => [unit, t(`range.unit.${unit}`)] as const)
}
