/** Recent palette choices, by ID only: whether the user may still see them is checked again. */
import { readStored, store } from '../../lib/storage'

const MOST = 8

/** Per user, because people may share a browser. */
const keyOf = (userId: string) => `atrium.palette.${userId}`

export function readRecent(userId: string): string[] {
  try {
    const stored: unknown = JSON.parse(readStored(keyOf(userId)) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

export function rememberRecent(userId: string, id: string): void {
  const others = readRecent(userId).filter((other) => other !== id)
  store(keyOf(userId), JSON.stringify([id, ...others].slice(0, MOST)))
}
