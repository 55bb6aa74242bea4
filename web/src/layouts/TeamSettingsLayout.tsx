/** Around the pages of one team: its menu, and the team itself once it is loaded. */
import { Outlet, useMatches } from 'react-router'
import { ApiError } from '../api/errors'
import { Centered } from '../components/Centered'
import { LinkButton } from '../components/LinkButton'
import { LoadFailure } from '../components/LoadFailure'
import { Page } from '../components/Page'
import { Statement } from '../components/Statement'
import { RowSkeleton } from '../components/table/RowSkeleton'
import type { MessageKey } from '../i18n/store'
import { useT } from '../i18n/useT'
import { paths } from '../paths'
import type { RouteHandle } from '../router/entry'
import { OrgProvider, useOrgOnScreen } from '../session/org'
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
        <Unloaded {...screen} />
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

function Unloaded({ org, choices, hasNone }: ReturnType<typeof useOrgOnScreen>) {
  const t = useT()
  // Under the page's own heading, so that nothing jumps when it comes.
  const title = (useMatches().at(-1)?.handle as RouteHandle | undefined)?.title
  const failed = org.error ? org : choices.error ? choices : null
  const gone = org.error instanceof ApiError && org.error.status === 404
  if (hasNone || gone) {
    return (
      <Centered>
        <Statement
          title={t(gone ? 'org.gone' : 'org.none')}
          actions={
            <LinkButton type="primary" to={paths.organizations()}>
              {t('common.toTeams')}
            </LinkButton>
          }
        >
          <p>{t(gone ? 'org.goneText' : 'org.noneText')}</p>
        </Statement>
      </Centered>
    )
  }
  return (
    <Page title={title ? t(title) : ''}>
      {failed?.error ? (
        <LoadFailure
          error={failed.error}
          retrying={failed.isFetching}
          onRetry={() => void failed.refetch()}
        />
      ) : (
        <RowSkeleton rows={6} />
      )}
    </Page>
  )
}
