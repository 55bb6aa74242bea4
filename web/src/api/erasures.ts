/** Requests to erase everything about one end user of an app, and their progress. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { allOf } from '../lib/allOf'
import { everythingOf } from './app'
import { call, http } from './client'
import { quietOnceShown } from './queryClient'
import type { Page } from './orgs'
import type { components } from './schema'

/** `subject_hint` is complete until the erasure is done; then even the ID must be forgotten. */
export type Erasure = components['schemas']['Erasure']
export type ErasureKind = components['schemas']['SubjectKind']

export type ErasureState = components['schemas']['ErasureState']
const STATES = allOf<ErasureState>({ pending: true, running: true, done: true, failed: true })

/** A state that only a newer server knows counts as unfinished. */
export function stateOf({ state }: Pick<Erasure, 'state'>): ErasureState {
  return STATES.find((known) => known === state) ?? 'running'
}

const WATCHED_MS = 3_000

function isUnderWay(erasure: Pick<Erasure, 'state'>): boolean {
  return ['pending', 'running'].includes(stateOf(erasure))
}

export const erasuresOf = (appId: string) => ({
  queryKey: [...everythingOf(appId).queryKey, 'erasures'],
})

export function erasuresQuery(appId: string, params: { page: number; page_size: number }) {
  return queryOptions({
    queryKey: [...erasuresOf(appId).queryKey, params],
    queryFn: (context): Promise<Page<Erasure>> =>
      call(
        http.GET('/apps/{id}/erasures', { params: { path: { id: appId }, query: params } }),
        quietOnceShown(context),
      ),
    staleTime: 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => state.data?.items.some(isUnderWay) && WATCHED_MS,
  })
}

/** `subject` is the ID exactly as the app sends it. */
export function requestErasure(
  appId: string,
  body: { kind: ErasureKind; subject: string },
): Promise<Erasure> {
  const path = { id: appId }
  return call(http.POST('/apps/{id}/erasures', { params: { path }, body }))
}
