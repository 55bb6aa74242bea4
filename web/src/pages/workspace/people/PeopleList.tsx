import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { profilesQuery, type PersonKind, type ProfileItem } from '../../../api/people'
import { LinkButton } from '../../../components/LinkButton'
import { PropertySummary } from '../../../components/people/PropertySummary'
import { Moment } from '../../../components/Moment'
import type { Column } from '../../../components/table/columns'
import { UNKNOWN } from '../../../components/table/Counted'
import { DataTable } from '../../../components/table/DataTable'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { SearchBox } from '../../../components/table/SearchBox'
import { Toolbar } from '../../../components/table/Toolbar'
import { sortedBy, useTableParams } from '../../../components/table/useTableParams'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { paths } from '../../../paths'
import { RedactedNote } from '../RedactedNote'
import shared from '../workspace.module.css'

const CHOICES = { sorts: ['id', 'first_seen', 'last_seen'] }

export function PeopleList({ kind }: { kind: PersonKind }) {
  const t = useT()
  const { app, may } = useApp()
  const [asked, setParams] = useTableParams(CHOICES)
  const params = sortedBy('last_seen', asked)
  const people = useQuery(profilesQuery(app.id, { ...params, kind }))
  const columns = usePeopleColumns(kind)
  return (
    <>
      {!may('profile:pii') && <RedactedNote />}
      <Toolbar>
        <SearchBox
          className={shared.search}
          label={t(may('profile:pii') ? 'people.searchAll' : 'people.search')}
          value={params.search}
          onSearch={(search) => setParams({ search })}
        />
      </Toolbar>
      <DataTable
        label={t(`people.tab.${kind}`)}
        query={people}
        params={params}
        onChange={setParams}
        onClear={() => setParams({ search: undefined })}
        rowKey={({ ref }) => ref}
        columns={columns}
        empty={
          <EmptyFace
            title={t(`people.none.${kind}`)}
            action={
              <LinkButton to={paths.workspace.quickStart(app)}>{t('title.quickStart')}</LinkButton>
            }
          >
            {t(`people.noneText.${kind}`)}
          </EmptyFace>
        }
      />
    </>
  )
}

function usePeopleColumns(kind: PersonKind): Column<ProfileItem>[] {
  const t = useT()
  const { app } = useApp()
  return [
    {
      key: 'id',
      title: t(`erasure.kind.${kind}`),
      sorts: true,
      heads: true,
      render: ({ id, ref }) => (
        <Link className={shared.mono} to={paths.workspace.person(app, kind, ref)}>
          {id}
        </Link>
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
      key: 'first_seen',
      title: t('people.firstSeen'),
      sorts: true,
      render: ({ first_seen: at }) => (at == null ? UNKNOWN : <Moment at={at} />),
    },
    {
      key: 'last_seen',
      title: t('people.lastSeen'),
      sorts: true,
      render: ({ last_seen: at }) => (at == null ? UNKNOWN : <Moment at={at} />),
    },
  ]
}
