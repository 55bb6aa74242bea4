import { useEffect, useEffectEvent, useState } from 'react'

/** How long typing must pause before searching. */
const SEARCH_AFTER_MS = 300

/** Runs with the text once typing pauses. All search fields use this. */
export function useAfterTyping(text: string, run: (text: string) => void): void {
  const paused = useEffectEvent(run)
  useEffect(() => {
    const timer = setTimeout(() => paused(text), SEARCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text])
}

/** The text, updated once typing pauses. */
export function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text)
  useAfterTyping(text, setSettled)
  return settled
}
