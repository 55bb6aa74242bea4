/**
 * Whether the server can be reached at all. Losing it is one event, however many calls fail of it,
 * so it is kept here and said once; and it is looked for until it is back.
 */
import { create } from 'zustand'
import { ApiError } from './errors'
import { queryClient } from './queryClient'

export const LOOK_AGAIN_MS = 5_000
/** Where the browser says at this moment that the network went: what was under way may still arrive. */
export const DOUBT_MS = 1_000
/** An answer that takes longer is no proof of a connection. */
const ANSWER_WITHIN_MS = 5_000
export const AGAIN_SHOWN_MS = 3_000

interface Connection {
  /** `again`: it was lost and is back, which is worth a word for a moment. */
  state: 'fine' | 'lost' | 'again'
}

export const useConnection = create<Connection>()(() => ({ state: 'fine' }))

let timer: ReturnType<typeof setTimeout> | undefined
let doubt: ReturnType<typeof setTimeout> | undefined
let looking: Promise<boolean> | null = null
/** How often it was lost. A question remembers it, so that its answer can be told from an earlier one. */
let losses = 0

export const lossesSoFar = (): number => losses

/**
 * Asks for something that anyone may have, one question at a time. A browser's own opinion is no more
 * than a reason to ask again: without any network it may still reach a server on the same machine, and
 * with one it may not.
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
 * Whatever was asked, an answer proves a connection, unless the question was sent before the
 * connection was lost: a response that was already on its way still arrives.
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

/** As after a reload: nothing is known to be lost, and nobody looks. */
export function forgetConnection(): void {
  clearTimeout(timer)
  clearTimeout(doubt)
  useConnection.setState({ state: 'fine' })
}

/** Nobody waits for it behind a hidden tab. */
function lookWhenSeen(): void {
  if (document.visibilityState === 'visible') void lookForServer()
  else document.addEventListener('visibilitychange', () => void lookForServer(), { once: true })
}

/** The browser knows at once that a cable was pulled or put back; that is a reason to look. */
export function watchConnection(): void {
  window.addEventListener('offline', () => {
    void lookForServer().then((answers) => {
      // It may have been the last answer that came through.
      if (!answers || navigator.onLine) return
      clearTimeout(doubt)
      doubt = setTimeout(lookWhenSeen, DOUBT_MS)
    })
  })
  window.addEventListener('online', () => {
    if (useConnection.getState().state === 'lost') void lookForServer()
  })
}
