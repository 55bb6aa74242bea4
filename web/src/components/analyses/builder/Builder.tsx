/** Builds a question part by part; each change makes a new question. */
import { useT } from '../../../i18n/useT'
import { eventsOf, without, type Draft } from '../question'
import { Breakdown } from './Breakdown'
import { DistributionBuilder } from './DistributionBuilder'
import { FilterGroup } from './FilterGroup'
import { FunnelBuilder } from './FunnelBuilder'
import { LifecycleBuilder } from './LifecycleBuilder'
import { PathsBuilder } from './PathsBuilder'
import { RetentionBuilder } from './RetentionBuilder'
import { TrendBuilder } from './TrendBuilder'
import styles from './builder.module.css'

interface AnyBuilderProps {
  draft: Draft
  onChange: (draft: Draft) => void
}

export function Builder({ draft, onChange }: AnyBuilderProps) {
  const t = useT()
  const events = eventsOf(draft)
  const { kind } = draft
  return (
    <section className={styles.builder} aria-label={t('analyses.question')}>
      <OfKind draft={draft} onChange={onChange} />
      <FilterGroup
        place="filters"
        legend={t('analyses.filters')}
        events={events}
        filters={draft.filters}
        onChange={(filters) =>
          onChange(filters ? { ...draft, filters } : without(draft, 'filters'))
        }
      />
      {(kind === 'trend' || kind === 'funnel' || kind === 'retention') && (
        <Breakdown
          events={events}
          value={draft.breakdown ?? []}
          onChange={(breakdown) =>
            onChange(breakdown ? { ...draft, breakdown } : without(draft, 'breakdown'))
          }
        />
      )}
    </section>
  )
}

function OfKind({ draft, onChange }: AnyBuilderProps) {
  switch (draft.kind) {
    case 'trend':
      return <TrendBuilder draft={draft} onChange={onChange} />
    case 'funnel':
      return <FunnelBuilder draft={draft} onChange={onChange} />
    case 'retention':
      return <RetentionBuilder draft={draft} onChange={onChange} />
    case 'paths':
      return <PathsBuilder draft={draft} onChange={onChange} />
    case 'distribution':
      return <DistributionBuilder draft={draft} onChange={onChange} />
    case 'lifecycle':
      return <LifecycleBuilder draft={draft} onChange={onChange} />
  }
}
