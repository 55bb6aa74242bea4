import { useCallback, useContext, useMemo } from 'react'
// oxlint-disable-next-line no-restricted-imports -- this is what everything else is to use instead
import { UNSAFE_DataRouterContext, useSearchParams } from 'react-router'
import type { NavigateOptions, URLSearchParamsInit } from 'react-router'
import { limitQuery } from '../lib/query'

type Change = URLSearchParamsInit | ((before: URLSearchParams) => URLSearchParams)

/** The URL's query parameters, within the product's limits, and a setter. */
export function useAddressQuery(): [
  URLSearchParams,
  (change: Change, options?: NavigateOptions) => void,
] {
  const [raw, setRaw] = useSearchParams()
  const router = useContext(UNSAFE_DataRouterContext)?.router
  const query = useMemo(() => limitQuery(raw), [raw])
  const change = useCallback(
    (to: Change, options?: NavigateOptions) => {
      if (typeof to !== 'function') return setRaw(to, options)
      // While a busy page renders, the rendered state may lag behind the URL: read the current URL,
      // so a second change adds to the first.
      setRaw(
        (drawn) =>
          to(limitQuery(router ? new URLSearchParams(router.state.location.search) : drawn)),
        options,
      )
    },
    [router, setRaw],
  )
  return [query, change]
}
