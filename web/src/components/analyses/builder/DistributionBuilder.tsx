import { useT } from '../../../i18n/useT'
import { isNumber } from '../filters'
import { MOST, without, type DistributionDraft } from '../question'
import { EventChoiceField } from './EventChoiceField'
import { Choice, Part, type BuilderProps } from './parts'
import { PropertyPicker } from './PropertyPicker'
import { TypedText } from './TypedText'
import { useFault } from './useFault'

export function DistributionBuilder({ draft, onChange }: BuilderProps<DistributionDraft>) {
  const t = useT()
  const fault = useFault('edges')
  const { event, of, edges = [] } = draft
  const chosen = typeof of === 'object' ? 'property' : of
  return (
    <>
      <Part name={t('events.event')}>
        <EventChoiceField
          place="event"
          label={t('events.event')}
          value={event}
          onChange={(choice) => onChange({ ...draft, event: choice })}
        />
      </Part>
      <Choice
        name={t('analyses.distributionOf')}
        value={chosen}
        choices={(['times', 'days', 'property'] as const).map(
          (one) => [one, t(`analyses.distributionOf.${one}`)] as const,
        )}
        onChoose={(one) =>
          onChange({
            ...without(draft, 'edges'),
            of: one === 'property' ? { property: '' } : one,
          })
        }
      />
      {typeof of === 'object' && (
        <Part name={t('analyses.numericProperty')}>
          <PropertyPicker
            place="of.property"
            label={t('analyses.numericProperty')}
            events={event.events}
            numeric
            value={of.property}
            onChange={(property) => property && onChange({ ...draft, of: { property } })}
          />
        </Part>
      )}
      <Part name={t('analyses.edges')}>
        <TypedText
          {...fault.field}
          aria-label={t('analyses.edges')}
          placeholder={t('analyses.edgesHint')}
          value={edges.join(', ')}
          isRight={(text) => text === '' || readEdges(text) !== null}
          onChange={(text) => {
            const read = readEdges(text)
            onChange(read ? { ...draft, edges: read } : without(draft, 'edges'))
          }}
        />
        {fault.note}
      </Part>
    </>
  )
}

/** Increasing numbers separated by commas or spaces; null for anything else. */
function readEdges(text: string): number[] | null {
  const words = text.split(/[\s,，、;；]+/).filter(Boolean)
  if (words.length === 0 || words.length > MOST.edges || !words.every(isNumber)) return null
  const edges = words.map(Number)
  return edges.every((edge, index) => index === 0 || edge > edges[index - 1]!) ? edges : null
}
