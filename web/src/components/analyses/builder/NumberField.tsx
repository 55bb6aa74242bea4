import { TypedText } from './TypedText'
import { useFault } from './useFault'
import styles from './builder.module.css'

interface NumberFieldProps {
  label: string
  value: number
  least: number
  most: number
  /** The path in the question. */
  place: string
  onChange: (value: number) => void
}

/** A whole number within limits; an invalid one is marked and not sent. */
export function NumberField({ label, value, least, most, place, onChange }: NumberFieldProps) {
  const fault = useFault(place)
  const fits = (text: string) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most
  return (
    <>
      <TypedText
        {...fault.field}
        className={styles.number}
        inputMode="numeric"
        aria-label={label}
        title={`${least} – ${most}`}
        value={String(value)}
        isRight={fits}
        onChange={(text) => onChange(Number(text))}
      />
      {fault.note}
    </>
  )
}
