// Needs no page.
import { describe, expect, it } from 'vitest'
import type { LiveMessage } from '../../../api/live'
import { liveRows, MOST_ROWS, NO_ROWS, passes, type LiveAction } from './rows'

const message = (event: string, changes: Partial<LiveMessage> = {}): LiveMessage => ({
  at: '2026-11-15T00:00:00.000Z',
  earlier: false,
  type: 'Event',
  outcome: 'accepted',
  reason: null,
  reason_name: null,
  event,
  device: 'd-1',
  user: null,
  url_path: '/cart',
  properties: { plan: 'Pro' },
  sdk: 'js 0.2.4',
  ...changes,
})

const arrived = (...names: string[]): LiveAction => ({
  kind: 'arrived',
  messages: names.map((name) => message(name)),
  dropped: 0,
})
const after = (...actions: LiveAction[]) => actions.reduce(liveRows, NO_ROWS)
const names = ({ shown }: { shown: { message: LiveMessage }[] }) =>
  shown.map((row) => row.message.event)

describe('the rows of the live page', () => {
  it('are newest first, each with a key of its own', () => {
    const rows = after(arrived('a', 'b'), arrived('c'))
    expect(names(rows)).toEqual(['c', 'b', 'a'])
    expect(new Set(rows.shown.map(({ key }) => key)).size).toBe(3)
  })

  it('are 500 at most', () => {
    const many = Array.from({ length: MOST_ROWS }, (_, index) => `e${index}`)
    const rows = after(arrived('first'), arrived(...many))
    expect(rows.shown).toHaveLength(MOST_ROWS)
    expect(names(rows)).not.toContain('first')
  })

  it('wait while paused, are counted, and come all at once', () => {
    const paused = after(arrived('a'), { kind: 'paused' }, arrived('b', 'c'))
    expect(names(paused)).toEqual(['a'])
    expect(paused.waiting).toBe(2)
    const resumed = liveRows(paused, { kind: 'resumed' })
    expect(names(resumed)).toEqual(['c', 'b', 'a'])
    expect(resumed).toMatchObject({ paused: false, waiting: 0, held: [] })
  })

  it('count beyond what they keep', () => {
    const many = Array.from({ length: MOST_ROWS }, (_, index) => `e${index}`)
    const rows = after({ kind: 'paused' }, arrived(...many), arrived('last'))
    expect(rows.waiting).toBe(MOST_ROWS + 1)
    expect(rows.held).toHaveLength(MOST_ROWS)
  })

  it('go when cleared, and the next keys are new ones', () => {
    const before = after(arrived('a'))
    const rows = [{ kind: 'cleared' } as const, arrived('b')].reduce(liveRows, before)
    expect(names(rows)).toEqual(['b'])
    expect(rows.shown[0]!.key).not.toBe(before.shown[0]!.key)
  })

  it('add up what was left out', () => {
    expect(after({ kind: 'arrived', messages: [], dropped: 7 }, arrived('a')).dropped).toBe(7)
  })
})

describe('what came before the stream was opened', () => {
  const earlier = (event: string, at: string): LiveMessage =>
    message(event, { earlier: true, at: `2026-11-15T${at}.000Z`, log_id: `id-${event}` })
  const told = (...messages: LiveMessage[]): LiveAction => ({
    kind: 'arrived',
    messages,
    dropped: 0,
  })

  it('goes where it belongs, whenever it is told of', () => {
    const now = message('now', { at: '2026-11-15T10:00:00.000Z' })
    const rows = after(told(now), told(earlier('old', '08:00:00'), earlier('newer', '09:00:00')))
    expect(names(rows)).toEqual(['now', 'newer', 'old'])
  })

  it('is shown once, however often the stream is opened, also after it was cleared', () => {
    const seen = message('a', { at: '2026-11-15T08:00:00.000Z', log_id: 'id-a' })
    const again = told(earlier('a', '08:00:00'), earlier('b', '09:00:00'))
    const rows = after(told(seen), again, again)
    expect(names(rows)).toEqual(['b', 'a'])
    expect(names([{ kind: 'cleared' } as const, again].reduce(liveRows, rows))).toEqual([])
  })

  it('is told from the same message that comes again now', () => {
    const first = message('a', { log_id: 'id-a' })
    const duplicate = message('a', { log_id: 'id-a', outcome: 'duplicate' })
    expect(names(after(told(first), told(duplicate), told(first)))).toEqual(['a', 'a', 'a'])
  })
})

describe('a filter', () => {
  const row = (changes: Partial<LiveMessage> = {}) => ({ key: 1, message: message('buy', changes) })

  it.each([
    [{}, true],
    [{ text: 'BUY' }, true],
    [{ text: 'buy cart' }, true],
    [{ text: 'pro' }, true],
    [{ text: 'd-1' }, true],
    [{ text: 'buy elsewhere' }, false],
    [{ outcome: 'accepted' }, true],
    [{ outcome: 'rejected' }, false],
    [{ text: 'buy', outcome: 'rejected' }, false],
  ] as const)('%j lets it through: %s', (filter, through) => {
    expect(passes(row(), filter)).toBe(through)
  })

  it('finds the reason of a refusal', () => {
    const refused = row({ outcome: 'rejected', reason: 'bad_event', reason_name: '事件名不对' })
    expect(passes(refused, { text: '事件名' })).toBe(true)
  })
})
