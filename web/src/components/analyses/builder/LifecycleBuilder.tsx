import { useT } from '../../../i18n/useT'
import { ANY, without, type LifecycleDraft } from '../question'
import { EventChoiceField } from './EventChoiceField'
import { Part, type BuilderProps } from './parts'

export function LifecycleBuilder({ draft, onChange }: BuilderProps<LifecycleDraft>) {
  const t = useT()
  return (
    <Part name={t('analyses.activeBy')}>
      <EventChoiceField
        place="event"
        label={t('analyses.activeBy')}
        value={draft.event ?? ANY}
        onChange={(choice) =>
          onChange(
            choice.events.length === 0 && !choice.filters
              ? without(draft, 'event')
              : { ...draft, event: choice },
          )
        }
      />
    </Part>
  )
}
