import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { App, OwnRole } from '../api/app'
import { orgQuery } from '../api/orgs'
import { Badge } from '../components/Badge'
import { useT } from '../i18n/useT'
import { paths } from '../paths'
import styles from './AppSettingsLayout.module.css'

export const TONES = { active: 'success', archived: 'warning', deleted: 'danger' } as const

export function AppHeader({ app, own }: { app: App; own: OwnRole }) {
  const t = useT()
  // Only its name hangs on it, so the page does not wait for the team.
  const team = useQuery(orgQuery(app.org_id))
  const role = own.via === 'organization' ? t('appSettings.viaTeam') : own.role?.name
  return (
    <header className={styles.header}>
      <p className={styles.name}>{app.name}</p>
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
