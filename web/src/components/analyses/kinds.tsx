import {
  ApartmentOutlined,
  BarChartOutlined,
  FunnelPlotOutlined,
  LineChartOutlined,
  SyncOutlined,
  TableOutlined,
  TeamOutlined,
} from '@ant-design/icons'
import type { Kind } from '../../api/analysisTypes'

const ICONS: Record<Kind | 'cohort', typeof LineChartOutlined> = {
  trend: LineChartOutlined,
  funnel: FunnelPlotOutlined,
  retention: TableOutlined,
  paths: ApartmentOutlined,
  distribution: BarChartOutlined,
  lifecycle: SyncOutlined,
  cohort: TeamOutlined,
}

export function KindIcon({ kind }: { kind: Kind | 'cohort' }) {
  const Icon = ICONS[kind]
  return <Icon aria-hidden />
}
