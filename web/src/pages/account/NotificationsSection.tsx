import { Checkbox } from 'antd'
import { useId } from 'react'
import { Link } from 'react-router'
import type { User } from '../../api/account'
import { FormError } from '../../components/form/FormError'
import { useT } from '../../i18n/useT'
import { paths } from '../../paths'
import { useEnvironment } from '../../session/useEnvironment'
import {
  channelsOf,
  isLocked,
  isOn,
  isUnbound,
  NOTIFICATION_TYPES,
  type Channel,
  type NotificationType,
} from './notificationGrid'
import { Section } from './Section'
import { useNotificationTypes } from './useNotificationTypes'
import styles from './NotificationsSection.module.css'

export function NotificationsSection({ user }: { user: User }) {
  const t = useT()
  const saving = useNotificationTypes()
  const channels = channelsOf(useEnvironment())
  const lacksBinding = channels.some((channel) => isUnbound(user, channel))
  const hint = useId()

  const cell = (type: NotificationType, channel: Channel) => (
    <td key={channel} className={styles.cell}>
      <Checkbox
        aria-label={t('notify.cell', {
          type: t(`notify.type.${type}`),
          channel: t(`notify.channel.${channel}`),
        })}
        checked={isOn(user.notification_types, type, channel)}
        disabled={isLocked(type, channel) || isUnbound(user, channel)}
        aria-describedby={isUnbound(user, channel) ? hint : undefined}
        onChange={({ target }) => saving.mutate({ type, channel, on: target.checked })}
      />
    </td>
  )

  return (
    <Section name="notifications">
      <FormError>{saving.error && t('notify.failed', { reason: saving.error.message })}</FormError>
      <table className={styles.grid} aria-labelledby="notifications-title">
        <thead>
          <tr>
            <th scope="col">{t('notify.type')}</th>
            {channels.map((channel) => (
              <th key={channel} scope="col" className={styles.cell}>
                {t(`notify.channel.${channel}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {NOTIFICATION_TYPES.map((type) => (
            <tr key={type}>
              <th scope="row">
                <span className={styles.name}>{t(`notify.type.${type}`)}</span>
                <span className={styles.about}>{t(`notify.about.${type}`)}</span>
              </th>
              {channels.map((channel) => cell(type, channel))}
            </tr>
          ))}
        </tbody>
      </table>
      {lacksBinding && (
        <p id={hint} className={styles.hint}>
          {t('notify.bindFirst')}{' '}
          <Link to={paths.profile('bindings')}>{t('notify.toBindings')}</Link>
        </p>
      )}
      <p className={styles.status} role="status">
        {saving.isPending ? t('common.saving') : saving.isSuccess ? t('common.saved') : ''}
      </p>
    </Section>
  )
}
