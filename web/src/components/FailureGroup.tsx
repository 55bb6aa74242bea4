/**
 * Wraps the parts of a page that load on their own. If several of them fail, the page shows one
 * retry at its top instead of one in each part; a single failure stays where it belongs.
 */
import { useCallback, useMemo, useState } from 'react'
import { FailuresContext, type Failure } from './failures'
import { FailureNotice } from './LoadFailure'

export function FailureGroup({ children }: { children: React.ReactNode }) {
  const [failures, setFailures] = useState<ReadonlyMap<string, Failure>>(new Map())
  const report = useCallback(
    (id: string, failure: Failure | null) =>
      setFailures((before) => {
        const after = new Map(before)
        if (failure) after.set(id, failure)
        else after.delete(id)
        return after
      }),
    [],
  )
  const gathered = failures.size > 1
  const page = useMemo(() => ({ report, gathered }), [report, gathered])
  const all = [...failures.values()]
  return (
    <FailuresContext value={page}>
      {gathered && (
        <FailureNotice
          error={all[0]!.error}
          retrying={all.some(({ retrying }) => retrying)}
          onRetry={() => all.forEach(({ onRetry }) => onRetry())}
        />
      )}
      {children}
    </FailuresContext>
  )
}
