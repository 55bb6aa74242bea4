import { useQueryClient } from '@tanstack/react-query'
import { analysesOf, deleteAnalysis, type Analysis } from '../../../api/analyses'
import { DangerDialog } from '../../../components/DangerDialog'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'

interface DeleteAnalysisProps {
  analysis: Analysis
  onDone: () => void
  onCancel: () => void
}

export function DeleteAnalysis({ analysis, onDone, onCancel }: DeleteAnalysisProps) {
  const t = useT()
  const client = useQueryClient()
  const watched = useWatched()
  const { app } = useApp()
  const { name, shared } = analysis
  return (
    <DangerDialog
      title={t('analyses.deleteTitle', { name })}
      confirm={t('analyses.delete')}
      send={() => watched(deleteAnalysis(app.id, analysis.id))}
      onDone={() => {
        onDone()
        void client.invalidateQueries({ queryKey: [...analysesOf(app.id).queryKey, 'list'] })
      }}
      onCancel={onCancel}
    >
      <p>{t(shared ? 'analyses.deleteShared' : 'analyses.deleteMine')}</p>
    </DangerDialog>
  )
}
