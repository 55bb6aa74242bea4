import { startSso, type SsoWho } from '../../api/sso'
import { shownAddress } from '../../session/guard'
import { useTrip } from '../useTrip'

/** Signs in by single sign-on once more, and comes back to the page on screen. */
export function useSsoAgain() {
  return useTrip((who: SsoWho) => startSso(who, shownAddress()))
}
