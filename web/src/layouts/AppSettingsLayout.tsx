/** The frame of one app's settings: which app, in what state, and the pages the person may open. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useParams } from 'react-router'
import { appQuery, ownRoleQuery } from '../api/app'
import { ApiError } from '../api/errors'
import { useLanguageStore, type MessageKey } from '../i18n/store'
import { useT } from '../i18n/useT'
import { accessTo, type AppPermission } from '../pages/application/gating'
import { paths } from '../paths'
import { AppBanner } from './AppSettingsLayoutBanner'
import { AppContext } from './AppSettingsLayoutContext'
import { AppFailure, AppLoading } from './AppSettingsLayoutFaces'
import { AppHeader } from './AppSettingsLayoutHeader'
import { SideNav } from './SideNav'

const PAGES: { title: MessageKey; needs: AppPermission; to: (appId: string) => string }[] = [
  { title: 'title.appDetail', needs: 'app:view', to: paths.appDetail },
  { title: 'title.appMember', needs: 'member:view', to: paths.appMembers },
  { title: 'title.appAuthority', needs: 'role:view', to: paths.appAuthority },
  { title: 'title.appSecretKey', needs: 'key:view', to: paths.appSecretKeys },
]

export default function AppSettingsLayout() {
  const t = useT()
  const { appId = '' } = useParams()
  const language = useLanguageStore((state) => state.currentLang)
  const app = useQuery(appQuery(appId))
  const own = useQuery(ownRoleQuery(appId, language))
  const open = useMemo(
    () => app.data && own.data && { app: app.data, ...accessTo(app.data, own.data.permissions) },
    [app.data, own.data],
  )

  // A refusal counts against what is known from before: the app is gone, or closed to the person.
  const failed = [app, own].find(({ data, error }) => error && (!data || isRefusal(error)))
  if (failed?.error) {
    return (
      <AppFailure
        error={failed.error}
        retrying={failed.isFetching}
        onRetry={() => void Promise.all([app.refetch(), own.refetch()])}
      />
    )
  }
  if (!open) return <AppLoading />
  return (
    // What was typed or chosen for one app must not be carried to another.
    <AppContext value={open} key={appId}>
      <AppHeader app={open.app} own={own.data!} />
      <AppBanner />
      <SideNav
        title={t('nav.appSettings')}
        links={PAGES.filter(({ needs }) => open.may(needs)).map(({ title, to }) => ({
          label: t(title),
          to: to(appId),
        }))}
      />
    </AppContext>
  )
}

function isRefusal(error: Error): boolean {
  return error instanceof ApiError && (error.status === 403 || error.status === 404)
}
