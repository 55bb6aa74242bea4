// Needs no page.
import { expect, it } from 'vitest'
import { eventReader } from './eventStream'

const readAll = (...pieces: string[]) => {
  const read = eventReader()
  return pieces.flatMap(read)
}

it('reads events, however the text is cut into pieces', () => {
  const text = 'event: dropped\ndata: {"count":3}\n\ndata: one\ndata: two\n\n'
  const whole = [
    { event: 'dropped', data: '{"count":3}' },
    { event: 'message', data: 'one\ntwo' },
  ]
  expect(readAll(text)).toEqual(whole)
  expect(readAll(...text)).toEqual(whole)
})

it('takes lines that end as Windows ends them', () => {
  expect(readAll('event: message\r\ndata:x\r\n\r\n')).toEqual([{ event: 'message', data: 'x' }])
})

it('says nothing about comments, events without data, and what is not finished', () => {
  expect(readAll(': still here\n\n', 'event: message\n\n', 'data: half\n')).toEqual([])
})
