import { useT } from '../../i18n/useT'
import type { Strength } from './strength'
import styles from './StrengthMeter.module.css'

const STEPS = [1, 2, 3, 4] as const

/** Four steps and a word. The advice is in the field's hint, which is announced as it changes. */
export function StrengthMeter({ level }: { level: Strength['level'] }) {
  const t = useT()
  const word = level === 0 ? '' : t(`strength.level${level}`)
  return (
    <div className={styles.meter} data-level={level}>
      <div
        className={styles.steps}
        role="meter"
        aria-label={t('strength.label')}
        aria-valuemin={0}
        aria-valuemax={STEPS.length}
        aria-valuenow={level}
        aria-valuetext={word || t('strength.none')}
      >
        {STEPS.map((step) => (
          <span key={step} className={step <= level ? styles.filled : styles.step} />
        ))}
      </div>
      <span className={styles.word} aria-live="polite">
        {word}
      </span>
    </div>
  )
}
