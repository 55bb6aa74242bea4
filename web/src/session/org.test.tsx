import { QueryClientProvider } from '@tanstack/react-query'
import { renderHook, waitFor } from '@testing-library/react'
import { MemoryRouter, useLocation } from 'react-router'
import { describe, expect, it } from 'vitest'
import type { Org } from '../api/orgs'
import { queryClient } from '../api/queryClient'
import { ok, refusal, stubServer } from '../testing/server'
import { preferredOrg, useOrgOnScreen } from './org'

const org = (id: string) => ({ id, name: id }) as Org

describe('the organisation that an address without one means', () => {
  it('is the last one used', () => {
    localStorage.setItem('atrium.org', 'b')
    expect(preferredOrg([org('a'), org('b')])?.id).toBe('b')
  })
  it('is the first, where the person has left the last one', () => {
    localStorage.setItem('atrium.org', 'gone')
    expect(preferredOrg([org('a'), org('b')])?.id).toBe('a')
    expect(preferredOrg([])).toBeNull()
  })
})

const at = (address: string) =>
  renderHook(() => ({ ...useOrgOnScreen(), search: useLocation().search }), {
    wrapper: ({ children }) => (
      <QueryClientProvider client={queryClient}>
        <MemoryRouter initialEntries={[address]}>{children}</MemoryRouter>
      </QueryClientProvider>
    ),
  })

describe('the organisation on screen', () => {
  it('is put into the address, beside what is there, and remembered', async () => {
    stubServer({ '/orgs': ok({ items: [org('a')], total: 1 }), '/orgs/a': ok(org('a')) })
    const { result } = at('/organization/config/member?search=lin')
    await waitFor(() => expect(result.current.org.data?.id).toBe('a'))
    expect(result.current.search).toBe('?search=lin&org=a')
    await waitFor(() => expect(localStorage.getItem('atrium.org')).toBe('a'))
  })

  it('is the one that the address names, without asking for the others', async () => {
    const seen = stubServer({ '/orgs/b': ok(org('b')) })
    const { result } = at('/data-dashboard?org=b')
    await waitFor(() => expect(result.current.org.data?.id).toBe('b'))
    expect(seen.map(({ path }) => path)).toEqual(['/orgs/b'])
  })

  it('is not remembered where it is none of theirs', async () => {
    stubServer({ '/orgs/c': refusal(404) })
    const { result } = at('/data-dashboard?org=c')
    await waitFor(() => expect(result.current.org.error).not.toBeNull())
    expect(localStorage.getItem('atrium.org')).toBeNull()
  })

  it('is none for whoever is in no team', async () => {
    stubServer({ '/orgs': ok({ items: [], total: 0 }) })
    const { result } = at('/data-dashboard')
    await waitFor(() => expect(result.current.hasNone).toBe(true))
    expect(result.current.search).toBe('')
  })
})
