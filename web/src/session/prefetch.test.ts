import { expect, it } from 'vitest'
import { firstOrgsQuery, orgsQuery } from '../api/orgs'
import { queryClient } from '../api/queryClient'
import { readParams } from '../components/table/useTableParams'
import { ok, stubServer } from '../testing/server'
import { prefetchOrgs } from './prefetch'

const nothing = ok({ items: [], total: 0 })
const request = (path: string) => new Request(`https://atrium.example${path}`)

it('asks for the teams as the page will, so that the page need not', async () => {
  const seen = stubServer({ '/orgs': nothing })
  prefetchOrgs(request('/organization/list'))
  await expect.poll(() => queryClient.getQueryData(firstOrgsQuery.queryKey)).toBeDefined()
  const asked = seen.length
  const shown = orgsQuery(readParams(new URLSearchParams(), [], []))
  await queryClient.fetchQuery(shown)
  expect(seen).toHaveLength(asked)
})

it('leaves to the page what else the address says', async () => {
  const seen = stubServer({ '/orgs': nothing })
  prefetchOrgs(request('/organization/list?search=x'))
  await expect.poll(() => seen.length).toBe(1)
  expect(queryClient.getQueryState(firstOrgsQuery.queryKey)).toBeUndefined()
})
