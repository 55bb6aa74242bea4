import { startSso, type SsoWho } from '../../api/sso'
import { shownAddress } from '../../session/guard'
import { useProviderRedirect } from '../useProviderRedirect'

/** Signs in by single sign-on again, then returns to the current page. */
export function useSsoAgain() {
  return useProviderRedirect((who: SsoWho) => startSso(who, shownAddress()))
}
