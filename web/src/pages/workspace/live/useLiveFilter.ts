import { OUTCOMES } from '../../../api/live'
import { useAddressQuery } from '../../../router/useAddressQuery'
import type { LiveFilter } from './rows'

/** In the URL, as everywhere, but without history entries. */
export function useLiveFilter(): [LiveFilter, (change: LiveFilter) => void] {
  const [query, setQuery] = useAddressQuery()
  const filter: LiveFilter = {
    text: query.get('search') || undefined,
    outcome: OUTCOMES.find((outcome) => outcome === query.get('outcome')),
  }
  const change = (changed: LiveFilter) => {
    const { text, outcome } = { ...filter, ...changed }
    const next = Object.entries({ search: text, outcome }).filter(([, value]) => value)
    setQuery(next as [string, string][], { replace: true, preventScrollReset: true })
  }
  return [filter, change]
}
