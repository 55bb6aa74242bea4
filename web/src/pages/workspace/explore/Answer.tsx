import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { exploreQuery, type ExploreAnswer, type ExploreBody } from '../../../api/explore'
import { BlockSkeleton, DataCard } from '../../../components/charts/DataCard'
import { plainCount } from '../../../components/charts/format'
import { LineChart, type ChartHandle } from '../../../components/charts/LineChart'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { isolated } from '../../../lib/bidi'
import { useApp } from '../../../session/app'
import { AnswerExport } from './AnswerExport'
import { GroupTable } from './GroupTable'
import { seriesOf } from './groups'
import styles from './explore.module.css'

const CHART_HEIGHT = 300

export function Answer({ body }: { body: ExploreBody }) {
  const t = useT()
  const { app, may } = useApp()
  const chart = useRef<ChartHandle>(null)
  const answer = useQuery(exploreQuery(app.id, body))
  const title = `${isolated(body.event ?? t('explore.anyEvent'))} · ${t(`explore.measure.${body.measure}`)}`
  return (
    <DataCard
      title={title}
      definition={t(`explore.about.${body.measure}`)}
      query={answer}
      skeleton={<BlockSkeleton height={CHART_HEIGHT + 80} />}
      actions={
        may('event:export') && (
          <AnswerExport
            body={body}
            title={title}
            chart={chart}
            disabled={!answer.data || answer.isPlaceholderData}
          />
        )
      }
    >
      {(found) => <Found found={found} body={body} title={title} chart={chart} />}
    </DataCard>
  )
}

interface FoundProps {
  found: ExploreAnswer
  body: ExploreBody
  title: string
  chart: React.RefObject<ChartHandle | null>
}

function Found({ found, body, title, chart }: FoundProps) {
  const t = useT()
  const { app } = useApp()
  const language = useLanguageStore((state) => state.currentLang)
  return (
    <div className={styles.answer}>
      <p className={styles.total}>
        <span>{t('explore.total')}</span> <strong>{plainCount(found.total, language)}</strong>
        {found.partial != null && <span> {t('chart.soFar')}</span>}
      </p>
      <LineChart
        ref={chart}
        height={CHART_HEIGHT}
        times={found.times}
        series={seriesOf(found, body, t)}
        partial={found.partial}
        granularity={body.granularity}
        timezone={app.timezone}
        ariaLabel={title}
        emptyText={t('explore.nothing')}
      />
      {body.group_by !== null && found.groups.length > 0 && (
        <GroupTable found={found} body={body} />
      )}
    </div>
  )
}
