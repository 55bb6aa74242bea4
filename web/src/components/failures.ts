import { createContext, useContext, useEffect, useId } from 'react'

export interface Failure {
  error: Error
  retrying: boolean
  onRetry: () => void
}

export interface Failures {
  report: (id: string, failure: Failure | null) => void
  /** Whether the page reports all failures together. */
  gathered: boolean
}

export const FailuresContext = createContext<Failures | null>(null)

/** Reports a failure to the page; true if the page shows it, so that the part doesn't have to. */
export function useGathered({ error, retrying, onRetry }: Failure): boolean {
  const id = useId()
  const page = useContext(FailuresContext)
  const report = page?.report
  // Runs on every render, so a retry applies to whatever failed last.
  useEffect(() => report?.(id, { error, retrying, onRetry }))
  useEffect(() => () => report?.(id, null), [report, id])
  return page?.gathered ?? false
}
