// Needs no page.
import { expect, it } from 'vitest'
import { filtersFor } from './filters'

const page = { page: 1, page_size: 20 }

it('turns days of the person’s zone into moments, and a group into a prefix', () => {
  const params = { ...page, actor: 'lin', action: 'app', from: '2026-11-15', to: '2026-11-15' }
  expect(filtersFor(params, 'Asia/Shanghai')).toEqual({
    actor: 'lin',
    action: 'app.',
    from: '2026-11-14T16:00:00.000Z',
    to: '2026-11-15T15:59:59.999Z',
  })
})

it('leaves out what makes no sense', () => {
  const params = { ...page, action: 'weather', from: 'yesterday' }
  expect(filtersFor(params, 'UTC')).toEqual({
    actor: undefined,
    action: undefined,
    from: undefined,
    to: undefined,
  })
})
