/** The overall status, and below it the problems, each with what to do. */
import type { HealthProblem, HealthStatus, InstanceHealth } from '../../api/health'
import { Badge, type Tone } from '../../components/Badge'
import { Panel } from '../../components/Panel'
import { useLanguageStore, type Translate } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { formatBytes, formatMillis } from '../../lib/amounts'
import { duration } from '../../lib/time'
import { instanceName } from './instanceNames'
import { jobName } from './HealthJobs'
import { leaseName } from './HealthLeases'
import styles from './health.module.css'

const TONES: Record<HealthStatus, Tone> = { ok: 'success', warning: 'warning', failure: 'danger' }

export function HealthProblems({ health }: { health: InstanceHealth }) {
  const t = useT()
  const { status, problems } = health
  return (
    <Panel
      title={t('health.overall')}
      action={<Badge tone={TONES[status]}>{t(`health.status.${status}`)}</Badge>}
    >
      {problems.length === 0 ? (
        <p role="status">{t('health.noProblems')}</p>
      ) : (
        <ul className={styles.problems} aria-label={t('health.problems')}>
          {problems.map((problem) => (
            <ProblemItem
              key={`${problem.code} ${problem.subject}`}
              health={health}
              problem={problem}
            />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function ProblemItem({ health, problem }: { health: InstanceHealth; problem: HealthProblem }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { code, severity, detail } = problem
  const words = {
    subject: subjectOf(t, health, problem),
    amount: amountOf(problem, language),
    holder: detail ? instanceName(health, detail) : '',
    detail: detail ?? '',
  }
  return (
    <li>
      <Badge tone={TONES[severity]}>{t(`health.status.${severity}`)}</Badge>
      <div className={styles.trouble}>
        <strong>{t(`health.problem.${code}`, words)}</strong>
        <span className={styles.soft}>{t(`health.advice.${code}`)}</span>
      </div>
    </li>
  )
}

function subjectOf(t: Translate, health: InstanceHealth, { code, subject }: HealthProblem): string {
  if (code === 'job_failed') return jobName(t, subject)
  if (code === 'lease_stuck' || code === 'lease_too_long') return leaseName(t, subject)
  return instanceName(health, subject)
}

function amountOf({ code, amount }: HealthProblem, language: string): string {
  if (amount == null) return ''
  if (code === 'disk_low') return formatBytes(amount, language)
  if (code === 'clock_skew') return formatMillis(amount, language)
  return duration(amount, language)
}
