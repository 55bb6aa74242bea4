/** The frame of an app's settings: which app, its state, and the pages the user may open. */
import { useParams } from 'react-router'
import { useTitleOf } from '../components/documentTitle'
import { useT } from '../i18n/useT'
import { AppBanner } from './AppSettingsLayoutBanner'
import { AppContext } from '../session/app'
import { AppFailure, AppLoading } from './AppSettingsLayoutFaces'
import { AppHeader } from './AppSettingsLayoutHeader'
import { SETTINGS_PAGES } from '../menus'
import { SideNav } from './SideNav'
import { useAppOnScreen } from '../session/useAppOnScreen'

export default function AppSettingsLayout() {
  const t = useT()
  const { appId = '' } = useParams()
  const { open, own, failure } = useAppOnScreen(appId)
  useTitleOf(open && !failure ? open.app.name : null)
  if (failure) return <AppFailure {...failure} />
  if (!open || !own) return <AppLoading />
  return (
    // Input and choices for one app must not carry over to another.
    <AppContext value={open} key={appId}>
      <AppHeader app={open.app} own={own} />
      <AppBanner />
      <SideNav
        title={t('nav.appSettings')}
        links={SETTINGS_PAGES.filter(({ needs }) => open.may(needs)).map(({ title, to }) => ({
          label: t(title),
          to: to(appId),
        }))}
      />
    </AppContext>
  )
}
