/** The outside doors as a row of equal buttons. */
import { Button } from 'antd'
import { useState } from 'react'
import { chatSignInUrl, type ChatProvider } from '../../api/chat'
import { FormError } from '../../components/form/FormError'
import { useTrip } from '../../components/useTrip'
import { useT } from '../../i18n/useT'
import { parseQuery, queryText } from '../../lib/query'
import type { Door } from '../../session/doors'
import { DoorIcon } from './doorIcons'
import { rememberedMethod, rememberMethod } from './method'
import styles from './doors.module.css'

interface DoorsProps {
  search: string
  /** Those that this instance has. */
  doors: Door[]
  /** The form of single sign-on is open, and its place in the row is the way back. */
  inSso: boolean
  onSso: () => void
  onBack: () => void
}

export function Doors({ search, doors, inSso, onSso, onBack }: DoorsProps) {
  const t = useT()
  const [last] = useState(rememberedMethod)
  const redirect = queryText(parseQuery(search), 'redirect') ?? undefined
  const trip = useTrip((provider: ChatProvider) => chatSignInUrl(provider, redirect))

  function leaveBy(provider: ChatProvider) {
    rememberMethod(provider)
    trip.go(provider)
  }

  return (
    <>
      <FormError>{trip.failure?.message}</FormError>
      <div className={styles.doors} data-count={doors.length}>
        {inSso && (
          <Tile icon="own" onPress={onBack}>
            {t('login.ownWays')}
          </Tile>
        )}
        {doors
          .filter((door) => !(inSso && door === 'sso'))
          .map((door) => (
            <Tile
              key={door}
              icon={door}
              last={door === last}
              busy={trip.busy && trip.where === door}
              disabled={trip.busy && trip.where !== door}
              onPress={door === 'sso' ? onSso : () => leaveBy(door)}
            >
              {t(`door.${door}`)}
            </Tile>
          ))}
      </div>
    </>
  )
}

interface TileProps {
  icon: Door | 'own'
  /** It was the way of the last time. */
  last?: boolean
  busy?: boolean
  disabled?: boolean
  onPress: () => void
  children: string
}

function Tile({ icon, last, busy, disabled, onPress, children }: TileProps) {
  const t = useT()
  return (
    <Button
      size="large"
      className={styles.door}
      icon={<DoorIcon of={icon} />}
      loading={busy}
      disabled={disabled}
      onClick={onPress}
    >
      {children}
      {last && <small className={styles.last}>{t('login.usedLast')}</small>}
    </Button>
  )
}
