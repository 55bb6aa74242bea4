import {
  FullscreenExitOutlined,
  FullscreenOutlined,
  PrinterOutlined,
  ReloadOutlined,
} from '@ant-design/icons'
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { overallOf } from '../../api/overall'
import { clockLabel } from '../../components/charts/format'
import { HelpButton } from '../../components/shortcuts/HelpButton'
import { useShortcuts } from '../../components/shortcuts/useShortcuts'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { useOrg } from '../../session/org'
import { useBoard, useOverall } from '../../components/figures/board'
import type { FullScreen } from './useFullScreen'
import styles from './BoardTools.module.css'

/** Actions for the whole board, and how fresh it is. */
export function BoardTools({ screen: { full, toggle } }: { screen: FullScreen }) {
  const t = useT()
  const org = useOrg()
  const client = useQueryClient()
  const asking = useIsFetching(overallOf(org.id)) > 0
  const refresh = () => void client.refetchQueries({ ...overallOf(org.id), type: 'active' })
  useShortcuts({ r: refresh, f: toggle })
  const fullScreen = t(full ? 'dashboard.leaveFullScreen' : 'dashboard.fullScreen')
  return (
    <div className={styles.tools}>
      <Freshness />
      <Button
        type="text"
        icon={<ReloadOutlined aria-hidden spin={asking} />}
        aria-label={t('dashboard.refresh')}
        title={t('dashboard.refresh')}
        onClick={refresh}
      />
      <Button
        type="text"
        icon={full ? <FullscreenExitOutlined aria-hidden /> : <FullscreenOutlined aria-hidden />}
        aria-label={fullScreen}
        title={fullScreen}
        onClick={toggle}
      />
      <Button
        type="text"
        icon={<PrinterOutlined aria-hidden />}
        aria-label={t('dashboard.print')}
        title={t('dashboard.print')}
        onClick={() => window.print()}
      />
      <HelpButton />
    </div>
  )
}

function Freshness() {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { dataUpdatedAt } = useOverall('totals')
  const { timezone } = useBoard().question
  if (dataUpdatedAt === 0) return null
  const time = clockLabel(dataUpdatedAt, language, timezone)
  return (
    <span className={styles.fresh} title={t('dashboard.refreshes')}>
      {t('dashboard.updated', { time })}
    </span>
  )
}
