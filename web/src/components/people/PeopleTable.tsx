/** A list of people, each linked to their profile. */
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { People, Person } from '../../api/analysisTypes'
import { useT } from '../../i18n/useT'
import { paths } from '../../paths'
import { useApp } from '../../session/app'
import { Moment } from '../Moment'
import type { Column } from '../table/columns'
import { UNKNOWN } from '../table/Counted'
import { DataTable } from '../table/DataTable'
import type { ChangeParams, TableParams } from '../table/useTableParams'
import { PropertySummary } from './PropertySummary'
import styles from './people.module.css'

interface PeopleTableProps {
  label: string
  query: UseQueryResult<People>
  params: TableParams
  onChange: ChangeParams
  /** Shown if there is nobody. */
  empty: React.ReactNode
}

export function PeopleTable({ label, query, params, onChange, empty }: PeopleTableProps) {
  const t = useT()
  const columns = useColumns()
  return (
    <>
      {query.data?.items.some(({ redacted }) => redacted) && (
        <p className={styles.note}>{t('properties.redacted')}</p>
      )}
      <DataTable
        label={label}
        query={query}
        params={params}
        onChange={onChange}
        rowKey={({ kind, ref }) => `${kind} ${ref}`}
        columns={columns}
        empty={empty}
      />
    </>
  )
}

function useColumns(): Column<Person>[] {
  const t = useT()
  const { app } = useApp()
  return [
    {
      key: 'id',
      title: t('results.person'),
      heads: true,
      render: ({ kind, id, ref }) => (
        <>
          <Link className={styles.id} to={paths.workspace.person(app, kind, ref)}>
            {id}
          </Link>
          {/* Most are users; the others are devices where nobody has signed in. */}
          {kind === 'device' && <span className={styles.soft}> {t('people.device')}</span>}
        </>
      ),
    },
    {
      key: 'properties',
      title: t('properties.title'),
      long: true,
      render: ({ properties, redacted }) => (
        <PropertySummary properties={properties} redacted={redacted} />
      ),
    },
    {
      key: 'last_seen',
      title: t('people.lastSeen'),
      render: ({ last_seen: at }) => (at == null ? UNKNOWN : <Moment at={at} />),
    },
  ]
}
