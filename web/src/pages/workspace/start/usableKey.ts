import type { AccessKey } from '../../../api/keys'
import { comparing } from '../../../lib/sort'

const latest = comparing('timestamp', 'desc')

/** One that a call can be signed with now; the one used last, since someone holds its secret. */
export function usableKey(keys: AccessKey[]): AccessKey | undefined {
  return keys
    .filter(({ state }) => state === 'active')
    .sort((one, other) => latest(one.last_used_at, other.last_used_at))[0]
}
