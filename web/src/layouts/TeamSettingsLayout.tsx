/** Around the pages of one team: its menu, and the team itself once it is loaded. */
import { Outlet } from 'react-router'
import type { MessageKey } from '../i18n/store'
import { useT } from '../i18n/useT'
import { paths } from '../paths'
import { OrgProvider, useOrgOnScreen } from '../session/org'
import { OrgUnloaded } from './OrgUnloaded'
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
      links={PAGES.filter(({ needs }) => !needs || org?.permissions.includes(needs)).map(
        ({ title, to }) => ({ label: t(title), to: to({ org: screen.id }) }),
      )}
    >
      {org ? (
        <OrgProvider value={org}>
          {/* What was typed, chosen or loaded for one team is nothing to another. */}
          <Outlet key={org.id} />
        </OrgProvider>
      ) : (
        <OrgUnloaded {...screen} />
      )}
    </SideNav>
  )
}

interface TeamPage {
  title: MessageKey
  to: (query: { org: string | null }) => string
  /** Not offered without it; the server would refuse the page too. */
  needs?: string
}

const PAGES: TeamPage[] = [
  { title: 'title.teamMembers', to: paths.teamMembers },
  { title: 'title.teamApps', to: paths.teamApps },
  { title: 'title.archivedApps', to: paths.archivedApps },
  { title: 'title.deletedApps', to: paths.deletedApps },
  { title: 'title.teamSetting', to: paths.teamSetting, needs: 'org:update' },
  { title: 'title.teamAudit', to: paths.teamAudit, needs: 'org_audit:view' },
]
