/** An app's keys: the two that identify it on calls, and those that sign what servers send. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { everythingOf } from './app'
import { call, http } from './client'
import { quietOnceShown } from './queryClient'
import type { ListParams, Page } from './orgs'
import type { components } from './schema'

/** `key` is complete for `collect`, which is public, and right after a reset. */
export type ApiKey = components['schemas']['ApiKey']
export type ApiKeyKind = components['schemas']['ApiKeyKind']
/** The value before a reset, while it still works. */
export type PreviousKey = components['schemas']['PreviousKey']
export type AccessKey = components['schemas']['AccessKey']
/** The secret is only in this answer. */
export type NewAccessKey = components['schemas']['CreatedAccessKey']
export type KeyUse = components['schemas']['AccessKeyUse']

/** The server stops counting the addresses that used a key here, so this many can mean more. */
export const ADDRESSES_MOST = 50

/** Whether an old value is still in use changes over time. */
const WATCHED_MS = 30_000

/** Everything about an app's keys. */
export const keysOf = (appId: string) => ({ queryKey: [...everythingOf(appId).queryKey, 'keys'] })

export function apiKeysQuery(appId: string) {
  return queryOptions({
    queryKey: [...keysOf(appId).queryKey, 'api'],
    queryFn: async (context): Promise<ApiKey[]> => {
      const params = { path: { id: appId } }
      const answer = http.GET('/apps/{id}/api-keys', { params })
      return (await call(answer, quietOnceShown(context))).items
    },
    staleTime: 0,
    refetchInterval: ({ state }) => state.data?.some(({ previous }) => previous) && WATCHED_MS,
  })
}

/** Returns the new values in full. An older value still in its grace period ends immediately. */
export async function resetApiKeys(
  appId: string,
  body: { kinds: ApiKeyKind[]; grace_hours: number },
): Promise<ApiKey[]> {
  const path = { id: appId }
  return (await call(http.PUT('/apps/{id}/api-keys', { params: { path }, body }))).items
}

export function dropPreviousKey(appId: string, kind: ApiKeyKind): Promise<unknown> {
  const path = { id: appId, kind }
  return call(http.DELETE('/apps/{id}/api-keys/{kind}/previous', { params: { path } }))
}

export function accessKeysQuery(appId: string, params: ListParams) {
  return queryOptions({
    queryKey: [...keysOf(appId).queryKey, 'access', params],
    queryFn: (): Promise<Page<AccessKey>> =>
      call(http.GET('/apps/{id}/access-keys', { params: { path: { id: appId }, query: params } })),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

/** Without `expires_at` the key never expires. */
export function createAccessKey(
  appId: string,
  body: { name: string; expires_at: string | null },
): Promise<NewAccessKey> {
  const path = { id: appId }
  return call(http.POST('/apps/{id}/access-keys', { params: { path }, body }))
}

/** Omitted fields stay unchanged; null removes the expiry. */
export function updateAccessKey(
  appId: string,
  keyId: string,
  body: { name?: string; enabled?: boolean; expires_at?: string | null },
): Promise<AccessKey> {
  const path = { id: appId, key_id: keyId }
  return call(http.PUT('/apps/{id}/access-keys/{key_id}', { params: { path }, body }))
}

export function deleteAccessKey(appId: string, keyId: string): Promise<unknown> {
  const path = { id: appId, key_id: keyId }
  return call(http.DELETE('/apps/{id}/access-keys/{key_id}', { params: { path } }))
}

export function keyUseQuery(appId: string, keyId: string) {
  return queryOptions({
    queryKey: [...keysOf(appId).queryKey, 'use', keyId],
    queryFn: (): Promise<KeyUse> => {
      const path = { id: appId, key_id: keyId }
      return call(http.GET('/apps/{id}/access-keys/{key_id}/use', { params: { path } }))
    },
    // People decide by these numbers, so they must be current.
    staleTime: 0,
    gcTime: 0,
  })
}
