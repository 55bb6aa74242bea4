/** Work that only one instance does at a time, and which one. */
import type { FleetLease, InstanceHealth } from '../../api/health'
import { Badge } from '../../components/Badge'
import { Moment } from '../../components/Moment'
import { Panel } from '../../components/Panel'
import type { Column } from '../../components/table/columns'
import { UNKNOWN } from '../../components/table/Counted'
import { PlainTable } from '../../components/table/PlainTable'
import type { MessageKey, Translate } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { instanceName } from './instanceNames'
import styles from './health.module.css'

type LeaseKey = Extract<MessageKey, `health.lease.${string}`>

/** For partitioned work, appends the partition's number. */
export function leaseName(t: Translate, name: string): string {
  const [kind = '', part] = name.split('/')
  const words = t(`health.lease.${kind}` as LeaseKey, {}, kind)
  return part === undefined ? words : `${words} ${part}`
}

/** Partitions of the same work that one instance holds or last held. */
interface Work extends FleetLease {
  key: string
  partitions: number
}

/** Loading has many partitions; one instance's are combined into one row. */
function combinePartitions(leases: FleetLease[]): Work[] {
  const works = new Map<string, Work>()
  for (const lease of leases) {
    const { name, holder, held_until } = lease
    const [kind = ''] = name.split('/')
    const [instance = ''] = holder.split('/')
    const key = [kind, instance, Boolean(held_until)].join(' ')
    const work = works.get(key)
    const partitions = (work?.partitions ?? 0) + 1
    works.set(key, work ? { ...work, name: kind, partitions } : { ...lease, key, partitions })
  }
  return [...works.values()]
}

export function HealthLeases({ health }: { health: InstanceHealth }) {
  const t = useT()
  return (
    <Panel title={t('health.leases')} lead={t('health.leasesLead')}>
      {health.leases.length === 0 ? (
        <p className={styles.soft}>{t('health.noLeases')}</p>
      ) : (
        <PlainTable
          label={t('health.leases')}
          rows={combinePartitions(health.leases)}
          rowKey={({ key }) => key}
          columns={columns(t, health)}
        />
      )}
    </Panel>
  )
}

function columns(t: Translate, health: InstanceHealth): Column<Work>[] {
  return [
    {
      key: 'name',
      title: t('health.work'),
      heads: true,
      render: ({ name, partitions }) => {
        const work = leaseName(t, name)
        return partitions > 1 ? t('health.partitions', { work, count: partitions }) : work
      },
    },
    {
      key: 'state',
      title: t('health.state'),
      render: ({ held_until }) =>
        held_until ? (
          <Badge tone="success">{t('health.held')}</Badge>
        ) : (
          <Badge tone="soft">{t('health.free')}</Badge>
        ),
    },
    {
      key: 'holder',
      title: t('health.holder'),
      render: ({ holder }) => instanceName(health, holder),
    },
    {
      key: 'held_until',
      title: t('health.heldUntil'),
      render: ({ held_until }) => (held_until ? <Moment at={held_until} /> : UNKNOWN),
    },
  ]
}
