import { Facts } from '../../components/Facts'
import type { ErrorGroup, ErrorReportDetail } from '../../api/errorGroups'
import { Moment } from '../../components/Moment'
import { Counted, UNKNOWN } from '../../components/table/Counted'
import { useT } from '../../i18n/useT'
import styles from './errors.module.css'

interface ErrorFactsProps {
  group: ErrorGroup
  /** Route, version, and browser come from the latest report. */
  latest: ErrorReportDetail | null
}

export function ErrorFacts({ group, latest }: ErrorFactsProps) {
  const t = useT()
  const facts: [string, React.ReactNode][] = [
    [t('errors.reports'), <Counted value={group.reports} />],
    [t('errors.people'), <Counted value={group.people} />],
    [t('errors.firstSeen'), <Moment at={group.first_seen_at} />],
    [t('errors.lastSeen'), <Moment at={group.last_seen_at} />],
    [t('errors.route'), <code className={styles.code}>{latest?.report.route || UNKNOWN}</code>],
    [t('errors.release'), latest?.report.release || UNKNOWN],
    [t('errors.browser'), latest?.report.browser || UNKNOWN],
  ]
  return <Facts facts={facts} className={styles.facts} />
}
