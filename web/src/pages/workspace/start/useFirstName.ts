import { useEffect, useState } from 'react'
import { keepWatching } from '../live/keepWatching'

/** The name of the first event to arrive, if this server receives the app's data. */
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
      // The connection state doesn't matter: the counters are polled anyway.
      onState: () => {},
      onDropped: () => {},
    })
    return () => stop.abort()
  }, [appId, waits])
  return name
}
