import type { Cohort } from '../../../api/analyses'
import { CohortSize } from '../../../components/analyses/cohorts/CohortSize'
import { definitionLines, rulesOf } from '../../../components/analyses/cohorts/definitionWords'
import { namesCohort, useCohortNames } from '../../../components/analyses/useCohortNames'
import { Facts } from '../../../components/Facts'
import { Moment } from '../../../components/Moment'
import { Panel } from '../../../components/Panel'
import { UNKNOWN } from '../../../components/table/Counted'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import styles from './cohorts.module.css'

/** Who belongs to a cohort, its size, and who created it. */
export function CohortFacts({ cohort }: { cohort: Cohort }) {
  const t = useT()
  const { definition } = cohort
  return (
    <Panel title={t('cohorts.who')} lead={cohort.description ?? undefined}>
      <Facts
        className={styles.facts}
        facts={[
          [t(`cohorts.by.${definition.of}`), <Members key="who" cohort={cohort} />],
          [t('cohorts.size'), <CohortSize key="size" id={cohort.id} />],
          [t('analyses.for'), t(cohort.shared ? 'analyses.for.app' : 'analyses.for.me')],
          [t('analyses.by'), cohort.created_by?.name ?? UNKNOWN],
          [t('analyses.updatedAt'), <Moment key="updated" at={cohort.updated_at} />],
        ]}
      />
    </Panel>
  )
}

function Members({ cohort: { definition } }: { cohort: Cohort }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { app } = useApp()
  // A rule's events can be filtered by another cohort, and a figure can come from a cohort's group.
  const cohorts = useCohortNames(namesCohort(definition))
  const lines = definitionLines(definition, { t, language, cohorts }, app.timezone)
  const isJoined = definition.of === 'rule' && rulesOf(definition).length > 1
  const joined = 'all' in definition ? 'all' : 'any'
  return (
    <>
      {isJoined && <p className={styles.soft}>{t(`cohorts.joined.${joined}`)}</p>}
      <ul className={styles.lines}>
        {lines.map((line, index) => (
          <li key={index}>{line}</li>
        ))}
      </ul>
    </>
  )
}
