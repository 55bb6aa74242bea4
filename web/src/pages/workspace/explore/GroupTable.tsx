import { Link } from 'react-router'
import {
  MOST_FILTERS,
  type ExploreAnswer,
  type ExploreBody,
  type ExploreGroup,
} from '../../../api/explore'
import { plainCount } from '../../../components/charts/format'
import { ShareBar } from '../../../components/charts/ShareBar'
import { partialIndex } from '../../../components/charts/series'
import { Sparkline } from '../../../components/charts/Sparkline'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useAddressQuery } from '../../../router/useAddressQuery'
import { groupKey, groupName } from './groups'
import { readQuestion, writeQuestion } from '../../../components/explore/question'
import { propertyName } from './propertyName'
import styles from './explore.module.css'

interface GroupTableProps {
  found: ExploreAnswer
  body: Pick<ExploreBody, 'measure' | 'group_by'>
}

export function GroupTable({ found, body: { measure, group_by } }: GroupTableProps) {
  const { groups, total } = found
  const partial = partialIndex(found)
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  // Someone can be in two groups, so only events are parts of a whole.
  const shared = measure === 'events' && total > 0
  return (
    <table className={styles.groups} aria-label={t('explore.groups')}>
      <thead>
        <tr>
          <th scope="col">{propertyName(group_by ?? '', t)}</th>
          <th scope="col" className={styles.figure}>
            {t(`explore.measure.${measure}`)}
          </th>
          {shared && <th scope="col">{t('chart.share')}</th>}
          <th scope="col" className={styles.course}>
            {t('explore.course')}
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group, index) => (
          <tr key={groupKey(group, index)}>
            <th scope="row" className={group.other || group.redacted ? styles.soft : undefined}>
              <GroupLink group={group} property={group_by}>
                {groupName(group, t)}
              </GroupLink>
            </th>
            <td className={styles.figure}>{plainCount(group.total, language)}</td>
            {shared && (
              <td>
                <ShareBar share={group.total / total} />
              </td>
            )}
            <td className={styles.course}>
              <Sparkline values={group.points} partial={partial} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface GroupLinkProps {
  group: ExploreGroup
  property: string | null
  children: React.ReactNode
}

/** Into one group: the same question of those events alone. */
function GroupLink({ group: { value, other, redacted }, property, children }: GroupLinkProps) {
  const [query] = useAddressQuery()
  const question = readQuestion(query)
  const told = !other && !redacted && value !== ''
  if (!property || !told || question.filters.length >= MOST_FILTERS) return children
  const filter =
    value == null
      ? { property, operator: 'not_set' as const, values: [] }
      : { property, operator: 'is' as const, values: [value] }
  const filters = [...question.filters, filter]
  const search = writeQuestion(query, { ...question, group: null, filters }).toString()
  return <Link to={{ search }}>{children}</Link>
}
