/** Which events count: tests and groups of tests, combined with "all" or "any". */
import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { Filters, Test } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { ChoiceGroup } from '../../ChoiceGroup'
import { countTests, isAll, isGroup, itemsOf, withItems } from '../filters'
import { MOST } from '../question'
import { TestRow } from './TestRow'
import { useFault } from './useFault'
import styles from './builder.module.css'

export const NEW_TEST: Test = { property: '$os', operator: 'is', values: [] }
const NONE: Filters = { all: [] }

interface FilterGroupProps {
  legend: string
  /** The path in the question. */
  place?: string
  events: string[]
  filters: Filters | undefined
  onChange: (filters: Filters | undefined) => void
}

export function FilterGroup(props: FilterGroupProps) {
  const { legend, place, events, filters = NONE, onChange } = props
  const { note } = useFault(place)
  const settle = (changed: Filters) => onChange(itemsOf(changed).length > 0 ? changed : undefined)
  return (
    <fieldset className={styles.filters}>
      <legend>{legend}</legend>
      <Items
        place={place}
        events={events}
        group={filters}
        onChange={settle}
        full={countTests(filters)}
      />
      {note}
    </fieldset>
  )
}

interface ItemsProps {
  place?: string
  events: string[]
  group: Filters
  /** The number of the group this one is nested in. */
  inside?: number
  /** The total number of tests. */
  full: number
  onChange: (group: Filters) => void
}

function Items({ place, events, group, inside, full, onChange }: ItemsProps) {
  const t = useT()
  const items = itemsOf(group)
  const change = (changed: (Test | Filters)[]) => onChange(withItems(group, changed))
  const replace = (at: number, item: Test | Filters) =>
    change(items.map((one, index) => (index === at ? item : one)))
  const numberOf = (index: number) => (inside ? `${inside}.${index + 1}` : index + 1)
  return (
    <>
      {items.length > 1 && (
        <ChoiceGroup
          label={t('analyses.join')}
          value={isAll(group) ? 'all' : 'any'}
          choices={(['all', 'any'] as const).map((value) => {
            const name = t(`analyses.join.${value}`)
            return { value, name, shown: name }
          })}
          onChoose={(joined) => onChange(joined === 'all' ? { all: items } : { any: items })}
        />
      )}
      {items.length > 0 && (
        <ul className={styles.rows}>
          {items.map((item, index) => (
            <li key={index} className={isGroup(item) ? styles.group : styles.row}>
              {isGroup(item) ? (
                <div
                  role="group"
                  aria-label={t('analyses.filterGroup', { number: index + 1 })}
                  className={styles.nested}
                >
                  <Items
                    place={place && `${place}[${index}]`}
                    events={events}
                    group={item}
                    inside={index + 1}
                    full={full}
                    onChange={(changed) =>
                      itemsOf(changed).length > 0
                        ? replace(index, changed)
                        : change(items.filter((_, at) => at !== index))
                    }
                  />
                </div>
              ) : (
                <TestRow
                  place={place && `${place}[${index}]`}
                  number={numberOf(index)}
                  events={events}
                  test={item}
                  onChange={(changed) => replace(index, changed)}
                />
              )}
              <Button
                type="text"
                icon={<CloseOutlined aria-hidden />}
                aria-label={
                  isGroup(item)
                    ? t('analyses.removeGroup', { number: index + 1 })
                    : t('analyses.removeFilter', { number: numberOf(index) })
                }
                onClick={() => change(items.filter((_, at) => at !== index))}
              />
            </li>
          ))}
        </ul>
      )}
      <span className={styles.adds}>
        <Button
          type="dashed"
          size="small"
          icon={<PlusOutlined aria-hidden />}
          disabled={full >= MOST.tests}
          onClick={() => change([...items, NEW_TEST])}
        >
          {t('analyses.addFilter')}
        </Button>
        {inside === undefined && items.length > 0 && (
          <Button
            type="dashed"
            size="small"
            icon={<PlusOutlined aria-hidden />}
            disabled={full >= MOST.tests}
            onClick={() => change([...items, { any: [NEW_TEST] }])}
          >
            {t('analyses.addGroup')}
          </Button>
        )}
      </span>
    </>
  )
}
