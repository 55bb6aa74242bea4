import type { RetentionAnswer, RetentionQuestion } from '../../../api/analysisTypes'
import { percent } from '../../charts/format'
import { Counted, UNKNOWN } from '../../table/Counted'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { HeatCell } from './HeatCell'
import { isAhead, unitName } from './retention'
import type { NameGroup } from './useGroupName'
import { groupKey } from './words'
import { Scroll } from './Scroll'
import styles from './retention.module.css'

interface GroupAveragesProps {
  unit: RetentionQuestion['unit']
  answer: RetentionAnswer
  nameOf: NameGroup
}

/** The average for each breakdown value. */
export function GroupAverages({ unit, answer, nameOf }: GroupAveragesProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { groups, average } = answer
  return (
    <Scroll label={t('results.retention.view.groups')}>
      <table className={styles.heat} aria-label={t('results.retention.view.groups')}>
        <thead>
          <tr>
            <th scope="col">{t('results.value')}</th>
            <th scope="col">{t('results.retention.size')}</th>
            {average.map((_, number) => (
              <th key={number} scope="col">
                {unitName(unit, number, t)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group, index) => (
            <tr key={groupKey(group, index)}>
              <th scope="row">{nameOf(group)}</th>
              <td>
                <Counted value={group.cohorts.reduce((sum, { size }) => sum + size, 0)} />
              </td>
              {average.map((_, number) => {
                const share = group.average[number] ?? null
                return (
                  <HeatCell key={number} share={share} ahead={isAhead(group.cohorts, number)}>
                    {share === null ? UNKNOWN : percent(share, language)}
                  </HeatCell>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
