/** Local storage that never throws: private modes and blocked cookies make every access an error. */

const memory: Record<string, string | null> = {}

export function load(key: string): string | null {
  let value: string | null | undefined
  try {
    value = localStorage.getItem(key)
  } catch {
    // Memory answers.
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
