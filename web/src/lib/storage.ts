/**
 * Local storage that never throws: it can be switched off by policy or full, and a preference that
 * is not remembered is better than a console that does not start.
 */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Not remembered; see above.
  }
}
