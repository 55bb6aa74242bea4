/** Time zones by the server's names, labeled so they can be found. */

export interface Zone {
  value: string
  label: string
  /** Search terms, in lowercase. */
  search: string
}

export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

const lists = new Map<string, Zone[]>()

/**
 * Every zone the browser knows. Formatting hundreds of names is slow, so it happens on demand and
 * once.
 */
export function allZones(language: string): Zone[] {
  let list = lists.get(language)
  if (!list) {
    const names = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])
    list = [...names].map((name) => zoneOf(name, language))
    lists.set(language, list)
  }
  return list
}

export function zoneOf(name: string, language: string): Zone {
  const offset = partOf(name, language, 'longOffset')
  const spoken = partOf(name, language, 'longGeneric')
  const label = offset ? `${name} (${offset.replace('GMT', 'UTC')})` : name
  return {
    value: name,
    label,
    search: `${label} ${spoken} ${name.replaceAll('_', ' ')}`.toLowerCase(),
  }
}

function partOf(
  timeZone: string,
  language: string,
  timeZoneName: 'longOffset' | 'longGeneric',
): string {
  try {
    const parts = new Intl.DateTimeFormat(language, { timeZone, timeZoneName }).formatToParts()
    return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  } catch {
    // The server knows it but this browser doesn't: show just its name.
    return ''
  }
}
