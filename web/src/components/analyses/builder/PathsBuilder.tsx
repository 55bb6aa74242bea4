import { useT } from '../../../i18n/useT'
import { ANY, MOST, without, type PathsDraft } from '../question'
import { EventChoiceField } from './EventChoiceField'
import { NumberField } from './NumberField'
import { Choice, Part, type BuilderProps } from './parts'
import { WindowField } from './WindowField'

const USUAL_BRANCHES = 5
const USUAL_WINDOW = 1440

export function PathsBuilder({ draft, onChange }: BuilderProps<PathsDraft>) {
  const t = useT()
  const side = draft.to ? 'to' : 'from'
  const end = draft.to ?? draft.from ?? ANY
  return (
    <>
      <Choice
        name={t('analyses.side')}
        value={side}
        choices={[
          ['from', t('analyses.side.from')],
          ['to', t('analyses.side.to')],
        ]}
        onChoose={(chosen) => onChange({ ...without(draft, 'from', 'to'), [chosen]: end })}
      />
      <Part name={t(`analyses.end.${side}`)}>
        <EventChoiceField
          place={side}
          placeholder={t('analyses.chooseEvent')}
          label={t(`analyses.end.${side}`)}
          value={end}
          onChange={(choice) => onChange({ ...draft, [side]: choice })}
        />
      </Part>
      <Part name={t('analyses.pathSteps')}>
        <NumberField
          place="steps"
          label={t('analyses.pathSteps')}
          value={draft.steps}
          least={1}
          most={MOST.pathSteps}
          onChange={(steps) => onChange({ ...draft, steps })}
        />
      </Part>
      <Choice
        name={t('analyses.within')}
        value={draft.window_minutes === undefined ? 'session' : 'window'}
        choices={[
          ['session', t('analyses.within.session')],
          ['window', t('analyses.within.window')],
        ]}
        onChoose={(chosen) =>
          onChange(
            chosen === 'session'
              ? without(draft, 'window_minutes')
              : { ...draft, window_minutes: USUAL_WINDOW },
          )
        }
      />
      {draft.window_minutes !== undefined && (
        <WindowField
          label={t('analyses.within.window')}
          minutes={draft.window_minutes}
          onChange={(minutes) => onChange({ ...draft, window_minutes: minutes })}
        />
      )}
      <Part name={t('analyses.branches')}>
        <NumberField
          place="branches"
          label={t('analyses.branches')}
          value={draft.branches ?? USUAL_BRANCHES}
          least={1}
          most={MOST.branches}
          onChange={(branches) =>
            onChange(
              branches === USUAL_BRANCHES ? without(draft, 'branches') : { ...draft, branches },
            )
          }
        />
      </Part>
      <Part name={t('analyses.pathEvents')}>
        <EventChoiceField
          place="events"
          label={t('analyses.pathEvents')}
          value={draft.events ?? ANY}
          onChange={(choice) =>
            onChange(
              choice.events.length === 0 && !choice.filters
                ? without(draft, 'events')
                : { ...draft, events: choice },
            )
          }
        />
      </Part>
    </>
  )
}
