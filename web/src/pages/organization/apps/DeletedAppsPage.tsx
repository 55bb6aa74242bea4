import type { App } from '../../../api/apps'
import { EmptyFace } from '../../../components/table/EmptyFace'
import type { Column } from '../../../components/table/columns'
import { UNKNOWN } from '../../../components/table/Counted'
import { Moment } from '../../../components/Moment'
import type { Translate } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { AppsPage } from './AppsPage'
import { actionColumn, factColumns, momentColumn, nameColumn } from './columns'
import page from '../organization.module.css'

const CHOICES = { sorts: ['name', 'member_count', 'deleted_at', 'purge_at'] }

export default function DeletedAppsPage() {
  const t = useT()
  return (
    <AppsPage
      status="deleted"
      title={t('title.deletedApps')}
      lead={t('apps.deleted.lead')}
      choices={CHOICES}
      columns={(ask) => [
        nameColumn(t, false),
        ...factColumns(t),
        momentColumn('deleted_at', t('apps.deletedAt')),
        purgeColumn(t),
        actionColumn(t, ask),
      ]}
      empty={<EmptyFace title={t('apps.deleted.none')}>{t('apps.deleted.noneText')}</EmptyFace>}
    />
  )
}

/** How long an app can still be restored. */
function purgeColumn(t: Translate): Column<App> {
  return {
    key: 'purge_at',
    title: t('apps.purgeAt'),
    sorts: true,
    render: (app) => (
      <span className={page.warning}>
        {app.purge_started ? (
          t('apps.purging')
        ) : app.purge_at ? (
          <Moment at={app.purge_at} />
        ) : (
          UNKNOWN
        )}
      </span>
    ),
  }
}
