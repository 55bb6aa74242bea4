import type { AccessKey } from '../../../api/keys'
import { comparing } from '../../../lib/sort'

const latest = comparing('timestamp', 'desc')

/** A key that works now; the one used last, because someone has its secret. */
export function usableKey(keys: AccessKey[]): AccessKey | undefined {
  return keys
    .filter(({ state }) => state === 'active')
    .sort((one, other) => latest(one.last_used_at, other.last_used_at))[0]
}
