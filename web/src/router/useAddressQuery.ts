import { useCallback, useMemo } from 'react'
// eslint-disable-next-line no-restricted-imports -- this is what everything else is to use instead
import { useSearchParams } from 'react-router'
import type { NavigateOptions, URLSearchParamsInit } from 'react-router'
import { limitQuery } from '../lib/query'

type Change = URLSearchParamsInit | ((before: URLSearchParams) => URLSearchParams)

/** What the address says behind its question mark, within the product's limits, and how to change it. */
export function useAddressQuery(): [
  URLSearchParams,
  (change: Change, options?: NavigateOptions) => void,
] {
  const [raw, setRaw] = useSearchParams()
  const query = useMemo(() => limitQuery(raw), [raw])
  const change = useCallback(
    (to: Change, options?: NavigateOptions) =>
      setRaw(typeof to === 'function' ? (before) => to(limitQuery(before)) : to, options),
    [setRaw],
  )
  return [query, change]
}
