/** The app on screen, for the pages inside its frame: they are shown once it is known. */
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

/** Refusals that mean: the app, or what the person may do in it, is not what the page shows. */
const CHANGED = ['access_changed', 'app_not_active', 'forbidden', 'not_found']

/** Lets a call through, and has everything asked again where its refusal says that things changed. */
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

/** Shows the app as the server now has it, and has everything asked again that hangs on its state. */
export function useAppChanged(): (changed: App) => void {
  const client = useQueryClient()
  return (changed) => {
    client.setQueryData(appQuery(changed.id).queryKey, changed)
    void client.invalidateQueries(everythingOf(changed.id))
    void client.invalidateQueries(appsOf(changed.org_id))
    void client.invalidateQueries(allOrgs)
    // Which app a person lands in, and whether there is one.
    void reloadUser().catch(() => {})
  }
}
