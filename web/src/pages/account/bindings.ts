/** The chat services that an account can be bound to. */
import type { User } from '../../api/account'
import type { Environment } from '../../api/environment'

const PROVIDERS = ['wechatwork', 'feishu'] as const
export type Provider = (typeof PROVIDERS)[number]

/** Those that this instance offers, and any that the person has bound while it still did. */
export function shownProviders(
  environment: Environment | undefined,
  { bindings }: User,
): Provider[] {
  return PROVIDERS.filter(
    (provider) => environment?.providers[provider] || bindings[provider] != null,
  )
}
