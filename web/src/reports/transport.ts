/** How reports travel: looked through once more as a whole, and packed where they are large. */
import type { makeFetchTransport } from '@sentry/react'
import type { Scrubber } from './scrub'

type Transport = ReturnType<typeof makeFetchTransport>
type Envelope = Parameters<Transport['send']>[0]
type Item = [Record<string, unknown>, unknown]

/** A small one goes out at once, which may be the last thing that a page does. */
const PACKED_FROM = 16_384

/** The last look at what leaves: recordings pass no other. */
export function scrubEnvelope(envelope: Envelope, scrubber: Scrubber): Envelope {
  const [head, items] = envelope as unknown as [Record<string, unknown>, Item[]]
  const { dsn, ...rest } = head
  const looked = items.flatMap((item): Item[] => {
    const [about, payload] = item
    // What cannot be looked at stays here.
    if (payload instanceof Uint8Array) return []
    if (typeof payload !== 'string') return [[about, scrubber.all(payload)]]
    const text = scrubber.text(payload)
    const length = new TextEncoder().encode(text).length
    return [['length' in about ? { ...about, length } : about, text]]
  })
  return [{ ...scrubber.all(rest), dsn }, looked] as unknown as Envelope
}

/** In place of fetch. */
export function packing(send: typeof fetch): typeof fetch {
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
