import { exportExplore, type ExploreBody } from '../../../api/explore'
import type { ChartHandle } from '../../../components/charts/LineChart'
import { FileButton } from '../../../components/figures/ExportButtons'
import { rangeText } from '../../../components/range/rangeText'
import { useLanguageStore } from '../../../i18n/store'
import { isolated } from '../../../lib/bidi'
import { useApp } from '../../../session/app'

interface AnswerExportProps {
  body: ExploreBody
  title: string
  chart: React.RefObject<ChartHandle | null>
  /** What is on screen is not, or not yet, the answer. */
  disabled: boolean
}

/** The answer as a table, and its lines as a picture. */
export function AnswerExport({ body, title, chart, disabled }: AnswerExportProps) {
  const language = useLanguageStore((state) => state.currentLang)
  const { app } = useApp()
  const file = `atrium-explore-${body.start}_${body.end}`
  const note = `${isolated(app.name)} · ${rangeText(body, language)} · ${app.timezone}`
  return (
    <>
      <FileButton
        format="CSV"
        title={title}
        file={`${file}.csv`}
        make={() => exportExplore(app.id, body)}
        disabled={disabled}
      />
      <FileButton
        format="PNG"
        title={title}
        file={`${file}.png`}
        make={async () => (await chart.current?.toPng(title, note)) ?? null}
        disabled={disabled}
      />
    </>
  )
}
