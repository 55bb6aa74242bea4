import { useEffect, useState } from 'react'
import { SEARCH_AFTER_MS } from './SearchBox'

/** A typed text, once the typing pauses. */
export function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SEARCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
