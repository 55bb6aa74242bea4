import { createContext, useContext, useId } from 'react'
import { NO_FAULTS } from '../faults'
import styles from './builder.module.css'

/** The server's errors about the question, by path. */
export const FaultsContext = createContext(NO_FAULTS)

interface Fault {
  /** Props for the field itself. */
  field: { status?: 'error'; 'aria-invalid'?: true; 'aria-describedby'?: string }
  /** Shown below the field. */
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
