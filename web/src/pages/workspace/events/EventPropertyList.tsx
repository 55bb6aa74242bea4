/** An event's properties in recent samples: types, frequency, and sample values. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import {
  describeProperty,
  eventPropertiesQuery,
  type EventProperties,
  type EventProperty,
} from '../../../api/catalog'
import { percent } from '../../../components/charts/format'
import { ShareBar } from '../../../components/charts/ShareBar'
import { besideField } from '../../../components/form/TimezoneSelect'
import { Loaded } from '../../../components/Loaded'
import { formatCount } from '../../../components/table/Counted'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import { Hidden } from '../PropertyList'
import { Description } from './Description'
import styles from './events.module.css'

interface EventPropertyListProps {
  event: string
  editable: boolean
}

export function EventPropertyList({ event, editable }: EventPropertyListProps) {
  const t = useT()
  const { app } = useApp()
  const properties = useQuery(eventPropertiesQuery(app.id, event))
  return (
    <section aria-label={t('properties.title')}>
      <h2 className={styles.title}>{t('properties.title')}</h2>
      <Loaded query={properties} skeleton={6}>
        {(found) => <Properties found={found} event={event} editable={editable} />}
      </Loaded>
    </section>
  )
}

interface PropertiesProps extends EventPropertyListProps {
  found: EventProperties
}

function Properties({ found: { sampled, items, more }, event, editable }: PropertiesProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  if (sampled === 0) return <p className={styles.soft}>{t('events.noneOfLate')}</p>
  if (items.length === 0 && more === 0) {
    return <p className={styles.soft}>{t('properties.none')}</p>
  }
  return (
    <>
      <p className={styles.soft}>
        {t('events.sampled', { count: formatCount(sampled, language) })}
      </p>
      <ul className={styles.properties}>
        {items.map((property) => (
          <Property key={property.property} property={property} event={event} editable={editable} />
        ))}
      </ul>
      {more > 0 && (
        <p className={styles.soft}>
          {t('events.moreProperties', { count: formatCount(more, language) })}
        </p>
      )}
    </>
  )
}

function Property(props: EventPropertyListProps & { property: EventProperty }) {
  const { event, editable, property: known } = props
  const t = useT()
  const { app } = useApp()
  const watched = useWatched()
  const { property, types, share, description } = known
  const label = t('events.descriptionOf', { name: property })
  return (
    <li className={styles.property}>
      <div className={styles.propertyHead}>
        <code>{property}</code>
        {/* If there is a choice beside it, that shows the same. */}
        {(!editable || types.length > 1 || known.corrected) && <Types types={types} />}
        {editable ? (
          <ValueType
            property={known}
            onChoose={(chosen) =>
              watched(describeProperty(app.id, { event, property, value_type: chosen }))
            }
          />
        ) : (
          known.corrected && (
            <span className={styles.types}>
              {t('properties.takenFor', { type: t(`properties.valueType.${known.value_type}`) })}
            </span>
          )
        )}
        <span className={styles.share} title={t('events.share')}>
          <span className="visually-hidden">{t('events.share')}</span>
          <ShareBar share={share} />
        </span>
      </div>
      {(editable || description) && (
        <Description
          label={label}
          value={description}
          editable={editable}
          onSave={(text) =>
            watched(describeProperty(app.id, { event, property, description: text }))
          }
        />
      )}
      <Examples property={known} />
    </li>
  )
}

const VALUE_TYPES = ['text', 'number', 'boolean', 'time', 'list'] as const
type ValueTypeName = EventProperty['value_type']

interface ValueTypeProps {
  property: EventProperty
  onChoose: (chosen: ValueTypeName | null) => Promise<unknown>
}

/** The type it is treated as: detected from the data, or corrected by someone. */
function ValueType({ property: { property, value_type, corrected }, onChoose }: ValueTypeProps) {
  const t = useT()
  const saved = useMutation({ mutationFn: onChoose })
  const name = (type: ValueTypeName) => t(`properties.valueType.${type}`)
  return (
    <Select<ValueTypeName | 'seen'>
      size="small"
      variant="filled"
      aria-label={t('properties.typeOf', { name: property })}
      value={corrected ? value_type : 'seen'}
      loading={saved.isPending}
      disabled={saved.isPending}
      popupMatchSelectWidth={false}
      getPopupContainer={besideField}
      options={[
        {
          value: 'seen' as const,
          label: corrected
            ? t('properties.asSeen')
            : t('properties.seenAs', { type: name(value_type) }),
        },
        ...VALUE_TYPES.map((value) => ({ value, label: name(value) })),
      ]}
      onChange={(chosen) => saved.mutate(chosen === 'seen' ? null : chosen)}
    />
  )
}

function Types({ types }: Pick<EventProperty, 'types'>) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  return (
    <span className={styles.types}>
      {types.map(({ type, share }) => (
        <span key={type}>
          {t(`properties.type.${type}`)}
          {types.length > 1 && ` ${percent(share, language)}`}
        </span>
      ))}
    </span>
  )
}

function Examples({ property: { personal, examples } }: { property: EventProperty }) {
  const t = useT()
  const { may } = useApp()
  if (examples.length === 0) return personal && !may('profile:pii') ? <Hidden /> : null
  return (
    <ul className={styles.examples} aria-label={t('events.examples')}>
      {examples.map((example) => (
        <li key={example}>{example}</li>
      ))}
    </ul>
  )
}
