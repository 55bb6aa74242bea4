/** What can be done with a whole app, who may do it, and what undoes it. */
import { archiveApp, deleteApp, restoreApp, unarchiveApp } from '../../../api/app'
import type { App } from '../../../api/apps'
import type { AppPermission } from '../../../session/access'

export type AppAction = 'archive' | 'unarchive' | 'delete' | 'restore'

interface ActionRule {
  needs: AppPermission
  send: (app: App, typedName: string) => Promise<App>
  undo?: AppAction
  danger?: boolean
  /** Asks for the app's name to be typed. */
  typed?: boolean
}

export const APP_ACTIONS: Record<AppAction, ActionRule> = {
  archive: {
    needs: 'app:archive',
    send: ({ id }) => archiveApp(id),
    undo: 'unarchive',
    danger: true,
  },
  unarchive: { needs: 'app:archive', send: ({ id }) => unarchiveApp(id), undo: 'archive' },
  delete: {
    needs: 'app:delete',
    send: ({ id }, typed) => deleteApp(id, typed),
    undo: 'restore',
    danger: true,
    typed: true,
  },
  restore: { needs: 'app:delete', send: ({ id }) => restoreApp(id) },
}

/** What the user may do with an app in its current state. */
export function appActionsFor({ status, permissions, purge_started }: App): AppAction[] {
  const possible: Record<App['status'], AppAction[]> = {
    active: ['archive', 'delete'],
    archived: ['unarchive', 'delete'],
    // Once its data is being purged, it can't be restored in full.
    deleted: purge_started ? [] : ['restore'],
  }
  return possible[status].filter((action) => permissions.includes(APP_ACTIONS[action].needs))
}
