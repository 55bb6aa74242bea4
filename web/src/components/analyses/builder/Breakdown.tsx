import { Fragment } from 'react'
import { useT } from '../../../i18n/useT'
import { profileOf } from '../filters'
import { MOST } from '../question'
import { PropertyPicker } from './PropertyPicker'
import { TypedText } from './TypedText'
import styles from './builder.module.css'

interface BreakdownProps {
  events: string[]
  value: string[]
  onChange: (properties: string[] | undefined) => void
}

/**
 * How to split the answer: by event or user properties, or by cohort membership. A second breakdown
 * is offered once there is a first.
 */
export function Breakdown({ events, value, onChange }: BreakdownProps) {
  const t = useT()
  const places = [...value, ...(value.length < MOST.breakdown ? [null] : [])]
  const change = (at: number, property: string | null) => {
    const changed = places.map((one, index) => (index === at ? property : one))
    const properties = [...new Set(changed.filter((one) => one !== null))]
    onChange(properties.length > 0 ? properties : undefined)
  }
  return (
    <fieldset className={styles.filters}>
      <legend>{t('analyses.group')}</legend>
      <div className={styles.row}>
        {places.map((property, index) => {
          const profile = property === null ? undefined : profileOf(property)
          return (
            <Fragment key={index}>
              <PropertyPicker
                people
                place={`breakdown[${index}]`}
                label={index === 0 ? t('analyses.group') : t('analyses.thenBy')}
                events={events}
                value={property}
                placeholder={t(index === 0 ? 'analyses.noGroup' : 'analyses.thenBy')}
                clearable
                onChange={(chosen) => change(index, chosen)}
              />
              {profile && (
                <TypedText
                  className={styles.name}
                  aria-label={t('analyses.groupName', { number: index + 1 })}
                  placeholder={t('analyses.profileNameHint')}
                  value={property!.slice(profile.length)}
                  onChange={(name) => change(index, `${profile}${name}`)}
                />
              )}
            </Fragment>
          )
        })}
      </div>
    </fieldset>
  )
}
