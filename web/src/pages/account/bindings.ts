/** The chat services that an account can be bound to. */
import type { User } from '../../api/account'
import { CHAT_PROVIDERS, type ChatProvider } from '../../api/chat'
import type { Environment } from '../../api/environment'

/** Those that this instance offers, and any that the person has bound while it still did. */
export function shownProviders(
  environment: Environment | undefined,
  { bindings }: User,
): ChatProvider[] {
  return CHAT_PROVIDERS.filter(
    (provider) => environment?.providers[provider] || bindings[provider] != null,
  )
}
