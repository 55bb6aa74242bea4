/** Loads the app named in the URL, and what the user may do in it. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { appQuery, ownRoleQuery } from '../api/app'
import { ApiError } from '../api/errors'
import { useLanguageStore } from '../i18n/store'
import { accessTo } from './access'
import type { OpenApp } from './app'

export function useAppOnScreen(appId: string) {
  const language = useLanguageStore((state) => state.currentLang)
  const app = useQuery(appQuery(appId))
  const own = useQuery(ownRoleQuery(appId, language))
  const open = useMemo(
    (): OpenApp | undefined =>
      app.data && own.data && { app: app.data, ...accessTo(app.data, own.data.permissions) },
    [app.data, own.data],
  )

  // A refusal overrides cached data: the app is gone, or the user has lost access.
  const failed = [app, own].find(({ data, error }) => error && (!data || isRefusal(error)))
  const failure = failed?.error && {
    error: failed.error,
    retrying: failed.isFetching,
    onRetry: () => void Promise.all([app.refetch(), own.refetch()]),
  }
  return { open, own: own.data, failure }
}

function isRefusal(error: Error): boolean {
  return error instanceof ApiError && (error.status === 403 || error.status === 404)
}
