/**
 * Local storage that never throws. In private modes or with cookies blocked, every access is an
 * error.
 */

const memory: Record<string, string | null> = {}

export function load(key: string): string | null {
  let value: string | null | undefined
  try {
    value = localStorage.getItem(key)
  } catch {
    // Fall back to memory.
  }
  return value || memory[key] || null
}

export function save(key: string, value: string | null): void {
  memory[key] = null
  try {
    if (value) localStorage.setItem(key, value)
    else localStorage.removeItem(key)
  } catch {
    memory[key] = value
  }
}
