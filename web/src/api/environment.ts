/** What the console needs before anyone signs in: the environment and the regions. */
import { queryOptions } from '@tanstack/react-query'
import { call, http } from './client'
import type { components } from './schema'

export type Environment = components['schemas']['Envs']
export type Region = components['schemas']['Region']

// Loaded once per page load; the version tip makes its own call to notice changes.
const ONCE = { staleTime: Infinity, gcTime: Infinity, retry: false } as const

export const environmentQuery = queryOptions({
  queryKey: ['environment'],
  queryFn: (): Promise<Environment> =>
    call(http.GET('/envs'), { ignoreErrors: true, handles401: true }),
  ...ONCE,
})

/** Endpoints by region. If this fails, only the console's own origin is trusted. */
export const regionsQuery = queryOptions({
  queryKey: ['regions'],
  queryFn: async () => {
    const list = await call(http.GET('/regions'), { ignoreErrors: true, handles401: true })
    return new Map(list.map((region) => [region.region, region]))
  },
  ...ONCE,
})
