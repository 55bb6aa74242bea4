import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useReducer, useState } from 'react'
import { everythingOf } from '../../../api/app'
import type { LiveMessage } from '../../../api/live'
import { keepWatching, type LiveState } from './keepWatching'
import { liveRows, NO_ROWS } from './rows'

/** Batch updates: rendering each of fifty messages a second would cost too much. */
const GATHER_MS = 200

export function useLive(appId: string) {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>({ kind: 'connecting' })
  const [rows, act] = useReducer(liveRows, NO_ROWS)
  const [attempt, setAttempt] = useState(0)

  useEffect(() => {
    const stop = new AbortController()
    let messages: LiveMessage[] = []
    let dropped = 0
    const flush = setInterval(() => {
      if (messages.length === 0 && dropped === 0) return
      act({ kind: 'arrived', messages, dropped })
      messages = []
      dropped = 0
    }, GATHER_MS)

    void keepWatching(appId, stop.signal, {
      onState: (next) => {
        setState(next)
        // The permission was revoked: refresh so that the frame shows what is still allowed.
        if (next.kind === 'refused') void client.invalidateQueries(everythingOf(appId))
      },
      onMessage: (message) => messages.push(message),
      onDropped: (count) => {
        dropped += count
      },
    })
    return () => {
      stop.abort()
      clearInterval(flush)
    }
  }, [appId, attempt, client])

  return { state, rows, act, retry: () => setAttempt((count) => count + 1) }
}
