/** The frame of a team's pages: its menu, and the team once loaded. */
import { Outlet } from 'react-router'
import { useT } from '../i18n/useT'
import { OrgProvider, useOrgOnScreen } from '../session/org'
import { OrgUnloaded } from './OrgUnloaded'
import { TEAM_PAGES } from '../menus'
import { SideNav } from './SideNav'
import styles from './TeamSettingsLayout.module.css'

export default function TeamSettingsLayout() {
  const t = useT()
  const screen = useOrgOnScreen()
  const org = screen.org.data
  return (
    <SideNav
      title={t('nav.teamSettings')}
      detail={<p className={styles.name}>{org?.name}</p>}
      links={TEAM_PAGES.filter(({ needs }) => !needs || org?.permissions.includes(needs)).map(
        ({ title, to }) => ({ label: t(title), to: to({ org: screen.id }) }),
      )}
    >
      {org ? (
        <OrgProvider value={org}>
          {/* Input, choices, and data of one team don't carry over to another. */}
          <Outlet key={org.id} />
        </OrgProvider>
      ) : (
        <OrgUnloaded {...screen} />
      )}
    </SideNav>
  )
}
