import { Link } from 'react-router'
import type { PersonKind, Profile } from '../../../api/people'
import { BarList } from '../../../components/charts/BarList'
import { Moment } from '../../../components/Moment'
import { Panel } from '../../../components/Panel'
import { Counted, UNKNOWN } from '../../../components/table/Counted'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { paths } from '../../../paths'
import { PropertyList } from '../PropertyList'
import { RedactedNote } from '../RedactedNote'
import shared from '../workspace.module.css'
import styles from './people.module.css'

interface PersonFactsProps {
  kind: PersonKind
  profile: Profile
}

export function PersonFacts({ kind, profile }: PersonFactsProps) {
  const t = useT()
  const { first_seen: first, last_seen: last, updated_at: updated } = profile
  return (
    <>
      <Panel title={t('people.activity')}>
        <dl className={styles.facts}>
          <div>
            <dt>{t('people.events')}</dt>
            <dd>
              <Counted value={profile.events} />
            </dd>
          </div>
          <div>
            <dt>{t('people.firstSeen')}</dt>
            <dd>{first == null ? UNKNOWN : <Moment at={first} />}</dd>
          </div>
          <div>
            <dt>{t('people.lastSeen')}</dt>
            <dd>{last == null ? UNKNOWN : <Moment at={last} />}</dd>
          </div>
        </dl>
        <TopEvents profile={profile} />
      </Panel>
      <Panel
        title={t('properties.title')}
        lead={
          updated == null ? undefined : (
            <>
              <Moment after={t('people.updated')} at={updated} />
            </>
          )
        }
      >
        {profile.redacted && <RedactedNote />}
        {profile.truncated && <p className={shared.soft}>{t('properties.truncated')}</p>}
        <PropertyList
          label={t('properties.title')}
          properties={profile.properties}
          redacted={profile.redacted}
        />
      </Panel>
      <Related kind={kind} profile={profile} />
    </>
  )
}

function TopEvents({ profile: { events, top_events } }: { profile: Profile }) {
  const t = useT()
  if (top_events.length === 0) return null
  return (
    <BarList
      label={t('people.topEvents')}
      heading={t('events.event')}
      columns={[t('people.events')]}
      rows={top_events.map(({ event, events: count }) => ({
        key: event,
        name: event,
        share: events > 0 ? count / events : 0,
        counts: [count],
      }))}
    />
  )
}

/** A user's devices, or a device's users. */
function Related({ kind, profile }: PersonFactsProps) {
  const t = useT()
  const { app } = useApp()
  const other: PersonKind = kind === 'user' ? 'device' : 'user'
  const refs = (kind === 'user' ? profile.devices : profile.users) ?? []
  return (
    <Panel title={t(`people.related.${other}`)}>
      {refs.length === 0 ? (
        <p className={shared.soft}>{t(`people.relatedNone.${other}`)}</p>
      ) : (
        <ul className={styles.related}>
          {refs.map((ref) => (
            <li key={ref}>
              <Link className={shared.mono} to={paths.workspace.person(app, other, ref)}>
                {ref}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
