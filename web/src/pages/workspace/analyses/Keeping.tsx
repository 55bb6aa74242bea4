/** Saves the question on screen: as a new analysis, or as a change to the opened one. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import {
  analysesOf,
  analysisQuery,
  createAnalysis,
  updateAnalysis,
  type Analysis,
} from '../../../api/analyses'
import { ActionMenu, type Action } from '../../../components/ActionMenu'
import { useT } from '../../../i18n/useT'
import { goTo } from '../../../lib/navigation'
import { paths } from '../../../paths'
import { useAddressQuery } from '../../../router/useAddressQuery'
import { useApp, useWatched } from '../../../session/app'
import { DeleteAnalysis } from './DeleteAnalysis'
import { KeepDialog } from './KeepDialog'
import styles from './analyses.module.css'

interface KeepingProps {
  saved: Analysis | null
  /** The question on screen differs from the saved one. */
  changed: boolean
  question: object
}

type Asking = 'new' | 'details' | 'delete'

export function Keeping({ saved, changed, question }: KeepingProps) {
  const t = useT()
  const client = useQueryClient()
  const watched = useWatched()
  const { app, mayChange } = useApp()
  const [query, setQuery] = useAddressQuery()
  const [asking, setAsking] = useState<Asking | null>(null)
  const [status, setStatus] = useState('')
  const mayShare = mayChange('analysis:manage')
  const close = () => setAsking(null)

  /** Shows the saved version, dropping URL parameters that would change it. */
  function show(kept: Analysis) {
    client.setQueryData(analysisQuery(app.id, kept.id).queryKey, kept)
    void client.invalidateQueries({ queryKey: [...analysesOf(app.id).queryKey, 'list'] })
    close()
    setStatus(t('common.saved'))
    setQuery({ saved: kept.id }, { replace: true, preventScrollReset: true })
  }
  const changing = useMutation({
    mutationFn: ({ id, name, description, shared, version }: Analysis) =>
      watched(updateAnalysis(app.id, id, { name, description, shared, version, question })),
    onSuccess: show,
    // It may have changed since it was opened.
    onError: () => saved && client.invalidateQueries(analysisQuery(app.id, saved.id)),
  })
  if (!mayChange('query:run')) return null

  const actions: Action[] = saved
    ? [
        ...(changed && saved.may_change
          ? [{ key: 'new', label: t('analyses.saveAs'), onChoose: () => setAsking('new') }]
          : []),
        ...(saved.may_change
          ? [
              { key: 'details', label: t('analyses.rename'), onChoose: () => setAsking('details') },
              {
                key: 'delete',
                label: t('analyses.delete'),
                danger: true,
                onChoose: () => setAsking('delete'),
              },
            ]
          : []),
      ]
    : []
  const takeBack = () => {
    const next = new URLSearchParams(query)
    next.delete('q')
    next.delete('range')
    setQuery(next, { preventScrollReset: true })
  }
  return (
    <div className={styles.keeping}>
      <span role="status" className={styles.soft}>
        {changed || !saved ? '' : status}
      </span>
      {changing.error && (
        <span role="alert" className={styles.failure}>
          {changing.error.message}
        </span>
      )}
      {saved && changed && <Button onClick={takeBack}>{t('analyses.takeBack')}</Button>}
      {saved && changed && saved.may_change ? (
        <Button type="primary" loading={changing.isPending} onClick={() => changing.mutate(saved)}>
          {t('analyses.saveChanges')}
        </Button>
      ) : (
        <Button type={saved ? 'default' : 'primary'} onClick={() => setAsking('new')}>
          {saved ? t('analyses.saveAs') : t('common.save')}
        </Button>
      )}
      <ActionMenu label={t('common.actions')} actions={actions} />
      {asking === 'new' && (
        <KeepDialog
          title={t('analyses.save')}
          before={saved ? { ...saved, name: '', shared: saved.shared && mayShare } : undefined}
          mayShare={mayShare}
          save={(named) => createAnalysis(app.id, { ...named, question })}
          onDone={show}
          onCancel={close}
        />
      )}
      {asking === 'details' && saved && (
        <KeepDialog
          title={t('analyses.rename')}
          before={saved}
          mayShare={mayShare}
          save={(named) =>
            updateAnalysis(app.id, saved.id, {
              ...named,
              version: saved.version,
              question: saved.question,
            })
          }
          onDone={(kept) => {
            client.setQueryData(analysisQuery(app.id, kept.id).queryKey, kept)
            close()
          }}
          onCancel={close}
        />
      )}
      {asking === 'delete' && saved && (
        <DeleteAnalysis
          analysis={saved}
          onDone={() => goTo(paths.workspace.analyses(app), { replace: true })}
          onCancel={close}
        />
      )}
    </div>
  )
}
