/** Picks and orders what the palette shows for the input. */
import { KINDS, type Entry, type Kind } from './entries'
import { matchScore } from './fuzzy'

export interface Section {
  /** `recent` mixes all kinds. */
  kind: Kind | 'recent'
  entries: Entry[]
}

interface Offer {
  /** To be filtered here. */
  own: Entry[]
  /** Already searched by the server, so not filtered again. */
  found: Entry[]
  /** IDs, newest first. */
  recent: readonly string[]
}

export function siftEntries(typed: string, { own, found, recent }: Offer): Section[] {
  const lately = (entry: Entry) => {
    const at = recent.indexOf(entry.id)
    return at < 0 ? recent.length : at
  }
  if (typed === '') return withoutTyping([...own, ...found], recent)
  const matching = own
    .flatMap((entry) => {
      const scores = [entry.label, `${entry.label} ${entry.words ?? ''} ${entry.detail ?? ''}`]
        .map((text) => matchScore(text, typed))
        .filter((score) => score !== null)
      return scores.length > 0 ? [{ entry, score: Math.min(...scores) }] : []
    })
    .sort((one, other) => lately(one.entry) - lately(other.entry) || one.score - other.score)
    .map(({ entry }) => entry)
  const asked = found.toSorted((one, other) => lately(one) - lately(other))
  return byKind([...matching, ...asked])
}

/** Recent choices first, then places to go. Teams and people only appear when typed. */
function withoutTyping(all: Entry[], recent: readonly string[]): Section[] {
  const chosen = recent.flatMap((id) => all.find((entry) => entry.id === id) ?? [])
  const rest = all.filter(
    (entry) => !chosen.includes(entry) && (entry.kind === 'page' || entry.kind === 'action'),
  )
  const sections: Section[] = chosen.length > 0 ? [{ kind: 'recent', entries: chosen }] : []
  return [...sections, ...byKind(rest)]
}

function byKind(entries: Entry[]): Section[] {
  return KINDS.map((kind) => ({
    kind,
    entries: entries.filter((entry) => entry.kind === kind),
  })).filter((section) => section.entries.length > 0)
}
