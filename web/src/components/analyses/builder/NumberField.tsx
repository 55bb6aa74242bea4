import { TypedText } from './TypedText'
import styles from './builder.module.css'

interface NumberFieldProps {
  label: string
  value: number
  least: number
  most: number
  onChange: (value: number) => void
}

/** A whole number within limits; what is beyond them is marked and not asked with. */
export function NumberField({ label, value, least, most, onChange }: NumberFieldProps) {
  const fits = (text: string) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most
  return (
    <TypedText
      className={styles.number}
      inputMode="numeric"
      aria-label={label}
      title={`${least} – ${most}`}
      value={String(value)}
      isRight={fits}
      onChange={(text) => onChange(Number(text))}
    />
  )
}
