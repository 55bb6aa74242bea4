import { useMutation, useQueryClient, type InfiniteData } from '@tanstack/react-query'
import {
  allNotifications,
  markRead,
  unreadQuery,
  type Notification,
  type NotificationPage,
} from '../api/notifications'

type Pages = InfiniteData<NotificationPage>

/** Marks one message by its id, or all of them. Seen at once; the server's count follows. */
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
    // What was shown as read is not.
    onError: () => client.invalidateQueries(allNotifications),
  })
}
