/**
 * Browser storage that never throws: it can be disabled or full. Values it rejects are kept in
 * memory until the page closes, so a choice lasts at least that long.
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
