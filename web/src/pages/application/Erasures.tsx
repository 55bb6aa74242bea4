/** Erasing everything about one end user, and each request's progress. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { erasuresOf, erasuresQuery } from '../../api/erasures'
import { FormNotice } from '../../components/form/FormNotice'
import { Panel } from '../../components/Panel'
import { DataTable } from '../../components/table/DataTable'
import { useTableParams } from '../../components/table/useTableParams'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { EraseDialog } from './EraseDialog'
import { useErasureColumns } from './erasureColumns'
import styles from './erasures.module.css'

const CHOICES = {}

/** `mayAsk`: permission to see personal data doesn't include erasing it. */
export function Erasures({ mayAsk }: { mayAsk: boolean }) {
  const t = useT()
  const { app } = useApp()
  const client = useQueryClient()
  const [params, setParams] = useTableParams(CHOICES)
  const { page, page_size } = params
  const list = useQuery(erasuresQuery(app.id, { page, page_size }))
  const columns = useErasureColumns()
  const [asking, setAsking] = useState(false)
  const [asked, setAsked] = useState(false)

  return (
    <Panel
      title={t('erasure.title')}
      lead={t('erasure.lead')}
      action={
        mayAsk && (
          <Button danger onClick={() => setAsking(true)}>
            {t('erasure.start')}
          </Button>
        )
      }
    >
      <FormNotice>{asked && t('erasure.asked')}</FormNotice>
      <DataTable
        label={t('erasure.list')}
        query={list}
        skeletonRows={1}
        params={{ page, page_size }}
        onChange={setParams}
        rowKey={({ id }) => id}
        columns={columns}
        empty={<p className={styles.soft}>{t('erasure.none')}</p>}
      />
      {asking && (
        <EraseDialog
          onCancel={() => setAsking(false)}
          onDone={() => {
            setAsking(false)
            setAsked(true)
            // The newest is listed first.
            setParams({ page: 1 })
            void client.invalidateQueries(erasuresOf(app.id))
          }}
        />
      )}
    </Panel>
  )
}
