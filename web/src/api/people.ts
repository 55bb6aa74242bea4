/** Who uses an app: users and devices, their properties, and what they did. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { everythingOf } from './app'
import { call, http } from './client'
import type { ListParams, Page } from './orgs'
import type { components } from './schema'

export const PERSON_KINDS = ['user', 'device'] as const
export type PersonKind = (typeof PERSON_KINDS)[number]

/** As the app sent them; also null if the value is hidden from the user. */
export type Properties = Record<string, unknown>

/** The generated types leave properties untyped. */
type WithProperties<Answer extends { properties?: unknown }> = Omit<Answer, 'properties'> & {
  properties: Properties
}
export type ProfileItem = WithProperties<components['schemas']['ProfileItem']>
export type Profile = WithProperties<components['schemas']['Profile']>
export type TimelineItem = WithProperties<components['schemas']['ProfileEvent']>

export type ProfileList = Page<ProfileItem>
export type ProfileListQuery = ListParams & { kind: PersonKind }

export type Timeline = Omit<components['schemas']['ProfileEventList'], 'items'> & {
  items: TimelineItem[]
}

const TIMELINE_STEP = 50

const peopleOf = (appId: string) => [...everythingOf(appId).queryKey, 'people']

export function profilesQuery(appId: string, query: ProfileListQuery) {
  return queryOptions({
    queryKey: [...peopleOf(appId), 'list', query],
    queryFn: (): Promise<ProfileList> =>
      call(http.GET('/apps/{id}/profiles', { params: { path: { id: appId }, query } })),
    staleTime: 0,
    // Users' rows are no placeholder for devices' rows.
    placeholderData: (previous, before) =>
      (before?.queryKey.at(-1) as ProfileListQuery | undefined)?.kind === query.kind
        ? keepPreviousData(previous)
        : undefined,
  })
}

export function profileQuery(appId: string, kind: PersonKind, ref: string) {
  return queryOptions({
    queryKey: [...peopleOf(appId), 'one', kind, ref],
    queryFn: (): Promise<Profile> => {
      const params = { path: { id: appId }, query: { kind, ref } }
      return call(http.GET('/apps/{id}/profile', { params }))
    },
  })
}

/** Newest first, paging backward. */
export function timelineQuery(appId: string, kind: PersonKind, ref: string) {
  return infiniteQueryOptions({
    queryKey: [...peopleOf(appId), 'timeline', kind, ref],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam }): Promise<Timeline> => {
      const query = { kind, ref, limit: TIMELINE_STEP, before: pageParam ?? undefined }
      const params = { path: { id: appId }, query }
      return call(http.GET('/apps/{id}/profile/events', { params }))
    },
    getNextPageParam: ({ next }: Timeline) => next,
  })
}
