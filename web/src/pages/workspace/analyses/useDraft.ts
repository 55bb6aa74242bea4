import { useCallback, useMemo } from 'react'
import { readWritten, writeDraft } from '../../../components/analyses/address'
import type { Draft } from '../../../components/analyses/question'
import { readDraft } from '../../../components/analyses/read'
import { useAddressQuery } from '../../../router/useAddressQuery'

/** In an address, the question that a page of its kind begins with. */
const BEGINNING = '{}'

/**
 * The question on screen is in the address, so that a link asks the same and Back takes a change
 * back. `base` is what is asked where the address says nothing: one that was kept, or a beginning.
 */
export function useDraft(base: Draft): [Draft, (draft: Draft) => void] {
  const [query, setQuery] = useAddressQuery()
  const text = query.get('q')
  const draft = useMemo(() => readWritten(text, base.kind) ?? base, [text, base])
  const change = useCallback(
    (changed: Draft) =>
      setQuery(
        (before) => {
          const next = new URLSearchParams(before)
          // In the order in which it will be read.
          const whole = readDraft(changed, base.kind) ?? changed
          if (JSON.stringify(whole) === JSON.stringify(base)) next.delete('q')
          else next.set('q', writeDraft(whole) || BEGINNING)
          return next
        },
        { preventScrollReset: true },
      ),
    [setQuery, base],
  )
  return [draft, change]
}
