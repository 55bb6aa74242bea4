/** The frame of one app's settings: which app, in what state, and the pages the person may open. */
import { useParams } from 'react-router'
import type { MessageKey } from '../i18n/store'
import { useT } from '../i18n/useT'
import type { AppPermission } from '../pages/application/gating'
import { paths } from '../paths'
import { AppBanner } from './AppSettingsLayoutBanner'
import { AppContext } from './AppSettingsLayoutContext'
import { AppFailure, AppLoading } from './AppSettingsLayoutFaces'
import { AppHeader } from './AppSettingsLayoutHeader'
import { SideNav } from './SideNav'
import { useAppOnScreen } from './useAppOnScreen'

const PAGES: { title: MessageKey; needs: AppPermission; to: (appId: string) => string }[] = [
  { title: 'title.appDetail', needs: 'app:view', to: paths.appDetail },
  { title: 'title.appMember', needs: 'member:view', to: paths.appMembers },
  { title: 'title.appAuthority', needs: 'role:view', to: paths.appAuthority },
  { title: 'title.appSecretKey', needs: 'key:view', to: paths.appSecretKeys },
]

export default function AppSettingsLayout() {
  const t = useT()
  const { appId = '' } = useParams()
  const { open, own, failure } = useAppOnScreen(appId)
  if (failure) return <AppFailure {...failure} />
  if (!open || !own) return <AppLoading />
  return (
    // What was typed or chosen for one app must not be carried to another.
    <AppContext value={open} key={appId}>
      <AppHeader app={open.app} own={own} />
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
