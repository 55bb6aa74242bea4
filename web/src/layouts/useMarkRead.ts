import { useMutation, useQueryClient, type InfiniteData } from '@tanstack/react-query'
import {
  allNotifications,
  markRead,
  unreadQuery,
  type Notification,
  type NotificationPage,
} from '../api/notifications'

type Pages = InfiniteData<NotificationPage>

/**
 * Marks one notification as read by its ID, or all of them. Updates the screen immediately; the
 * server's count follows.
 */
export function useMarkRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (which: string) => markRead(which === 'all' ? undefined : [which]),
    onMutate: (which) => {
      const now = new Date().toISOString()
      const read = (item: Notification) =>
        item.read_at || (which !== 'all' && item.id !== which) ? item : { ...item, read_at: now }
      client.setQueriesData<Pages>(
        allNotifications,
        (data) =>
          data && {
            ...data,
            pages: data.pages.map((page) => ({ ...page, items: page.items.map(read) })),
          },
      )
    },
    onSuccess: (unread) => client.setQueryData(unreadQuery.queryKey, unread),
    // Undoes the optimistic update.
    onError: () => client.invalidateQueries(allNotifications),
  })
}
