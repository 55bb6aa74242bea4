import type { AccessKey } from '../../../api/keys'

/** One that a call can be signed with now; the one used last, since someone holds its secret. */
export function usableKey(keys: AccessKey[]): AccessKey | undefined {
  return keys.filter(({ state }) => state === 'active').sort((a, b) => usedAt(b) - usedAt(a))[0]
}

const usedAt = ({ last_used_at: at }: AccessKey) => (at ? Date.parse(at) : 0)
