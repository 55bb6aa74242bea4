/** What the signed-in user changes in their own account. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { User } from './account'
import { call, http } from './client'
import type { components } from './schema'

export type Session = components['schemas']['SessionView']
/** Which channels each notification type uses. */
export type NotificationTypes = User['notification_types']

export const SESSIONS_PER_PAGE = 10

export function updateProfile(body: {
  name?: string
  locale?: string
  timezone?: string
}): Promise<User> {
  return call(http.PUT('/current/profile', { body }))
}

/** Ends all of the user's other sessions. */
export function changePassword(body: {
  current_password: string
  new_password: string
}): Promise<unknown> {
  return call(http.PUT('/current/password', { body }))
}

/** Omitted types stay unchanged. */
export function updateNotificationTypes(body: NotificationTypes): Promise<NotificationTypes> {
  return call(http.PUT('/current/notification-types', { body }))
}

const SESSIONS_KEY = ['sessions']

export function sessionsQuery(page: number) {
  return queryOptions({
    queryKey: [...SESSIONS_KEY, page],
    queryFn: () =>
      call(
        http.GET('/current/sessions', {
          params: { query: { page, page_size: SESSIONS_PER_PAGE } },
        }),
      ),
    // People open this page to see the current state.
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

/** All pages of the list. */
export const allSessions = { queryKey: SESSIONS_KEY }

export function endSession(id: string): Promise<unknown> {
  return call(http.DELETE('/current/sessions/{id}', { params: { path: { id } } }))
}

export function endOtherSessions(): Promise<unknown> {
  return call(http.DELETE('/current/sessions'))
}
