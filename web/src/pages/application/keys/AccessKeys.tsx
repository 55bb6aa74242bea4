import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { accessKeysQuery, type AccessKey, type NewAccessKey } from '../../../api/keys'
import { FormError } from '../../../components/form/FormError'
import { Panel } from '../../../components/Panel'
import { DataTable } from '../../../components/table/DataTable'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { SearchBox } from '../../../components/table/SearchBox'
import { Toolbar } from '../../../components/table/Toolbar'
import { useTableParams } from '../../../components/table/useTableParams'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { ChangeNotice } from '../ChangeNotice'
import { useAccessKeyColumns, type KeyAction } from './accessKeyColumns'
import { CreateKeyDialog } from './CreateKeyDialog'
import { EndKeyDialog } from './EndKeyDialog'
import { ExpiryDialog } from './ExpiryDialog'
import { NewKeyDialog } from './NewKeyDialog'
import { RenameKeyDialog } from './RenameKeyDialog'
import { useKeyChanges } from './useKeyChanges'
import { useMayReceive } from './useMayReceive'
import styles from './keys.module.css'

const CHOICES = { sorts: ['name', 'created_at', 'last_used_at', 'expires_at'] }

/** The limit per app; the server enforces it. */
const MOST = 10

type Asking =
  | { what: 'create' }
  | { what: 'secret'; key: NewAccessKey }
  | { what: Exclude<KeyAction, 'enable'>; key: AccessKey }

export function AccessKeys() {
  const t = useT()
  const { app } = useApp()
  const [params, setParams] = useTableParams(CHOICES)
  const list = useQuery(accessKeysQuery(app.id, params))
  const mayReceive = useMayReceive()
  const changes = useKeyChanges()
  const [asking, setAsking] = useState<Asking | null>(null)
  const close = () => setAsking(null)
  const columns = useAccessKeyColumns((action, key) =>
    action === 'enable' ? changes.enable(key) : setAsking({ what: action, key }),
  )
  const full = !params.search && (list.data?.total ?? 0) >= MOST
  const create = mayReceive && (
    <Button type="primary" disabled={full} onClick={() => setAsking({ what: 'create' })}>
      {t('accessKey.create')}
    </Button>
  )

  function finish(said: string) {
    close()
    changes.settle(said)
  }

  return (
    <Panel title={t('accessKey.title')} lead={t('accessKey.lead')}>
      <FormError>{changes.failure}</FormError>
      <ChangeNotice notice={changes.notice} />
      {(params.search || Boolean(list.data?.total)) && (
        <Toolbar actions={create}>
          <SearchBox
            className={styles.search}
            label={t('accessKey.search')}
            value={params.search}
            onSearch={(search) => setParams({ search })}
          />
          {full && <span className={styles.soft}>{t('accessKey.full', { max: MOST })}</span>}
        </Toolbar>
      )}
      <DataTable
        label={t('accessKey.title')}
        query={list}
        skeletonRows={3}
        params={params}
        onChange={setParams}
        onClear={() => setParams({ search: undefined })}
        rowKey={(key) => key.id}
        columns={columns}
        empty={
          <EmptyFace title={t('accessKey.empty')} action={create}>
            {t('accessKey.emptyText')}
          </EmptyFace>
        }
      />
      {asking?.what === 'create' && (
        <CreateKeyDialog
          onCancel={close}
          onDone={(key) => {
            changes.settle(null)
            setAsking({ what: 'secret', key })
          }}
        />
      )}
      {asking?.what === 'secret' && (
        <NewKeyDialog
          accessKey={asking.key}
          onStored={() => finish(t('accessKey.created', { name: asking.key.name }))}
        />
      )}
      {asking?.what === 'rename' && (
        <RenameKeyDialog accessKey={asking.key} onCancel={close} onDone={finish} />
      )}
      {asking?.what === 'expiry' && (
        <ExpiryDialog accessKey={asking.key} onCancel={close} onDone={finish} />
      )}
      {(asking?.what === 'disable' || asking?.what === 'delete') && (
        <EndKeyDialog
          action={asking.what}
          accessKey={asking.key}
          onCancel={close}
          onDone={() => {
            close()
            changes.ended(asking.what as 'disable' | 'delete', asking.key)
          }}
        />
      )}
    </Panel>
  )
}
