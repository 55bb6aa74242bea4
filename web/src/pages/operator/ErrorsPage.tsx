/** Errors in people's browsers, grouped by kind. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { errorGroupsQuery, type ErrorGroup } from '../../api/errorGroups'
import { Moment } from '../../components/Moment'
import { Page } from '../../components/Page'
import type { Column } from '../../components/table/columns'
import { Counted } from '../../components/table/Counted'
import { DataTable } from '../../components/table/DataTable'
import { EmptyFace } from '../../components/table/EmptyFace'
import { SearchBox } from '../../components/table/SearchBox'
import { Toolbar } from '../../components/table/Toolbar'
import { sortedBy, useTableParams } from '../../components/table/useTableParams'
import type { Translate } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { paths } from '../../paths'
import { useEnvironment } from '../../session/useEnvironment'
import { OperatorOnly } from './OperatorOnly'
import styles from './errors.module.css'

const SORTS = ['last_seen_at', 'first_seen_at', 'reports', 'people']
const CHOICES = { sorts: SORTS }

export default function ErrorsPage() {
  return (
    <OperatorOnly>
      <Errors />
    </OperatorOnly>
  )
}

function Errors() {
  const t = useT()
  const [params, setParams] = useTableParams(CHOICES)
  const groups = useQuery(errorGroupsQuery(sortedBy('last_seen_at', params)))
  return (
    <Page wide title={t('title.errors')} lead={t('errors.lead')}>
      <Toolbar>
        <SearchBox
          className={styles.search}
          label={t('errors.search')}
          value={params.search}
          onSearch={(search) => setParams({ search })}
        />
      </Toolbar>
      <DataTable
        label={t('title.errors')}
        query={groups}
        params={params}
        onChange={setParams}
        onClear={() => setParams({ search: undefined })}
        rowKey={({ id }) => id}
        columns={columns(t)}
        empty={<NoErrors />}
      />
    </Page>
  )
}

/** No errors, reporting turned off, or reports sent elsewhere: different cases to an operator. */
function NoErrors() {
  const t = useT()
  const environment = useEnvironment()
  const settings = environment?.error_reporting
  if (environment && !settings) {
    return <EmptyFace title={t('errors.off')}>{t('errors.offText')}</EmptyFace>
  }
  if (settings && !settings.kept) {
    return <EmptyFace title={t('errors.elsewhere')}>{t('errors.elsewhereText')}</EmptyFace>
  }
  return <EmptyFace title={t('errors.none')}>{t('errors.noneText')}</EmptyFace>
}

function columns(t: Translate): Column<ErrorGroup>[] {
  return [
    {
      key: 'message',
      title: t('errors.error'),
      heads: true,
      render: ({ id, kind, message }) => (
        <Link to={paths.error(id)} className={styles.error}>
          <strong>{kind}</strong>
          <span className={styles.message}>{message}</span>
        </Link>
      ),
    },
    {
      key: 'reports',
      title: t('errors.reports'),
      numeric: true,
      sorts: true,
      largestFirst: true,
      render: ({ reports }) => <Counted value={reports} />,
    },
    {
      key: 'people',
      title: t('errors.people'),
      numeric: true,
      sorts: true,
      largestFirst: true,
      render: ({ people }) => <Counted value={people} />,
    },
    {
      key: 'first_seen_at',
      title: t('errors.firstSeen'),
      sorts: true,
      largestFirst: true,
      render: ({ first_seen_at }) => <Moment at={first_seen_at} />,
    },
    {
      key: 'last_seen_at',
      title: t('errors.lastSeen'),
      sorts: true,
      largestFirst: true,
      render: ({ last_seen_at }) => <Moment at={last_seen_at} />,
    },
  ]
}
