/** Unsent messages, kept in IndexedDB so they survive the page. */

/** A message, encoded as it will be sent. */
export interface Item {
  /** When it was created. */
  time: number
  json: string
  /** Its length in a query string, which is at least its length in UTF-8. */
  size: number
}

type Change = (items: Item[]) => Item[]

/** Applies a change atomically, so two tabs never take the same messages. */
export type Store = (change: Change) => Promise<void>

const LIMIT = 1000
const LIFETIME = 7 * 24 * 3600 * 1000

export function createStore(key: string): Store {
  let memory: Item[] | undefined
  return async (change) => {
    if (!memory) {
      try {
        await changeInDatabase(key, change)
        return
      } catch {
        // After one failure, stay in memory: if messages were split between the two, some would
        // never be sent.
        memory = memory || []
      }
    }
    memory = within(change, memory)
  }
}

function within(change: Change, items: Item[]): Item[] {
  return newest(change(newest(items)))
}

function newest(items: Item[]): Item[] {
  return items
    .filter(({ time }) => time > Date.now() - LIFETIME)
    .sort((a, b) => a.time - b.time)
    .slice(-LIMIT)
}

async function changeInDatabase(key: string, change: Change): Promise<void> {
  const opening = indexedDB.open('atrium', 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore('queue')
  await settled(opening, 'onsuccess')
  const database = opening.result
  const transaction = database.transaction('queue', 'readwrite')
  // Takes effect once the transaction ends. An open connection would block a later version's
  // upgrade.
  database.close()
  const store = transaction.objectStore('queue')
  const reading = store.get(key)
  reading.onsuccess = () => store.put(within(change, reading.result || []), key)
  await settled(transaction, 'oncomplete')
}

function settled<T extends { onerror: unknown }>(work: T, done: keyof T): Promise<unknown> {
  return new Promise((resolve, reject) => {
    Object.assign(work, { [done]: resolve, onerror: reject, onabort: reject })
  })
}
