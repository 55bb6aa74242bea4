/** The frame of one app's settings: which app, in what state, and the pages the person may open. */
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
    // What was typed or chosen for one app must not be carried to another.
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
