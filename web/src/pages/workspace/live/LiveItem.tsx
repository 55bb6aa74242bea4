import { memo, useId, useState } from 'react'
import { Facts } from '../../../components/Facts'
import type { LiveMessage, Outcome } from '../../../api/live'
import { Badge, type Tone } from '../../../components/Badge'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { arrivalTime, exactTime } from '../../../lib/time'
import { useUser } from '../../../session/useUser'
import { PropertyList } from '../PropertyList'
import styles from './live.module.css'

const TONES: Record<Outcome, Tone> = { accepted: 'success', duplicate: 'soft', rejected: 'danger' }

/** A message on one line; expanded, in full. */
export const LiveItem = memo(function LiveItem({ message }: { message: LiveMessage }) {
  const t = useT()
  const id = useId()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  const [open, setOpen] = useState(false)
  const at = Date.parse(message.at)
  const [now] = useState(() => Date.now())
  const { outcome, event, user, device, url_path: path, reason_name: reason } = message
  return (
    <li className={styles.item}>
      <button
        type="button"
        className={styles.row}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <span className={styles.time} title={exactTime(at, language, zone)}>
          {arrivalTime(at, now, language, zone)}
        </span>
        {/* An outcome only a newer server knows is shown by its key. */}
        <Badge tone={TONES[outcome] ?? 'soft'}>{t(`ingest.${outcome}`, {}, outcome)}</Badge>
        <span className={styles.event}>{event ?? knownType(message) ?? t('live.unknown')}</span>
        <span className={styles.who}>{user ?? device}</span>
        <span className={styles.path}>{reason ?? path}</span>
      </button>
      {open && (
        <div id={id} className={styles.details}>
          <Details message={message} />
        </div>
      )}
    </li>
  )
})

/** Older rejected messages keep only their structure. */
const knownType = ({ type }: LiveMessage) => (type === 'unknown' ? undefined : type)

function Details({ message }: { message: LiveMessage }) {
  const t = useT()
  const { may } = useApp()
  const { reason, reason_name, user, device, url_path, sdk } = message
  const facts = [
    [t('live.reason'), reason && `${reason_name ?? ''} (${reason})`],
    [t('live.type'), knownType(message)],
    [t('people.user'), user],
    [t('people.device'), device],
    [t('live.path'), url_path],
    ['SDK', sdk],
  ].filter((fact): fact is [string, string] => Boolean(fact[1]))
  return (
    <>
      <Facts facts={facts} className={styles.facts} />
      <p className={styles.detailsTitle}>
        {t(message.outcome === 'rejected' ? 'live.sample' : 'properties.title')}
      </p>
      <PropertyList
        label={t('properties.title')}
        properties={message.properties}
        redacted={!may('profile:pii')}
      />
    </>
  )
}
