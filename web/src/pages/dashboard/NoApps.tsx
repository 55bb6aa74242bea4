import { Button } from 'antd'
import { useState } from 'react'
import { Page } from '../../components/Page'
import { EmptyFace } from '../../components/table/EmptyFace'
import { CreateAppDialog } from '../../components/teams/CreateAppDialog'
import { useT } from '../../i18n/useT'
import { useOrgMay } from '../../session/org'

/** A team without apps has no figures yet. */
export function NoApps() {
  const t = useT()
  const creates = useOrgMay('org_app:create')
  const [creating, setCreating] = useState(false)
  return (
    <Page title={t('title.dataDashboard')}>
      <EmptyFace
        title={t('apps.active.none')}
        action={
          creates && (
            <Button type="primary" onClick={() => setCreating(true)}>
              {t('apps.create')}
            </Button>
          )
        }
      >
        {t(creates ? 'dashboard.noAppsText' : 'apps.active.askText')}
      </EmptyFace>
      {creating && <CreateAppDialog onCancel={() => setCreating(false)} />}
    </Page>
  )
}
