/**
 * Whether the server is reachable. Losing it is one event, however many calls fail, so it is
 * tracked here, reported once, and probed until it is back.
 */
import { create } from 'zustand'
import { ApiError } from './errors'
import { queryClient } from './queryClient'

export const LOOK_AGAIN_MS = 5_000
/**
 * Once the browser says that the network is gone, requests in flight may still finish within this
 * time.
 */
export const DOUBT_MS = 1_000
/** A slower answer is no proof of a connection. */
const ANSWER_WITHIN_MS = 5_000
export const AGAIN_SHOWN_MS = 3_000

interface Connection {
  /** `again`: just reconnected, which is briefly shown. */
  state: 'fine' | 'lost' | 'again'
}

export const useConnection = create<Connection>()(() => ({ state: 'fine' }))

let timer: ReturnType<typeof setTimeout> | undefined
let doubt: ReturnType<typeof setTimeout> | undefined
let looking: Promise<boolean> | null = null
/**
 * How often the connection was lost. Requests remember it, so that late answers can be recognized.
 */
let losses = 0

export const lossesSoFar = (): number => losses

/**
 * Probes a public endpoint, one request at a time. The browser's own view is only a reason to
 * probe: without a network it may still reach a server on the same machine, and with one it may
 * not.
 */
export function lookForServer(): Promise<boolean> {
  const lossesBefore = losses
  looking ??= isAnswering()
    .then((answers) => {
      if (answers) serverAnswered(lossesBefore)
      else loseServer()
      clearTimeout(doubt)
      if (answers && !navigator.onLine) doubt = setTimeout(lookWhenSeen, LOOK_AGAIN_MS)
      return answers
    })
    .finally(() => {
      looking = null
    })
  return looking
}

async function isAnswering(): Promise<boolean> {
  const question = new Request(new URL('/api/v1/build-info', location.origin), {
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
  try {
    await fetch(question)
    return true
  } catch {
    return false
  }
}

function loseServer(): void {
  clearTimeout(timer)
  timer = setTimeout(lookWhenSeen, LOOK_AGAIN_MS)
  if (useConnection.getState().state === 'lost') return
  losses += 1
  useConnection.setState({ state: 'lost' })
}

/**
 * Any answer proves a connection, unless the request was sent before the connection was lost: a
 * response already on its way can still arrive.
 */
export function serverAnswered(lossesBefore: number): void {
  if (useConnection.getState().state !== 'lost' || lossesBefore < losses) return
  clearTimeout(timer)
  timer = setTimeout(() => useConnection.setState({ state: 'fine' }), AGAIN_SHOWN_MS)
  useConnection.setState({ state: 'again' })
  void queryClient.refetchQueries({
    type: 'active',
    predicate: ({ state }) => state.error instanceof ApiError && state.error.status === 0,
  })
}

/** Resets to the state after a reload: nothing known to be lost, no probing. */
export function forgetConnection(): void {
  clearTimeout(timer)
  clearTimeout(doubt)
  useConnection.setState({ state: 'fine' })
}

/** Nobody is waiting while the tab is hidden. */
function lookWhenSeen(): void {
  if (document.visibilityState === 'visible') void lookForServer()
  else document.addEventListener('visibilitychange', () => void lookForServer(), { once: true })
}

/**
 * The browser notices immediately when a cable is pulled or plugged in; that is a reason to probe.
 */
export function watchConnection(): void {
  window.addEventListener('offline', () => {
    void lookForServer().then((answers) => {
      // It may have been the last answer to get through.
      if (!answers || navigator.onLine) return
      clearTimeout(doubt)
      doubt = setTimeout(lookWhenSeen, DOUBT_MS)
    })
  })
  window.addEventListener('online', () => {
    if (useConnection.getState().state === 'lost') void lookForServer()
  })
}
