import type { InstanceHealth, StoreHealth } from '../../api/health'
import { Badge } from '../../components/Badge'
import { Panel } from '../../components/Panel'
import type { Column } from '../../components/table/columns'
import { UNKNOWN } from '../../components/table/Counted'
import { PlainTable } from '../../components/table/PlainTable'
import { useLanguageStore, type Translate } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { formatBytes } from '../../lib/amounts'
import styles from './health.module.css'

interface Store extends StoreHealth {
  key: string
  role: string
}

export function HealthStores({ health: { database, event_stores } }: { health: InstanceHealth }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const rows: Store[] = [
    { ...database, key: 'database', role: t('health.database') },
    ...event_stores.map((store, place) => ({
      ...store,
      key: `events-${place}`,
      role: t('health.eventStore'),
    })),
  ]
  return (
    <Panel title={t('health.stores')} lead={t('health.storesLead')}>
      <PlainTable
        label={t('health.stores')}
        rows={rows}
        rowKey={({ key }) => key}
        columns={columns(t, language)}
      />
    </Panel>
  )
}

function columns(t: Translate, language: string): Column<Store>[] {
  return [
    { key: 'role', title: t('health.store'), heads: true, render: ({ role }) => role },
    { key: 'name', title: t('health.kind'), render: ({ name }) => name },
    {
      key: 'reachable',
      title: t('health.state'),
      render: ({ reachable, error }) =>
        reachable ? (
          <Badge tone="success">{t('health.reachable')}</Badge>
        ) : (
          <span className={styles.name}>
            <Badge tone="danger">{t('health.unreachable')}</Badge>
            <span className={styles.soft}>{error}</span>
          </span>
        ),
    },
    { key: 'version', title: t('health.version'), render: ({ version }) => version ?? UNKNOWN },
    {
      key: 'bytes',
      title: t('health.size'),
      numeric: true,
      render: ({ bytes }) => (bytes == null ? UNKNOWN : formatBytes(bytes, language)),
    },
  ]
}
