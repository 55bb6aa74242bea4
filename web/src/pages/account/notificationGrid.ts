/** Which types of notification reach a person by which channels. */
import type { User } from '../../api/account'
import type { NotificationTypes } from '../../api/profile'

export const NOTIFICATION_TYPES = [
  'security',
  'invitation',
  'role_change',
  'key_expiry',
  'app_lifecycle',
  'ingest_alert',
] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

const CHANNELS = ['email', 'in_app', 'wechatwork', 'feishu'] as const
export type Channel = (typeof CHANNELS)[number]

/** Mail and the console always; a chat service once the person has bound it. */
export function channelsOf({ bindings }: User): Channel[] {
  return CHANNELS.filter(
    (channel) => channel === 'email' || channel === 'in_app' || bindings[channel] != null,
  )
}

/** Whoever takes over an account would silence the warning first. */
export function isLocked(type: NotificationType, channel: Channel): boolean {
  return type === 'security' && channel === 'email'
}

export function isOn(types: NotificationTypes, type: NotificationType, channel: Channel): boolean {
  return isLocked(type, channel) || (types[type] ?? []).includes(channel)
}

/** The settings with one cell of the grid changed; what is not on screen stays as it is. */
export function withCell(types: NotificationTypes, { type, channel, on }: Cell): NotificationTypes {
  const others = (types[type] ?? []).filter((other) => other !== channel)
  return { ...types, [type]: on ? [...others, channel] : others }
}

export interface Cell {
  type: NotificationType
  channel: Channel
  on: boolean
}
