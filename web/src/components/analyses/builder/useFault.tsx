import { createContext, useContext, useId } from 'react'
import { NO_FAULTS } from '../faults'
import styles from './builder.module.css'

/** What the server found wrong with the question, by place. */
export const FaultsContext = createContext(NO_FAULTS)

interface Fault {
  /** For the field itself. */
  field: { status?: 'error'; 'aria-invalid'?: true; 'aria-describedby'?: string }
  /** For below it. */
  note: React.ReactNode
}

export function useFault(place: string | undefined): Fault {
  const id = useId()
  const text = useContext(FaultsContext).get(place ?? '')
  if (text === undefined) return { field: {}, note: null }
  return {
    field: { status: 'error', 'aria-invalid': true, 'aria-describedby': id },
    note: (
      <p id={id} className={styles.fault}>
        {text}
      </p>
    ),
  }
}
