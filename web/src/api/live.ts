/**
 * What an app sends, as it arrives. Read with `fetch`, because EventSource can neither request a
 * language nor say why it was refused.
 */
import { allOf } from '../lib/allOf'
import { eventReader } from '../lib/eventStream'
import { callForStream, http, REQUEST_TIMEOUT_MS } from './client'
import { errorWithoutAnswer } from './errors'
import type { Properties } from './people'
import type { components } from './schema'

export type Outcome = components['schemas']['LiveOutcome']
export const OUTCOMES = allOf<Outcome>({ accepted: true, duplicate: true, rejected: true })

/** The generated type doesn't type the properties. */
export type LiveMessage = Omit<components['schemas']['LiveMessage'], 'properties'> & {
  properties?: Properties | null
}

export interface LiveHandlers {
  onOpen: () => void
  onMessage: (message: LiveMessage) => void
  /** More arrived than one viewer is sent. */
  onDropped: (count: number) => void
}

/** The server sends something every 15 s, so a stream this quiet is dead. */
export const SILENCE_MS = 45_000

/** Resolves when the stream ends; rejects if it doesn't open, breaks, or goes silent. */
export async function watchLive(
  appId: string,
  signal: AbortSignal,
  handlers: LiveHandlers,
): Promise<void> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout>
  const within = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), ms)
  }
  within(REQUEST_TIMEOUT_MS)
  try {
    const body = await callForStream(
      http.GET('/apps/{id}/live', {
        params: { path: { id: appId } },
        parseAs: 'stream',
        signal: AbortSignal.any([signal, silence.signal]),
        fetch: fetchStream,
      }),
    )
    handlers.onOpen()
    within(SILENCE_MS)
    await read(body, handlers, () => within(SILENCE_MS))
  } catch (cause) {
    if (silence.signal.aborted && !signal.aborted) throw errorWithoutAnswer('timeout')
    // The connection broke mid-stream.
    if (cause instanceof TypeError) throw errorWithoutAnswer('network')
    if (cause instanceof SyntaxError) throw errorWithoutAnswer('bad_answer')
    throw cause
  } finally {
    clearTimeout(timer!)
  }
}

function fetchStream(request: Request): Promise<Response> {
  request.headers.set('Accept', 'text/event-stream')
  return fetch(request)
}

async function read(
  body: ReadableStream<Uint8Array>,
  { onMessage, onDropped }: LiveHandlers,
  heard: () => void,
): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const events = eventReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    heard()
    for (const { event, data } of events(decoder.decode(value, { stream: true }))) {
      if (event === 'message') onMessage(JSON.parse(data) as LiveMessage)
      if (event === 'dropped') onDropped((JSON.parse(data) as { count: number }).count)
    }
  }
}
