/** What of everything on offer is shown for what is typed, and in which order. */
import { KINDS, type Entry, type Kind } from './entries'
import { matchScore } from './fuzzy'

export interface Section {
  /** `recent` is of every kind. */
  kind: Kind | 'recent'
  entries: Entry[]
}

interface Offer {
  /** Sifted here. */
  own: Entry[]
  /** The server has searched, so what it found is not judged again. */
  found: Entry[]
  /** Ids, the latest first. */
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

/** First what was chosen before, then where one could go. Teams and people have to be named. */
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
