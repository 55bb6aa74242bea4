/** The team's apps in one state. The three pages differ in columns and text. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { everythingOf } from '../../../api/app'
import { appsOf, appsQuery, type App, type AppStatus } from '../../../api/apps'
import { allOrgs } from '../../../api/orgs'
import { FormError } from '../../../components/form/FormError'
import { Page } from '../../../components/Page'
import type { Column } from '../../../components/table/columns'
import { DataTable } from '../../../components/table/DataTable'
import { SearchBox } from '../../../components/table/SearchBox'
import { Toolbar } from '../../../components/table/Toolbar'
import { useTableParams } from '../../../components/table/useTableParams'
import { useT } from '../../../i18n/useT'
import { useOrg } from '../../../session/org'
import { reloadUser } from '../../../session/session'
import { AppActionDialog } from './AppActionDialog'
import { APP_ACTIONS, type AppAction } from './appActions'
import page from '../organization.module.css'
import styles from './AppsPage.module.css'

interface AppsPageProps {
  status: AppStatus
  title: string
  lead: string
  columns: (ask: (action: AppAction, app: App) => void) => Column<App>[]
  /** The columns the server can sort by; must be constant. */
  choices: { sorts: string[] }
  empty: React.ReactNode
  action?: React.ReactNode
}

export function AppsPage(props: AppsPageProps) {
  const { status, title, lead, columns, choices, empty, action } = props
  const t = useT()
  const org = useOrg()
  const [params, setParams] = useTableParams(choices)
  const apps = useQuery(appsQuery(org.id, { ...params, status }))
  const [asking, setAsking] = useState<{ action: AppAction; app: App } | null>(null)
  const { done, undoing, finish } = useLastAction(org.id)

  return (
    <Page wide title={title} lead={lead}>
      <Toolbar actions={action}>
        <SearchBox
          className={page.search}
          label={t('apps.search')}
          value={params.search}
          onSearch={(search) => setParams({ search })}
        />
      </Toolbar>
      <FormError>{undoing.error?.message}</FormError>
      <div className={styles.done} role="status">
        {done && (
          <>
            <span className={page.status}>
              {t(`apps.${done.action}.done`, { name: done.app.name })}
            </span>
            {APP_ACTIONS[done.action].undo && (
              <Button size="small" loading={undoing.isPending} onClick={() => undoing.mutate(done)}>
                {t('apps.undo')}
              </Button>
            )}
          </>
        )}
      </div>
      <DataTable
        label={title}
        query={apps}
        params={params}
        onChange={setParams}
        onClear={() => setParams({ search: undefined })}
        rowKey={(app) => app.id}
        columns={columns((action, app) => setAsking({ action, app }))}
        empty={empty}
      />
      {asking && (
        <AppActionDialog
          {...asking}
          onDone={(app) => {
            finish({ action: asking.action, app })
            setAsking(null)
          }}
          onCancel={() => setAsking(null)}
        />
      )}
    </Page>
  )
}

interface Done {
  action: AppAction
  app: App
}

/** Announces the last action, with an undo button unless undoing requires typing a name. */
function useLastAction(orgId: string) {
  const client = useQueryClient()
  const [done, setDone] = useState<Done | null>(null)

  function finish(action: Done | null) {
    setDone(action)
    if (action) void client.invalidateQueries(everythingOf(action.app.id))
    void client.invalidateQueries(appsOf(orgId))
    void client.invalidateQueries(allOrgs)
    // It can change which app the user lands in.
    void reloadUser().catch(() => {})
  }

  const undoing = useMutation({
    mutationFn: ({ action, app }: Done) =>
      APP_ACTIONS[APP_ACTIONS[action].undo!].send(app, app.name),
    onSuccess: () => finish(null),
  })
  return { done, undoing, finish }
}
