import { QueryClientProvider } from '@tanstack/react-query'
import { renderHook, waitFor } from '@testing-library/react'
import { MemoryRouter, useLocation } from 'react-router'
import { describe, expect, it } from 'vitest'
import { appQuery } from '../api/app'
import type { Org } from '../api/orgs'
import { queryClient } from '../api/queryClient'
import { anApp } from '../testing/app'
import { ok, refusal, stubServer } from '../testing/server'
import { preferredOrg, useOrgOnScreen, useShownOrg } from './org'

const org = (id: string) => ({ id, name: id }) as Org

describe('the organization that an address without one means', () => {
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

const within = (address: string) => ({
  wrapper: ({ children }: { children: React.ReactNode }) => (
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={[address]}>{children}</MemoryRouter>
    </QueryClientProvider>
  ),
})
const at = (address: string) =>
  renderHook(() => ({ ...useOrgOnScreen(), search: useLocation().search }), within(address))

describe('the organization on screen', () => {
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

describe('whose page is on screen', () => {
  it.each([
    ['/data-dashboard?org=b', 'b'],
    ['/data-dashboard', null],
    ['/org-id/c/app-id/app-1/events?org=b', 'c'],
    ['/app-1/authManagement/appMember?org=b', 'a'],
    // Not loaded yet.
    ['/app-2/authManagement/appDetail', null],
  ])('at %s: %s', (address, shown) => {
    queryClient.setQueryData(appQuery('app-1').queryKey, { ...anApp, org_id: 'a' })
    const seen = stubServer({})
    expect(renderHook(useShownOrg, within(address)).result.current).toBe(shown)
    expect(seen).toEqual([])
  })
})
