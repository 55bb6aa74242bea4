/** The chat services an account can be linked to. */
import type { User } from '../../api/account'
import { CHAT_PROVIDERS, type ChatProvider } from '../../api/chat'
import type { Environment } from '../../api/environment'

/** The ones this instance offers, plus any the user linked when it still did. */
export function shownProviders(
  environment: Environment | undefined,
  { bindings }: User,
): ChatProvider[] {
  return CHAT_PROVIDERS.filter(
    (provider) => environment?.providers[provider] || bindings[provider] != null,
  )
}
