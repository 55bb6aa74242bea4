import { useCallback, useMemo } from 'react'
import { useAddressQuery } from '../../../router/useAddressQuery'
import { readQuestion, writeQuestion, type Question } from '../../../components/explore/question'

/** The question is in the address, so that a link asks the same. */
export function useQuestion(): [Question, (change: Partial<Question>) => void] {
  const [query, setQuery] = useAddressQuery()
  const question = useMemo(() => readQuestion(query), [query])
  const change = useCallback(
    (changed: Partial<Question>) =>
      setQuery((before) => writeQuestion(before, { ...readQuestion(before), ...changed }), {
        preventScrollReset: true,
      }),
    [setQuery],
  )
  return [question, change]
}
