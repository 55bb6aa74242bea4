import { useEffect } from 'react'
import { currentUserQuery } from '../api/account'
import type { App } from '../api/app'
import { queryClient } from '../api/queryClient'
import { rememberApp } from '../api/workspace'
import { rememberOrg } from '../session/org'

/** The app that is opened is where the person lands next time, and its team the one they work in. */
export function useLastApp(app: App): void {
  const { id, org_id, endpoint, is_local, status } = app
  const open = status !== 'deleted'
  useEffect(() => {
    if (!open) return
    rememberOrg(org_id)
    rememberApp(id).then(
      () =>
        queryClient.setQueryData(
          currentUserQuery.queryKey,
          (user) => user && { ...user, last_app: { org_id, app_id: id, endpoint, is_local } },
        ),
      // They land where they landed last; nothing that they came for hangs on it.
      () => {},
    )
  }, [open, id, org_id, endpoint, is_local])
}
