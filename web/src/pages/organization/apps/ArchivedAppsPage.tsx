import { EmptyFace } from '../../../components/table/EmptyFace'
import { useT } from '../../../i18n/useT'
import { AppsPage } from './AppsPage'
import { actionColumn, factColumns, momentColumn, nameColumn } from './columns'

const CHOICES = { sorts: ['name', 'member_count', 'archived_at'] }

export default function ArchivedAppsPage() {
  const t = useT()
  return (
    <AppsPage
      status="archived"
      title={t('title.archivedApps')}
      lead={t('apps.archived.lead')}
      choices={CHOICES}
      columns={(ask) => [
        nameColumn(t, true),
        ...factColumns(t),
        momentColumn('archived_at', t('apps.archivedAt')),
        actionColumn(t, ask),
      ]}
      empty={<EmptyFace title={t('apps.archived.none')}>{t('apps.archived.noneText')}</EmptyFace>}
    />
  )
}
