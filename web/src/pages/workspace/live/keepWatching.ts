/** Keeps a live stream open: reopens it when it ends, backing off on failure. */
import { ApiError } from '../../../api/errors'
import { watchLive, type LiveHandlers } from '../../../api/live'

export type LiveState =
  | { kind: 'connecting' }
  | { kind: 'live' }
  /** The previous attempt's error; null if the stream simply ended. */
  | { kind: 'waiting'; retryAt: number; error: ApiError | null }
  /** Retrying wouldn't help. */
  | { kind: 'refused'; error: ApiError }

interface Watcher extends Omit<LiveHandlers, 'onOpen'> {
  onState: (state: LiveState) => void
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
/** A stream that lasted this long was healthy: the next failure starts counting anew. */
const STEADY_MS = 10_000
const FINAL = [401, 403, 404]

export async function keepWatching(
  appId: string,
  signal: AbortSignal,
  { onState, onMessage, onDropped }: Watcher,
): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    onState({ kind: 'connecting' })
    let openedAt = Infinity
    const onOpen = () => {
      openedAt = Date.now()
      onState({ kind: 'live' })
    }
    const error = await watchLive(appId, signal, { onOpen, onMessage, onDropped }).then(
      () => null,
      (cause: Error) => cause,
    )
    if (signal.aborted) return
    if (error !== null && !(error instanceof ApiError)) throw error
    if (error && FINAL.includes(error.status)) return onState({ kind: 'refused', error })
    failures = Date.now() - openedAt >= STEADY_MS ? 0 : failures + 1
    const retryAt = Math.max(Date.now() + waitAfter(failures), error?.retryAt ?? 0)
    onState({ kind: 'waiting', retryAt, error })
    await pause(retryAt - Date.now(), signal)
  }
}

/** Exponential, with jitter, so that viewers don't all return at once. */
export function waitAfter(failures: number, random = Math.random()): number {
  const full = Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1), LONGEST_WAIT_MS)
  return full * (1 - random / 2)
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      done()
    })
  })
}
