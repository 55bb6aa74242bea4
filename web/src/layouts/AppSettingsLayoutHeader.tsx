import { ArrowLeftOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import type { App, OwnRole } from '../api/app'
import { orgQuery } from '../api/orgs'
import { Badge } from '../components/Badge'
import { EntryLink } from '../components/figures/EntryLink'
import { useT } from '../i18n/useT'
import { paths } from '../paths'
import { SETTINGS_PAGES } from '../menus'
import { WorkspaceSwitcher } from './WorkspaceSwitcher'
import styles from './AppSettingsLayout.module.css'

export const TONES = { active: 'success', archived: 'warning', deleted: 'danger' } as const

export function AppHeader({ app, own }: { app: App; own: OwnRole }) {
  const t = useT()
  // Only the team's name depends on it, so the page doesn't wait.
  const team = useQuery(orgQuery(app.org_id))
  const { pathname } = useLocation()
  const role = own.via === 'organization' ? t('appSettings.viaTeam') : own.role?.name
  return (
    <header className={styles.header}>
      {/* Nobody may read a deleted app's data. */}
      {app.status !== 'deleted' && (
        <EntryLink app={app} className={styles.back}>
          <ArrowLeftOutlined aria-hidden /> {t('appSettings.toWorkspace')}
        </EntryLink>
      )}
      <WorkspaceSwitcher
        app={app}
        placeOf={({ id }) => ({ kind: 'internal', to: samePage(pathname, app.id)(id) })}
      />
      <Badge tone={TONES[app.status]}>{t(`apps.state.${app.status}`)}</Badge>
      <dl className={styles.facts}>
        {team.data && (
          <div>
            <dt>{t('appSettings.team')}</dt>
            <dd>
              <Link to={paths.teamApps({ org: app.org_id })}>{team.data.name}</Link>
            </dd>
          </div>
        )}
        {role && (
          <div>
            <dt>{t('appSettings.ownRole')}</dt>
            <dd>{role}</dd>
          </div>
        )}
      </dl>
    </header>
  )
}

/** The current settings page, or its parent. */
function samePage(pathname: string, appId: string): (appId: string) => string {
  const page = SETTINGS_PAGES.find(({ to }) => pathname.startsWith(to(appId)))
  return page?.to ?? paths.appDetail
}
