import { useMutation, useQueryClient } from '@tanstack/react-query'
import { currentUserQuery, type User } from '../../api/account'
import { updateNotificationTypes, type NotificationTypes } from '../../api/profile'
import { withCell, type Cell } from './notificationGrid'

const MUTATION_KEY = ['notification-types']

/** Saves and shows each change immediately, and reverts it if the server refuses. */
export function useNotificationTypes() {
  const client = useQueryClient()
  const change = (make: (types: NotificationTypes) => NotificationTypes) =>
    client.setQueryData<User>(
      currentUserQuery.queryKey,
      (user) => user && { ...user, notification_types: make(user.notification_types) },
    )

  return useMutation({
    mutationKey: MUTATION_KEY,
    // Sequential: if answers overtook each other, the earlier one would win.
    scope: { id: 'notification-types' },
    onMutate: (cell: Cell) => {
      change((types) => withCell(types, cell))
    },
    mutationFn: ({ type }: Cell) => {
      const shown = client.getQueryData(currentUserQuery.queryKey)?.notification_types
      return updateNotificationTypes({ [type]: shown?.[type] ?? [] })
    },
    onSuccess: (saved) => {
      // With another change pending, this answer is already outdated; the other's will be current.
      if (client.isMutating({ mutationKey: MUTATION_KEY }) === 1) {
        change((types) => ({ ...types, ...saved }))
      }
    },
    // Revert only this cell: others may have changed since.
    onError: (_error, cell) => change((types) => withCell(types, { ...cell, on: !cell.on })),
  })
}
