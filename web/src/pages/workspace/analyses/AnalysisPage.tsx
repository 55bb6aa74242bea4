/** One question of one kind: the builder on one side, the answer on the other. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Navigate, useLocation, useParams } from 'react-router'
import { analysisQuery, type Analysis } from '../../../api/analyses'
import type { Kind } from '../../../api/analysisTypes'
import { readStored } from '../../../components/analyses/address'
import { EMPTY } from '../../../components/analyses/question'
import { readKind } from '../../../components/analyses/read'
import { LinkButton } from '../../../components/LinkButton'
import { Loaded } from '../../../components/Loaded'
import { Page } from '../../../components/Page'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { useT } from '../../../i18n/useT'
import { paths } from '../../../paths'
import { useAddressQuery } from '../../../router/useAddressQuery'
import { useApp } from '../../../session/app'
import { Asking } from './Asking'

export default function AnalysisPage() {
  const { app } = useApp()
  const [query] = useAddressQuery()
  const kind = readKind(useParams().kind)
  const saved = query.get('saved')
  if (!kind) return <Navigate replace to={paths.workspace.analyses(app)} />
  if (saved) return <Kept key={saved} id={saved} kind={kind} />
  return <Asking key={kind} base={EMPTY[kind]} range="7d" saved={null} />
}

function Kept({ id, kind }: { id: string; kind: Kind }) {
  const t = useT()
  const { app } = useApp()
  const found = useQuery(analysisQuery(app.id, id))
  // Don't hide what was already loaded while it refreshes.
  if (found.data) return <Opened saved={found.data} kind={kind} />
  return (
    <Page wide title={t(`analyses.kind.${kind}`)}>
      <Loaded query={found} skeleton={8} missing={<Gone />}>
        {() => null}
      </Loaded>
    </Page>
  )
}

function Opened({ saved, kind }: { saved: Analysis; kind: Kind }) {
  const { app } = useApp()
  const { search } = useLocation()
  const stored = useMemo(() => readStored(saved.question, saved.kind), [saved])
  if (saved.kind !== kind) {
    return <Navigate replace to={{ pathname: paths.workspace.analysis(app, saved.kind), search }} />
  }
  return <Asking base={stored?.draft ?? EMPTY[kind]} range={stored?.range ?? '7d'} saved={saved} />
}

function Gone() {
  const t = useT()
  const { app } = useApp()
  return (
    <EmptyFace
      title={t('analyses.gone')}
      action={
        <LinkButton to={paths.workspace.analyses(app)}>{t('analyses.backToList')}</LinkButton>
      }
    >
      {t('analyses.goneText')}
    </EmptyFace>
  )
}
