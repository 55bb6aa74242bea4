import { expect, it, vi } from 'vitest'
import { toRoutes } from '../router/entry'
import { routeTable } from '../routes'
import { Scrubber } from './scrub'
import { packing, scrubEnvelope } from './transport'

const scrubber = new Scrubber(toRoutes(routeTable), 'https://atrium.example')

it('looks at every item, and keeps a length that holds', () => {
  const recording = '{"segment_id":0}\n[{"href":"https://atrium.example/pwdReset/secret","词":1}]'
  const envelope = [
    { dsn: 'https://key@atrium.example/1', trace: { transaction: '/pwdReset/secret' } },
    [
      [{ type: 'event' }, { request: { url: 'https://atrium.example/emailValidator/secret' } }],
      [{ type: 'replay_recording', length: 1 }, recording],
      [{ type: 'replay_recording', length: 3 }, new Uint8Array([1, 2, 3])],
    ],
  ] as unknown as Parameters<typeof scrubEnvelope>[0]
  const [head, items] = scrubEnvelope(envelope, scrubber) as unknown as [object, unknown[][]]
  expect(head).toEqual({
    dsn: 'https://key@atrium.example/1',
    trace: { transaction: '/pwdReset/:token' },
  })
  const kept = recording.replace('secret', ':token')
  expect(items).toEqual([
    [{ type: 'event' }, { request: { url: 'https://atrium.example/emailValidator/:token' } }],
    [{ type: 'replay_recording', length: new TextEncoder().encode(kept).length }, kept],
  ])
})

it('packs what is large and leaves what is small', async () => {
  const send = vi.fn<typeof fetch>().mockResolvedValue(new Response())
  await packing(send)('/x', { method: 'POST', body: 'small' })
  expect(send.mock.lastCall![1]).toEqual({ method: 'POST', body: 'small' })
  const large = 'large '.repeat(10_000)
  await packing(send)('/x', { method: 'POST', body: large, headers: { a: 'b' } })
  const { body, headers } = send.mock.lastCall![1]!
  expect(headers).toEqual({ a: 'b', 'content-encoding': 'gzip' })
  expect((body as ArrayBuffer).byteLength).toBeLessThan(2_000)
  const unpacked = new Response(body).body!.pipeThrough(new DecompressionStream('gzip'))
  expect(await new Response(unpacked).text()).toBe(large)
})
