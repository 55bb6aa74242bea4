/** Every occurrence: who was affected, where, and what was on screen. */
import { DownloadOutlined } from '@ant-design/icons'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { downloadReplay, errorReportsQuery, type ErrorReport } from '../../api/errorGroups'
import { FormError } from '../../components/form/FormError'
import { Moment } from '../../components/Moment'
import { Panel } from '../../components/Panel'
import type { Column } from '../../components/table/columns'
import { UNKNOWN } from '../../components/table/Counted'
import { DataTable } from '../../components/table/DataTable'
import { useTableParams } from '../../components/table/useTableParams'
import type { Translate } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { saveFile } from '../../lib/saveFile'
import styles from './errors.module.css'

export function ErrorReports({ groupId }: { groupId: string }) {
  const t = useT()
  const [{ page, page_size }, setParams] = useTableParams()
  const reports = useQuery(errorReportsQuery(groupId, { page, page_size }))
  const replay = useMutation({
    mutationFn: async (id: string) =>
      saveFile(`atrium-replay-${id}.json`, await downloadReplay(id)),
  })
  const busy = replay.isPending ? replay.variables : null
  return (
    <Panel title={t('errors.times')} lead={t('errors.timesLead')}>
      <FormError>{replay.error?.message}</FormError>
      <DataTable
        label={t('errors.times')}
        query={reports}
        params={{ page, page_size }}
        onChange={setParams}
        rowKey={({ id }) => id}
        columns={columns(t, busy, (id) => replay.mutate(id))}
        empty={<p className={styles.soft}>{t('errors.noReportText')}</p>}
      />
    </Panel>
  )
}

function columns(
  t: Translate,
  busy: string | null,
  download: (id: string) => void,
): Column<ErrorReport>[] {
  return [
    { key: 'at', title: t('errors.at'), heads: true, render: ({ at }) => <Moment at={at} /> },
    {
      key: 'person',
      title: t('errors.person'),
      render: ({ person }) => person?.name ?? t('errors.nobody'),
    },
    {
      key: 'route',
      title: t('errors.route'),
      render: ({ route }) => <code className={styles.code}>{route || UNKNOWN}</code>,
    },
    { key: 'release', title: t('errors.release'), render: ({ release }) => release || UNKNOWN },
    { key: 'browser', title: t('errors.browser'), render: ({ browser }) => browser || UNKNOWN },
    {
      key: 'replay',
      title: t('errors.replay'),
      render: ({ id, has_replay }) =>
        has_replay ? (
          <Button
            size="small"
            icon={<DownloadOutlined aria-hidden />}
            loading={busy === id}
            onClick={() => download(id)}
          >
            {t('errors.downloadReplay')}
          </Button>
        ) : (
          <span className={styles.soft}>{t('errors.noReplay')}</span>
        ),
    },
  ]
}
