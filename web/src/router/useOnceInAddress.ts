import { useEffect, useEffectEvent, useState } from 'react'
import { useAddressQuery } from './useAddressQuery'

type Taken<Name extends string> = Record<Name, string | null>

/**
 * What an address says once: it is taken out at once, so that neither a reload nor Back says it
 * again, and kept for as long as the page is there. The rest of the address stays.
 */
export function useOnceInAddress<Name extends string>(names: readonly Name[]): Taken<Name> {
  const [query, setQuery] = useAddressQuery()
  const read = () => Object.fromEntries(names.map((name) => [name, query.get(name)])) as Taken<Name>
  const [taken, setTaken] = useState(read)
  // Said anew, for instance by Back to a page that the browser had kept.
  const said = names.some((name) => query.has(name))
  const [before, setBefore] = useState(said)
  if (said !== before) {
    setBefore(said)
    if (said) setTaken(read())
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
    if (said) leaveAddress()
  }, [said])
  return taken
}
