import { useEffect, useState } from 'react'
import { keepWatching } from '../live/keepWatching'

/** The name of the first event to come, where this server is the one that receives it. */
export function useFirstName(appId: string, listening: boolean): string | null {
  const [name, setName] = useState<string | null>(null)
  const waits = listening && name === null
  useEffect(() => {
    if (!waits) return
    const stop = new AbortController()
    void keepWatching(appId, stop.signal, {
      onMessage: ({ outcome, event }) => {
        if (outcome === 'accepted' && event) setName(event)
      },
      // Whether it is open matters to nobody here: the counters are asked anyway.
      onState: () => {},
      onDropped: () => {},
    })
    return () => stop.abort()
  }, [appId, waits])
  return name
}
