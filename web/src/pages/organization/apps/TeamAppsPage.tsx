import { Button } from 'antd'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { CreateAppDialog } from '../../../components/teams/CreateAppDialog'
import { useT } from '../../../i18n/useT'
import { useDialogInAddress } from '../../../router/useDialogInAddress'
import { useOrgMay } from '../../../session/org'
import { AppsPage } from './AppsPage'
import { actionColumn, factColumns, momentColumn, nameColumn } from './columns'

const CHOICES = { sorts: ['name', 'member_count', 'created_at'] }

export default function TeamAppsPage() {
  const t = useT()
  const creates = useOrgMay('org_app:create')
  const [creating, dialog] = useDialogInAddress('create')
  const create = creates && (
    <Button type="primary" onClick={dialog.open}>
      {t('apps.create')}
    </Button>
  )
  return (
    <>
      <AppsPage
        status="active"
        title={t('title.teamApps')}
        lead={t('apps.active.lead')}
        choices={CHOICES}
        columns={(ask) => [
          nameColumn(t, true),
          ...factColumns(t),
          momentColumn('created_at', t('table.createdAt')),
          actionColumn(t, ask),
        ]}
        action={create}
        empty={
          <EmptyFace title={t('apps.active.none')} action={create}>
            {t(creates ? 'apps.active.noneText' : 'apps.active.askText')}
          </EmptyFace>
        }
      />
      {creates && creating !== null && <CreateAppDialog onCancel={dialog.close} />}
    </>
  )
}
