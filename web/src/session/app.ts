/** The current app, for pages inside its frame, which render once it is loaded. */
import { useQueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { appQuery, everythingOf, type App } from '../api/app'
import { appsOf } from '../api/apps'
import { ApiError } from '../api/errors'
import { allOrgs } from '../api/orgs'
import type { Access } from './access'
import { reloadUser } from './session'

export interface OpenApp extends Access {
  app: App
}

export const AppContext = createContext<OpenApp | null>(null)

export function useApp(): OpenApp {
  const open = useContext(AppContext)
  if (!open) throw new Error('outside the frame of an app')
  return open
}

/** Refusals which mean that the app or the user's permissions differ from what the page shows. */
const CHANGED = ['access_changed', 'app_not_active', 'forbidden', 'not_found']

/** Wraps a call; if its refusal says that things changed, refetches everything. */
export function useWatched(): <Answer>(pending: Promise<Answer>) => Promise<Answer> {
  const client = useQueryClient()
  const { app } = useApp()
  return (pending) =>
    pending.catch((error: unknown) => {
      if (error instanceof ApiError && error.code && CHANGED.includes(error.code)) {
        void client.invalidateQueries(everythingOf(app.id))
      }
      throw error
    })
}

/** Applies the app's new state, and refetches whatever depends on it. */
export function useAppChanged(): (changed: App) => void {
  const client = useQueryClient()
  return (changed) => {
    client.setQueryData(appQuery(changed.id).queryKey, changed)
    void client.invalidateQueries(everythingOf(changed.id))
    void client.invalidateQueries(appsOf(changed.org_id))
    void client.invalidateQueries(allOrgs)
    // It can change which app the user lands in, if any.
    void reloadUser().catch(() => {})
  }
}
