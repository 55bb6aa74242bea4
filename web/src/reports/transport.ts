/** The transport for reports: scrubs each envelope as a whole, and compresses large ones. */
import type { makeFetchTransport } from '@sentry/react'
import type { Scrubber } from './scrub'

type Transport = ReturnType<typeof makeFetchTransport>
type Envelope = Parameters<Transport['send']>[0]
type Item = [Record<string, unknown>, unknown]

/** Small ones are sent immediately, because that may be the last thing a page does. */
const PACKED_FROM = 16_384

/** The final check before sending; for recordings, the only one. */
export function scrubEnvelope(envelope: Envelope, scrubber: Scrubber): Envelope {
  const [head, items] = envelope as unknown as [Record<string, unknown>, Item[]]
  const { dsn, ...rest } = head
  const looked = items.flatMap((item): Item[] => {
    const [about, payload] = item
    // Drop what can't be scrubbed.
    if (payload instanceof Uint8Array) return []
    if (typeof payload !== 'string') return [[about, scrubber.all(payload)]]
    const text = scrubber.text(payload)
    const length = new TextEncoder().encode(text).length
    return [['length' in about ? { ...about, length } : about, text]]
  })
  return [{ ...scrubber.all(rest), dsn }, looked] as unknown as Envelope
}

/** Replaces fetch. */
export function packing(send: typeof window.fetch): typeof window.fetch {
  return async (url, init) => {
    const body: unknown = init?.body
    if (typeof body !== 'string' || body.length < PACKED_FROM || !('CompressionStream' in window)) {
      return send(url, init)
    }
    const packed = new Response(body).body!.pipeThrough(new CompressionStream('gzip'))
    return send(url, {
      ...init,
      body: await new Response(packed).arrayBuffer(),
      headers: { ...(init?.headers as Record<string, string>), 'content-encoding': 'gzip' },
    })
  }
}
