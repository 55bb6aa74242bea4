import { ChoiceGroup } from '../../ChoiceGroup'
import { useT } from '../../../i18n/useT'
import styles from './results.module.css'

interface ViewProps<Value extends string> {
  value: Value
  choices: { value: Value; name: string }[]
  onChoose: (value: Value) => void
  /** Shown beside the view switch. */
  beside?: React.ReactNode
  children: React.ReactNode
}

/** One of several views of the same answer. */
export function View<Value extends string>(props: ViewProps<Value>) {
  const { value, choices, onChoose, beside, children } = props
  const t = useT()
  return (
    <div className={styles.result}>
      <div className={styles.views}>
        <ChoiceGroup
          label={t('results.view')}
          value={value}
          choices={choices.map((choice) => ({ ...choice, shown: choice.name }))}
          onChoose={onChoose}
        />
        {beside}
      </div>
      {children}
    </div>
  )
}

export function Nothing() {
  const t = useT()
  return <p className={styles.nothing}>{t('results.nothing')}</p>
}
