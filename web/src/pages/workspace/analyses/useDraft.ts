import { useCallback, useMemo } from 'react'
import { readWritten, writeDraft } from '../../../components/analyses/address'
import type { Draft } from '../../../components/analyses/question'
import { readDraft } from '../../../components/analyses/read'
import { useAddressQuery } from '../../../router/useAddressQuery'

/** How the URL stores the default question. */
const DEFAULT_QUESTION = '{}'

/**
 * The question on screen is in the URL, so links reproduce it and Back undoes a change. `base` is
 * used if the URL has none: a saved analysis or the default.
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
          // Reading it back normalizes the order of its keys.
          const whole = readDraft(changed, base.kind) ?? changed
          if (JSON.stringify(whole) === JSON.stringify(base)) next.delete('q')
          else next.set('q', writeDraft(whole) || DEFAULT_QUESTION)
          return next
        },
        { preventScrollReset: true },
      ),
    [setQuery, base],
  )
  return [draft, change]
}
