// Needs no page.
import { describe, expect, it } from 'vitest'
import { changesOf, inWords, notesOf } from './changes'

describe('the details of an entry', () => {
  it('tell only what differs', () => {
    const details = {
      before: { name: 'A', timezone: 'UTC', tags: [1] },
      after: { name: 'B', timezone: 'UTC', tags: [1] },
    }
    expect(changesOf(details)).toEqual([{ field: 'name', before: 'A', after: 'B' }])
    expect(notesOf(details)).toEqual([])
  })

  it('tell what came and what went', () => {
    expect(changesOf({ before: { a: 1 }, after: { b: 2 } })).toEqual([
      { field: 'a', before: 1, after: undefined },
      { field: 'b', before: undefined, after: 2 },
    ])
    expect(changesOf({ after: { a: 1 } })).toEqual([{ field: 'a', before: undefined, after: 1 }])
  })

  it('keep whatever else was noted, also where before and after are plain', () => {
    expect(changesOf({ before: 'admin', after: 'member' })).toEqual([])
    expect(notesOf({ before: 'admin', after: 'member', email: 'a@b.cn' })).toHaveLength(3)
  })

  it('are read by people', () => {
    expect([null, undefined, '', 0, false, 'x', ['a']].map(inWords)).toEqual([
      '—',
      '—',
      '—',
      '0',
      'false',
      'x',
      '["a"]',
    ])
  })
})
