import { useEffect } from 'react'
import type { App } from '../api/app'
import { rememberApp } from '../api/workspace'
import { noteOpened } from '../session/appEntry'
import { rememberOrg } from '../session/org'

/** One after the other, so that the app opened last is also the one the server hears of last. */
let told: Promise<unknown> = Promise.resolve()

/** The app that is opened is where the person lands next time, and its team the one they work in. */
export function useLastApp(app: App): void {
  const { id, org_id, endpoint, is_local, status } = app
  const open = status !== 'deleted'
  useEffect(() => {
    if (!open) return
    rememberOrg(org_id)
    // At once: whoever goes on before the server has answered means the app that they see.
    noteOpened({ org_id, app_id: id, endpoint, is_local })
    // Where that fails they land where they landed last; nothing that they came for hangs on it.
    told = told.then(() => rememberApp(id)).catch(() => {})
  }, [open, id, org_id, endpoint, is_local])
}
