import { useRef } from 'react'
import { useT } from '../../i18n/useT'
import { AppsTable } from './AppsTable'
import { BoardTools } from './BoardTools'
import { FailureGroup } from '../../components/FailureGroup'
import { Breakdowns } from '../../components/figures/Breakdowns'
import { Controls } from './Controls'
import { Figures } from '../../components/figures/Figures'
import { IngestDelay } from '../../components/figures/IngestDelay'
import { IngestHealth } from '../../components/figures/IngestHealth'
import { Pages } from '../../components/figures/Pages'
import { PrintHead } from './PrintHead'
import { TopEvents } from '../../components/figures/TopEvents'
import { Trend } from '../../components/figures/Trend'
import { useFullScreen } from './useFullScreen'
import styles from './BoardFrame.module.css'

export function BoardFrame() {
  const t = useT()
  const frame = useRef<HTMLDivElement>(null)
  const screen = useFullScreen(frame)
  return (
    <div ref={frame} className={styles.frame} data-full={screen.full}>
      <div className={styles.board}>
        <div className={styles.head}>
          <h1 className={styles.title}>{t('title.dataDashboard')}</h1>
          <BoardTools screen={screen} />
        </div>
        <PrintHead />
        <Controls />
        <FailureGroup>
          <IngestDelay />
          <Figures />
          <Trend />
          <AppsTable />
          <div className={styles.pair}>
            <TopEvents />
            <IngestHealth />
          </div>
          <Pages />
          <Breakdowns />
        </FailureGroup>
      </div>
    </div>
  )
}
