/** An overview of the app: how much happens, who comes, and who comes back. */
import { FailureGroup } from '../../../components/FailureGroup'
import { Page } from '../../../components/Page'
import { ComparePicker } from '../../../components/range/ComparePicker'
import { GranularityPicker } from '../../../components/range/GranularityPicker'
import { RangePicker } from '../../../components/range/RangePicker'
import { HelpButton } from '../../../components/shortcuts/HelpButton'
import { BoardProvider } from '../../../components/figures/board'
import { Breakdowns } from '../../../components/figures/Breakdowns'
import { Figures } from '../../../components/figures/Figures'
import { IngestDelay } from '../../../components/figures/IngestDelay'
import { IngestHealth } from '../../../components/figures/IngestHealth'
import { Pages } from '../../../components/figures/Pages'
import { TopEvents } from '../../../components/figures/TopEvents'
import { Trend } from '../../../components/figures/Trend'
import { useT } from '../../../i18n/useT'
import { Engagement } from './Engagement'
import { NoDataYet } from './NoDataYet'
import { useAppBoard } from './useAppBoard'
import styles from './overview.module.css'

export default function OverviewPage() {
  const t = useT()
  const board = useAppBoard()
  return (
    <Page wide title={t('title.overview')}>
      <BoardProvider value={board}>
        <div className={styles.board}>
          <div className={styles.controls}>
            <RangePicker params={board.params} />
            <GranularityPicker params={board.params} />
            <ComparePicker params={board.params} />
            <HelpButton />
          </div>
          <NoDataYet />
          <FailureGroup>
            <IngestDelay />
            <Figures />
            <Trend />
            <Engagement range={board.params.range} today={board.params.today} />
            <div className={styles.pair}>
              <TopEvents />
              <IngestHealth />
            </div>
            <Pages />
            <Breakdowns />
          </FailureGroup>
        </div>
      </BoardProvider>
    </Page>
  )
}
