import { act, renderHook } from '@testing-library/react'
import { MemoryRouter, useLocation } from 'react-router'
import { describe, expect, it } from 'vitest'
import { changeQuery, readParams, useTableParams } from './useTableParams'

const CHOICES = { sorts: ['name', 'created_at'], filters: ['role'] } as const

const read = (search: string) =>
  readParams(new URLSearchParams(search), CHOICES.sorts, CHOICES.filters)
const change = (search: string, changed: object) =>
  changeQuery(new URLSearchParams(search), changed).toString()

describe('what the address says', () => {
  it('has defaults', () => {
    expect(read('')).toEqual({ page: 1, page_size: 20 })
  })

  it('is taken in the server’s own names', () => {
    expect(
      read('org=1&page=3&page_size=50&search=%20lin%20&sort=name&order=desc&role=admin'),
    ).toEqual({
      page: 3,
      page_size: 50,
      search: 'lin',
      sort: 'name',
      order: 'desc',
      role: 'admin',
    })
  })

  it.each([
    'page=0',
    'page=-2',
    'page=x',
    'page_size=7',
    'page_size=1000',
    'search=%20',
    'sort=password',
    'order=desc',
    'role=',
  ])('is taken for nothing where it makes none: %s', (search) => {
    expect(read(search)).toEqual({ page: 1, page_size: 20 })
  })
})

describe('a change of it', () => {
  it('leaves the rest alone, and defaults unsaid', () => {
    expect(change('org=1&tab=x&page=3', { page: 1 })).toBe('org=1&tab=x')
    expect(change('org=1&page_size=50', { page_size: 20 })).toBe('org=1')
  })

  it('starts at the first page again, unless it turns the page', () => {
    expect(change('page=3', { search: 'lin' })).toBe('search=lin')
    expect(change('page=3&search=a', { search: undefined })).toBe('')
    expect(change('page=3', { sort: 'name', order: 'asc' })).toBe('sort=name&order=asc')
    expect(change('page=3&search=a', { page: 4 })).toBe('page=4&search=a')
  })
})

it('reads and writes the address of the page', async () => {
  const { result } = renderHook(
    () => ({ table: useTableParams(CHOICES), search: useLocation().search }),
    {
      wrapper: ({ children }) => (
        <MemoryRouter initialEntries={['/x?org=1&page=2']}>{children}</MemoryRouter>
      ),
    },
  )
  expect(result.current.table[0].page).toBe(2)
  await act(async () => result.current.table[1]({ role: 'admin' }))
  expect(result.current.search).toBe('?org=1&role=admin')
  expect(result.current.table[0]).toMatchObject({ page: 1, role: 'admin' })
})
