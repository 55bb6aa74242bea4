/** Scheduled jobs: each one's last result, on whichever instance, and the latest backup. */
import { Facts } from '../../components/Facts'
import type { InstanceHealth, JobRun } from '../../api/health'
import { Badge } from '../../components/Badge'
import { Moment } from '../../components/Moment'
import { Panel } from '../../components/Panel'
import type { Column } from '../../components/table/columns'
import { UNKNOWN } from '../../components/table/Counted'
import { PlainTable } from '../../components/table/PlainTable'
import { useLanguageStore, type MessageKey, type Translate } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { formatMillis } from '../../lib/amounts'
import { instanceName } from './instanceNames'
import styles from './health.module.css'

type JobKey = Extract<MessageKey, `health.job.${string}`>

/** A job only another version knows is shown by its key. */
export function jobName(t: Translate, job: string): string {
  return t(`health.job.${job}` as JobKey, {}, job)
}

export function HealthJobs({ health }: { health: InstanceHealth }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  return (
    <>
      <Panel title={t('health.jobs')} lead={t('health.jobsLead')}>
        {health.job_runs.length === 0 ? (
          <p className={styles.soft}>{t('health.noJobs')}</p>
        ) : (
          <PlainTable
            label={t('health.jobs')}
            rows={latestOfEach(health.job_runs)}
            rowKey={({ job }) => job}
            columns={columns(t, language, health)}
          />
        )}
      </Panel>
      <Panel title={t('health.backup')} lead={t('health.backupLead')}>
        {health.backup ? (
          <Backup health={health} run={health.backup} />
        ) : (
          <p className={styles.soft}>{t('health.noBackup')}</p>
        )}
      </Panel>
    </>
  )
}

/** Expects runs newest first. */
function latestOfEach(runs: JobRun[]): JobRun[] {
  const latest = new Map<string, JobRun>()
  for (const run of runs) if (!latest.has(run.job)) latest.set(run.job, run)
  return [...latest.values()].sort((one, other) => one.job.localeCompare(other.job))
}

function columns(t: Translate, language: string, health: InstanceHealth): Column<JobRun>[] {
  return [
    { key: 'job', title: t('health.jobTitle'), heads: true, render: ({ job }) => jobName(t, job) },
    { key: 'result', title: t('health.result'), render: (run) => <Result run={run} /> },
    {
      key: 'started_at',
      title: t('health.lastRun'),
      render: ({ started_at }) => <Moment at={started_at} />,
    },
    {
      key: 'succeeded_at',
      title: t('health.lastSuccess'),
      render: ({ succeeded_at }) => (succeeded_at ? <Moment at={succeeded_at} /> : UNKNOWN),
    },
    {
      key: 'duration_ms',
      title: t('health.duration'),
      numeric: true,
      render: ({ duration_ms }) => formatMillis(duration_ms, language),
    },
    {
      key: 'instance',
      title: t('health.instance'),
      render: ({ instance }) => instanceName(health, instance),
    },
  ]
}

function Result({ run: { error } }: { run: JobRun }) {
  const t = useT()
  if (error == null) return <Badge tone="success">{t('health.succeeded')}</Badge>
  return (
    <span className={styles.name}>
      <Badge tone="danger">{t('health.failed')}</Badge>
      <span className={styles.soft}>{error}</span>
    </span>
  )
}

function Backup({ health, run }: { health: InstanceHealth; run: JobRun }) {
  const t = useT()
  const facts: [string, React.ReactNode][] = [
    [t('health.result'), <Result run={run} />],
    [t('health.lastRun'), <Moment at={run.started_at} />],
    [t('health.lastSuccess'), run.succeeded_at ? <Moment at={run.succeeded_at} /> : UNKNOWN],
    [t('health.instance'), instanceName(health, run.instance)],
  ]
  return <Facts facts={facts} className={styles.facts} />
}
