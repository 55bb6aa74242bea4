import { exportAnalysis } from '../../../api/analyses'
import type { Question } from '../../../api/analysisTypes'
import type { Draft } from '../../../components/analyses/question'
import type { ChartHandle } from '../../../components/charts/LineChart'
import { FileButton } from '../../../components/figures/ExportButtons'
import { rangeText } from '../../../components/range/rangeText'
import { useLanguageStore } from '../../../i18n/store'
import { isolated } from '../../../lib/bidi'
import { useApp } from '../../../session/app'

interface AnswerExportProps {
  question: Question
  draft: Draft
  title: string
  chart: React.RefObject<ChartHandle | null>
  /** The answer on screen is missing or outdated. */
  disabled: boolean
}

/** Exports the answer as a table, and its chart as a picture. */
export function AnswerExport({ question, draft, title, chart, disabled }: AnswerExportProps) {
  const language = useLanguageStore((state) => state.currentLang)
  const { app } = useApp()
  const file = `atrium-${question.kind}-${question.start}_${question.end}`
  const note = `${isolated(app.name)} · ${rangeText(question, language)} · ${app.timezone}`
  const isDrawn = draft.kind !== 'trend' || (draft.chart !== 'number' && draft.chart !== 'table')
  return (
    <>
      <FileButton
        format="CSV"
        title={title}
        file={`${file}.csv`}
        make={() => exportAnalysis(app.id, question)}
        disabled={disabled}
      />
      {isDrawn && (
        <FileButton
          format="PNG"
          title={title}
          file={`${file}.png`}
          make={async () => (await chart.current?.toPng(title, note)) ?? null}
          disabled={disabled}
        />
      )}
    </>
  )
}
