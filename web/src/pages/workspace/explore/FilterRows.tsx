/** Which events count: each line one condition, and all of them must hold. */
import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Select } from 'antd'
import { MOST_FILTERS, OPERATORS, type ExploreFilter } from '../../../api/explore'
import { besideField } from '../../../components/form/TimezoneSelect'
import { useT } from '../../../i18n/useT'
import { PropertyPicker } from './PropertyPicker'
import { NO_VALUE, NUMERIC, withOperator } from '../../../components/explore/question'
import { NumberValue, TextValues } from './Values'
import styles from './explore.module.css'

interface FilterRowsProps {
  event: string | null
  filters: ExploreFilter[]
  onChange: (filters: ExploreFilter[]) => void
}

const NEW_FILTER: ExploreFilter = { property: '$os', operator: 'is', values: [] }

export function FilterRows({ event, filters, onChange }: FilterRowsProps) {
  const t = useT()
  const replace = (at: number, filter: ExploreFilter) =>
    onChange(filters.map((one, index) => (index === at ? filter : one)))
  return (
    <fieldset className={styles.filters}>
      <legend>{t('explore.filters')}</legend>
      {filters.length > 0 && (
        <ul className={styles.rows}>
          {filters.map((filter, index) => (
            <li key={index} className={styles.row}>
              <FilterFields
                number={index + 1}
                event={event}
                filter={filter}
                onChange={(changed) => replace(index, changed)}
              />
              <Button
                type="text"
                icon={<CloseOutlined aria-hidden />}
                aria-label={t('explore.removeFilter', { number: index + 1 })}
                onClick={() => onChange(filters.filter((_, at) => at !== index))}
              />
            </li>
          ))}
        </ul>
      )}
      <Button
        type="dashed"
        icon={<PlusOutlined aria-hidden />}
        disabled={filters.length >= MOST_FILTERS}
        onClick={() => onChange([...filters, NEW_FILTER])}
      >
        {t('explore.addFilter')}
      </Button>
    </fieldset>
  )
}

interface FilterFieldsProps {
  number: number
  event: string | null
  filter: ExploreFilter
  onChange: (filter: ExploreFilter) => void
}

function FilterFields({ number, event, filter, onChange }: FilterFieldsProps) {
  const t = useT()
  const { property, operator, values } = filter
  const change = (changed: string[]) => onChange({ ...filter, values: changed })
  const label = t('explore.filterValue', { number })
  return (
    <>
      <PropertyPicker
        label={t('explore.filterProperty', { number })}
        event={event}
        value={property}
        placeholder={t('explore.chooseProperty')}
        // Values of one property say nothing about another.
        onChange={(chosen) => chosen && onChange({ ...filter, property: chosen, values: [] })}
      />
      <Select
        className={styles.operator}
        aria-label={t('explore.filterOperator', { number })}
        value={operator}
        popupMatchSelectWidth={false}
        getPopupContainer={besideField}
        options={OPERATORS.map((value) => ({ value, label: t(`explore.operator.${value}`) }))}
        onChange={(chosen) => onChange(withOperator(filter, chosen))}
      />
      {NO_VALUE.includes(operator) ? null : NUMERIC.includes(operator) ? (
        <NumberValue label={label} value={values[0] ?? ''} onChange={change} />
      ) : (
        <TextValues
          label={label}
          property={property}
          event={event}
          values={values}
          onChange={change}
        />
      )}
    </>
  )
}
