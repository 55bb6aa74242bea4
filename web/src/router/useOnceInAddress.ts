import { useEffect, useEffectEvent, useState } from 'react'
import { useAddressQuery } from './useAddressQuery'

type Taken<Name extends string> = Record<Name, string | null>

/**
 * One-time URL parameters: removed from the URL immediately, so that neither a reload nor Back
 * repeats them, but kept while the page is mounted. Other parameters stay.
 */
export function useOnceInAddress<Name extends string>(names: readonly Name[]): Taken<Name> {
  const [query, setQuery] = useAddressQuery()
  const read = () => Object.fromEntries(names.map((name) => [name, query.get(name)])) as Taken<Name>
  const [taken, setTaken] = useState(read)
  // The parameter is back, for instance after Back to a cached page.
  const isPresent = names.some((name) => query.has(name))
  const [before, setBefore] = useState(isPresent)
  if (isPresent !== before) {
    setBefore(isPresent)
    if (isPresent) setTaken(read())
  }

  const leaveAddress = useEffectEvent(() =>
    setQuery(
      (shown) => {
        for (const name of names) shown.delete(name)
        return shown
      },
      { replace: true, preventScrollReset: true },
    ),
  )
  useEffect(() => {
    if (isPresent) leaveAddress()
  }, [isPresent])
  return taken
}
