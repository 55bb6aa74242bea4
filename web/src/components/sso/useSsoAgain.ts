import { startSso, type SsoWho } from '../../api/sso'
import { shownAddress } from '../../session/guard'
import { useProviderRedirect } from '../useProviderRedirect'

/** Signs in by single sign-on once more, and comes back to the page on screen. */
export function useSsoAgain() {
  return useProviderRedirect((who: SsoWho) => startSso(who, shownAddress()))
}
