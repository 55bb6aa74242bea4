import { useEffect } from 'react'
import type { App } from '../api/app'
import { rememberApp } from '../api/workspace'
import { noteOpened } from '../session/appEntry'
import { rememberOrg } from '../session/org'

/** Sequential, so that the server hears of the last opened app last. */
let pending: Promise<unknown> = Promise.resolve()

/** Remembers the opened app as where the user lands next time, and its team as current. */
export function useLastApp(app: App): void {
  const { id, org_id, endpoint, is_local, status } = app
  const open = status !== 'deleted'
  useEffect(() => {
    if (!open) return
    rememberOrg(org_id)
    // Immediately: someone who moves on before the server answers means the app they see.
    noteOpened({ org_id, app_id: id, endpoint, is_local })
    // If it fails, the user lands in the previous app next time; nothing on screen depends on it.
    pending = pending.then(() => rememberApp(id)).catch(() => {})
  }, [open, id, org_id, endpoint, is_local])
}
