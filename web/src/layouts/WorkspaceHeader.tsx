import { SettingOutlined } from '@ant-design/icons'
import { Badge } from '../components/Badge'
import { LinkButton } from '../components/LinkButton'
import { useT } from '../i18n/useT'
import { paths } from '../paths'
import { appEntryDestination } from '../session/appEntry'
import { useApp } from '../session/app'
import { TONES } from './AppSettingsLayoutHeader'
import { WorkspaceSwitcher } from './WorkspaceSwitcher'
import styles from './Workspace.module.css'

/** The current app and its state, a switcher, and a link to its settings. */
export function WorkspaceHeader({ page }: { page: string }) {
  const t = useT()
  const { app } = useApp()
  return (
    <header className={styles.header}>
      <WorkspaceSwitcher
        app={app}
        opens
        placeOf={({ id: app_id, org_id, endpoint, is_local }) =>
          appEntryDestination({ org_id, app_id, endpoint, is_local }, page)
        }
      />
      <Badge tone={TONES[app.status]}>{t(`apps.state.${app.status}`)}</Badge>
      <LinkButton
        className={styles.settings}
        to={paths.appDetail(app.id)}
        icon={<SettingOutlined aria-hidden />}
      >
        {t('workspace.settings')}
      </LinkButton>
    </header>
  )
}
