/** What an app is, how data gets into it, and how it ends. */
import { UnsavedGuard } from '../../components/form/unsaved'
import { Page } from '../../components/Page'
import { useT } from '../../i18n/useT'
import { useApp } from '../../layouts/AppSettingsLayoutContext'
import { Allowed } from './Allowed'
import { AppFacts } from './AppFacts'
import { AppForm } from './AppForm'
import { DangerZone } from './DangerZone'
import { Panel } from './Panel'
import { Snippet } from './Snippet'

export default function AppDetailPage() {
  const t = useT()
  const { app, mayChange } = useApp()
  return (
    <Allowed to="app:view">
      <Page title={t('title.appDetail')}>
        {mayChange('app:update') && (
          <Panel title={t('appDetail.settings')}>
            <UnsavedGuard>
              <AppForm app={app} />
            </UnsavedGuard>
          </Panel>
        )}
        <AppFacts />
        {app.status === 'active' && <Snippet app={app} />}
        <DangerZone />
      </Page>
    </Allowed>
  )
}
