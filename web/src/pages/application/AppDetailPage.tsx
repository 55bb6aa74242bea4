/** What an app is, how it receives data, and how to archive or delete it. */
import { UnsavedGuard } from '../../components/form/unsaved'
import { Page } from '../../components/Page'
import { Panel } from '../../components/Panel'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { Allowed } from './Allowed'
import { AppFacts } from './AppFacts'
import { AppForm } from './AppForm'
import { DangerZone } from './DangerZone'
import { Erasures } from './Erasures'
import { Receiving } from './Receiving'
import { Snippet } from './Snippet'

export default function AppDetailPage() {
  const t = useT()
  const { app, may, mayChange } = useApp()
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
        {may('dashboard:view') && app.status !== 'deleted' && <Receiving />}
        <DangerZone />
        {may('profile:pii') && app.status !== 'deleted' && <Erasures mayAsk={may('app:delete')} />}
      </Page>
    </Allowed>
  )
}
