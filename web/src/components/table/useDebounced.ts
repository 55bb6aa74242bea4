import { useEffect, useEffectEvent, useState } from 'react'

/** How long the typing must pause before anything is searched. */
const SEARCH_AFTER_MS = 300

/** Runs with a typed text once the typing pauses. Every search field goes through this. */
export function useAfterTyping(text: string, run: (text: string) => void): void {
  const paused = useEffectEvent(run)
  useEffect(() => {
    const timer = setTimeout(() => paused(text), SEARCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text])
}

/** A typed text, once the typing pauses. */
export function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text)
  useAfterTyping(text, setSettled)
  return settled
}
