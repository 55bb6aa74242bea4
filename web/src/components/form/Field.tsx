/** A labeled form input, with its hint and error linked for screen readers. */
import { useId } from 'react'
import {
  useController,
  type Control,
  type FieldPath,
  type FieldValues,
  type UseControllerProps,
} from 'react-hook-form'
import styles from './Field.module.css'

/** The props the input inside a field needs. */
interface FieldInput {
  id: string
  name: string
  value: string
  status: '' | 'error'
  'aria-invalid': boolean
  'aria-describedby'?: string
  ref: (instance: { focus: () => void } | null) => void
  onBlur: () => void
  onChange: (event: unknown) => void
}

interface FieldProps<Values extends FieldValues, Name extends FieldPath<Values>> {
  control: Control<Values>
  name: Name
  label: string
  hint?: string
  rules?: UseControllerProps<Values, Name>['rules']
  children: (input: FieldInput) => React.ReactNode
}

export function Field<Values extends FieldValues, Name extends FieldPath<Values>>(
  props: FieldProps<Values, Name>,
) {
  const { control, name, label, hint, rules, children } = props
  const id = useId()
  const { field, fieldState } = useController({ control, name, rules })
  const error = fieldState.error?.message
  const note = error ?? hint
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({
        ...field,
        id,
        status: error ? 'error' : '',
        'aria-invalid': Boolean(error),
        'aria-describedby': note ? `${id}-note` : undefined,
      })}
      <p id={`${id}-note`} className={error ? styles.error : styles.hint} aria-live="polite">
        {note}
      </p>
    </div>
  )
}
