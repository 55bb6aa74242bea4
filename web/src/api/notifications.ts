/** Notifications in the console, in the current language. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call, http, UNASKED } from './client'
import type { components } from './schema'

export type Notification = components['schemas']['NotificationView']
export type NotificationPage = components['schemas']['Notifications']

const NOTIFICATIONS_PER_PAGE = 20
const POLL_MS = 60_000

export const unreadQuery = queryOptions({
  queryKey: ['notifications', 'unread'],
  queryFn: async () => (await call(http.GET('/current/notifications/unread'), UNASKED)).unread,
  staleTime: 0,
  retry: false,
  // While the tab is visible, and once more when it becomes visible.
  refetchInterval: POLL_MS,
  refetchOnWindowFocus: true,
})

export function notificationsQuery(language: string) {
  return infiniteQueryOptions({
    queryKey: ['notifications', 'list', language],
    queryFn: async ({ pageParam, client }): Promise<NotificationPage> => {
      const query = { page: pageParam, page_size: NOTIFICATIONS_PER_PAGE }
      const page = await call(http.GET('/current/notifications', { params: { query } }))
      // Keeps the bell's count consistent with the list below it.
      client.setQueryData(unreadQuery.queryKey, page.unread)
      return page
    },
    initialPageParam: 1,
    getNextPageParam: (last, _pages, page) =>
      page * NOTIFICATIONS_PER_PAGE < last.total ? page + 1 : undefined,
    staleTime: 0,
  })
}

/** The lists in all languages. */
export const allNotifications = { queryKey: ['notifications', 'list'] }

/** Returns how many are still unread. Without ids, marks all. */
export async function markRead(ids?: string[]): Promise<number> {
  return (await call(http.POST('/current/notifications/read', { body: { ids } }), UNASKED)).unread
}
