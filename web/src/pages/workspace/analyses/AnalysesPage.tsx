/** The saved analyses, and the ways to start a new one. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { analysesQuery, type Analysis } from '../../../api/analyses'
import { KindIcon } from '../../../components/analyses/kinds'
import { Page } from '../../../components/Page'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { useT } from '../../../i18n/useT'
import { paths } from '../../../paths'
import { useApp } from '../../../session/app'
import { KeptList } from '../kept/KeptList'
import { useKeptParams } from '../kept/useKeptParams'
import { DeleteAnalysis } from './DeleteAnalysis'
import { Examples } from './Examples'
import { KindCards } from './KindCards'

export default function AnalysesPage() {
  const t = useT()
  const { app, mayChange } = useApp()
  const params = useKeptParams()
  const { asked, whose } = params
  const kept = useQuery(analysesQuery(app.id, { ...asked, whose }))
  const [deleting, setDeleting] = useState<Analysis | null>(null)
  const none = kept.data?.total === 0 && !asked.search && !whose
  return (
    <Page wide title={t('title.analyses')} lead={t('analyses.lead')}>
      <KindCards />
      {none && <Examples />}
      <KeptList
        label={t('analyses.kept')}
        searchLabel={t('analyses.search')}
        params={params}
        query={kept}
        link={({ id, name, kind }) => (
          <>
            <KindIcon kind={kind} />{' '}
            <Link to={paths.workspace.analysis(app, kind, { saved: id })}>{name}</Link>
          </>
        )}
        columns={[
          {
            key: 'kind',
            title: t('analyses.kindTitle'),
            render: ({ kind }) => t(`analyses.kind.${kind}`),
          },
        ]}
        actionsOf={(one) =>
          one.may_change && mayChange('query:run')
            ? [
                {
                  key: 'delete',
                  label: t('analyses.delete'),
                  danger: true,
                  onChoose: () => setDeleting(one),
                },
              ]
            : []
        }
        empty={<EmptyFace title={t('analyses.none')}>{t('analyses.noneText')}</EmptyFace>}
      />
      {deleting && (
        <DeleteAnalysis
          analysis={deleting}
          onDone={() => setDeleting(null)}
          onCancel={() => setDeleting(null)}
        />
      )}
    </Page>
  )
}
