import { createContext, useContext, useEffect, useId } from 'react'

export interface Failure {
  error: Error
  retrying: boolean
  onRetry: () => void
}

export interface Failures {
  report: (id: string, failure: Failure | null) => void
  /** Whether the page speaks for all of them. */
  gathered: boolean
}

export const FailuresContext = createContext<Failures | null>(null)

/** Tells the page of a failure; true where the page says it, so that its part need not. */
export function useGathered({ error, retrying, onRetry }: Failure): boolean {
  const id = useId()
  const page = useContext(FailuresContext)
  const report = page?.report
  // Anew with every drawing: what is tried again is whatever failed last.
  useEffect(() => report?.(id, { error, retrying, onRetry }))
  useEffect(() => () => report?.(id, null), [report, id])
  return page?.gathered ?? false
}
