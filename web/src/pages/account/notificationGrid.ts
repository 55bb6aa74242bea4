/** Which notification types reach a user through which channels. */
import type { User } from '../../api/account'
import { CHAT_PROVIDERS, type ChatProvider } from '../../api/chat'
import type { Environment } from '../../api/environment'
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

const CHANNELS = ['email', 'in_app', ...CHAT_PROVIDERS] as const
export type Channel = (typeof CHANNELS)[number]

/** Email and the console always; a chat service if this instance has it. */
export function channelsOf(environment: Environment | undefined): Channel[] {
  return CHANNELS.filter((channel) => !isChat(channel) || environment?.providers[channel] === true)
}

/** Whether the user has no linked account at this chat service, so nothing could be sent there. */
export function isUnbound({ bindings }: User, channel: Channel): channel is ChatProvider {
  return isChat(channel) && bindings[channel] == null
}

function isChat(channel: Channel): channel is ChatProvider {
  return channel !== 'email' && channel !== 'in_app'
}

/** An attacker who takes over an account would silence the warnings first. */
export function isLocked(type: NotificationType, channel: Channel): boolean {
  return type === 'security' && channel === 'email'
}

export function isOn(types: NotificationTypes, type: NotificationType, channel: Channel): boolean {
  return isLocked(type, channel) || (types[type] ?? []).includes(channel)
}

/** The settings with one cell changed; anything not on screen stays unchanged. */
export function withCell(types: NotificationTypes, { type, channel, on }: Cell): NotificationTypes {
  const others = (types[type] ?? []).filter((other) => other !== channel)
  return { ...types, [type]: on ? [...others, channel] : others }
}

export interface Cell {
  type: NotificationType
  channel: Channel
  on: boolean
}
