import type { FleetInstance, InstanceHealth } from '../../api/health'
import { Badge } from '../../components/Badge'
import { Moment } from '../../components/Moment'
import { Panel } from '../../components/Panel'
import type { Column } from '../../components/table/columns'
import { Counted, UNKNOWN } from '../../components/table/Counted'
import { PlainTable } from '../../components/table/PlainTable'
import { useLanguageStore, type Translate } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { formatBytes, formatMillis } from '../../lib/amounts'
import { duration } from '../../lib/time'
import { instanceName } from './instanceNames'
import styles from './health.module.css'

export function HealthInstances({ health }: { health: InstanceHealth }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  return (
    <Panel title={t('health.instances')} lead={t('health.instancesLead')}>
      {health.instances.length === 0 ? (
        <p className={styles.soft}>{t('health.noInstances')}</p>
      ) : (
        <PlainTable
          label={t('health.instances')}
          rows={health.instances}
          rowKey={({ id }) => id}
          columns={columns(t, language, health)}
        />
      )}
    </Panel>
  )
}

function columns(t: Translate, language: string, health: InstanceHealth): Column<FleetInstance>[] {
  return [
    {
      key: 'name',
      title: t('health.instance'),
      heads: true,
      render: ({ id, answering }) => (
        <span className={styles.name}>
          {instanceName(health, id)}
          {answering && <Badge tone="soft">{t('health.answering')}</Badge>}
        </span>
      ),
    },
    {
      key: 'alive',
      title: t('health.state'),
      render: ({ alive }) =>
        alive ? (
          <Badge tone="success">{t('health.alive')}</Badge>
        ) : (
          <Badge tone="danger">{t('health.silent')}</Badge>
        ),
    },
    { key: 'version', title: t('health.version'), render: ({ version }) => version },
    {
      key: 'uptime',
      title: t('health.uptime'),
      render: ({ started_at, seen_at }) => {
        const seconds = (Date.parse(seen_at) - Date.parse(started_at)) / 1000
        return duration(Math.max(seconds, 0), language)
      },
    },
    {
      key: 'seen_at',
      title: t('health.seen'),
      render: ({ seen_at }) => <Moment at={seen_at} />,
    },
    {
      key: 'waiting',
      title: t('health.waiting'),
      numeric: true,
      render: ({ state }) => <Counted value={state.waiting_messages} />,
    },
    {
      key: 'oldest',
      title: t('health.oldest'),
      numeric: true,
      render: ({ state }) =>
        state.oldest_waiting_seconds == null
          ? UNKNOWN
          : duration(state.oldest_waiting_seconds, language),
    },
    {
      key: 'disk',
      title: t('health.disk'),
      numeric: true,
      render: ({ state: { disk_free_bytes, disk_bytes } }) =>
        disk_free_bytes == null || disk_bytes == null
          ? UNKNOWN
          : t('health.ofDisk', {
              free: formatBytes(disk_free_bytes, language),
              size: formatBytes(disk_bytes, language),
            }),
    },
    {
      key: 'clock',
      title: t('health.clock'),
      numeric: true,
      render: ({ state }) => formatMillis(state.clock_offset_ms, language),
    },
  ]
}
