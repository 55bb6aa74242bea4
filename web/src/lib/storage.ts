/**
 * The browser's storage that never throws: it can be switched off by policy or full. What it does
 * not take is remembered until the page is left, so that a choice holds at least that long.
 */
const unkept = new Map<string, string>()

export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? unkept.get(key) ?? null
  } catch {
    return unkept.get(key) ?? null
  }
}

export function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
    unkept.delete(key)
  } catch {
    unkept.set(key, value)
  }
}
