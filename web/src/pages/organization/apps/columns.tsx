import type { App } from '../../../api/apps'
import { ActionMenu, type Action } from '../../../components/ActionMenu'
import { EntryLink } from '../../../components/figures/EntryLink'
import type { Column } from '../../../components/table/columns'
import { Counted, UNKNOWN } from '../../../components/table/Counted'
import { Moment } from '../../../components/Moment'
import type { Translate } from '../../../i18n/store'
import { goTo } from '../../../lib/navigation'
import { paths } from '../../../paths'
import { openAppEntry } from '../../../session/appEntry'
import { APP_ACTIONS, appActionsFor, type AppAction } from './appActions'
import { RegionName } from './RegionName'
import styles from './AppsPage.module.css'

export function nameColumn(t: Translate, linked: boolean): Column<App> {
  return {
    key: 'name',
    title: t('apps.name'),
    sorts: true,
    heads: true,
    render: (app) => (
      <>
        {linked ? <EntryLink app={app}>{app.name}</EntryLink> : app.name}
        {app.description && <div className={styles.about}>{app.description}</div>}
      </>
    ),
  }
}

/** The columns all app lists share. */
export function factColumns(t: Translate): Column<App>[] {
  return [
    {
      key: 'region',
      title: t('apps.region'),
      render: ({ region }) => <RegionName region={region} />,
    },
    { key: 'owner', title: t('apps.owner'), render: (app) => app.created_by?.name ?? UNKNOWN },
    {
      key: 'member_count',
      title: t('apps.members'),
      sorts: true,
      numeric: true,
      render: (app) => <Counted value={app.member_count} />,
    },
    {
      key: 'events_24h',
      title: t('apps.events'),
      numeric: true,
      render: (app) => <Counted value={app.events_24h} />,
    },
    {
      key: 'status',
      title: t('apps.status'),
      render: ({ status }) => (
        <span className={`${styles.status} ${styles[status] ?? ''}`}>
          {t(`apps.state.${status}`)}
        </span>
      ),
    },
  ]
}

export function momentColumn(
  key: 'created_at' | 'archived_at' | 'deleted_at',
  title: string,
): Column<App> {
  return {
    key,
    title,
    sorts: true,
    render: ({ [key]: at }) => (at ? <Moment at={at} /> : UNKNOWN),
  }
}

export function actionColumn(
  t: Translate,
  ask: (action: AppAction, app: App) => void,
): Column<App> {
  return {
    key: 'actions',
    title: t('common.actions'),
    actions: true,
    render: (app) => (
      <ActionMenu
        label={t('table.actionsOf', { name: app.name })}
        actions={[
          ...entry(t, app),
          ...appActionsFor(app).map((action) => ({
            key: action,
            label: t(`apps.${action}.confirm`),
            danger: APP_ACTIONS[action].danger,
            onChoose: () => ask(action, app),
          })),
        ]}
      />
    ),
  }
}

/** A deleted app can't be opened. */
function entry(t: Translate, app: App): Action[] {
  if (app.status === 'deleted') return []
  const { org_id, id: app_id, endpoint, is_local } = app
  return [
    {
      key: 'open',
      label: t('apps.open'),
      onChoose: () => openAppEntry({ org_id, app_id, endpoint, is_local }),
    },
    {
      key: 'openApart',
      label: t('apps.openApart'),
      onChoose: () => openAppEntry({ org_id, app_id, endpoint, is_local }, { target: '_blank' }),
    },
    {
      key: 'settings',
      label: t('workspace.settings'),
      onChoose: () => goTo(paths.appDetail(app_id)),
    },
  ]
}
