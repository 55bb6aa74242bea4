/** The events an app sends: what exists, what they carry, and how people describe them. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { everythingOf } from './app'
import { call, http } from './client'
import type { ListParams } from './orgs'
import type { components } from './schema'

export const EVENT_STATUSES = ['visible', 'hidden', 'all'] as const
export type EventStatus = (typeof EVENT_STATUSES)[number]

export type EventList = components['schemas']['EventList']
export type EventItem = EventList['items'][number]

export type EventListQuery = ListParams & { status: EventStatus }

export type EventMetadata = components['schemas']['EventMetadataBody']
export type PropertyMetadata = components['schemas']['PropertyMetadataBody']

type PropertyType = 'string' | 'number' | 'boolean' | 'list' | 'object' | 'null'
/** The generated type doesn't list the possible types. */
export type EventProperty = Omit<components['schemas']['PropertyItem'], 'types'> & {
  types: { type: PropertyType; share: number }[]
}
export type EventProperties = Omit<components['schemas']['PropertyList'], 'items'> & {
  items: EventProperty[]
}

/** The root key for an app's events; descriptions appear both in lists and on their own. */
export const catalogOf = (appId: string) => ({
  queryKey: [...everythingOf(appId).queryKey, 'catalog'],
})

export function eventsQuery(appId: string, query: EventListQuery) {
  return queryOptions({
    queryKey: [...catalogOf(appId).queryKey, 'list', query],
    queryFn: (): Promise<EventList> =>
      call(http.GET('/apps/{id}/events', { params: { path: { id: appId }, query } })),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

const MOST_ALIKE = 100

/** One event by name, or null if there is none. */
export function eventQuery(appId: string, event: string) {
  return queryOptions({
    queryKey: [...catalogOf(appId).queryKey, 'one', event],
    queryFn: async (): Promise<EventItem | null> => {
      const query = { search: event, status: 'all' as const, page: 1, page_size: MOST_ALIKE }
      const { items } = await call(
        http.GET('/apps/{id}/events', { params: { path: { id: appId }, query } }),
      )
      return items.find((item) => item.event === event) ?? null
    },
  })
}

export function eventPropertiesQuery(appId: string, event: string) {
  return queryOptions({
    queryKey: [...catalogOf(appId).queryKey, 'properties', event],
    queryFn: async () => {
      const params = { path: { id: appId }, query: { event } }
      const answer = await call(http.GET('/apps/{id}/event-properties', { params }))
      return answer as EventProperties
    },
  })
}

export function describeEvent(appId: string, body: EventMetadata): Promise<unknown> {
  const params = { path: { id: appId } }
  return call(http.PUT('/apps/{id}/event-metadata', { params, body }))
}

export function describeProperty(appId: string, body: PropertyMetadata): Promise<unknown> {
  const params = { path: { id: appId } }
  return call(http.PUT('/apps/{id}/property-metadata', { params, body }))
}

type ValueList = components['schemas']['ValueList']

interface ValueQuery {
  property: string
  event?: string
  search?: string
}

/** A property's most frequent values. */
export function valuesQuery(appId: string, query: ValueQuery) {
  return queryOptions({
    queryKey: [...everythingOf(appId).queryKey, 'values', query],
    queryFn: (): Promise<ValueList> =>
      call(http.GET('/apps/{id}/explore/values', { params: { path: { id: appId }, query } })),
    placeholderData: keepPreviousData,
  })
}
