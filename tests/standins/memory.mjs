/** Where the OpenID provider stores codes and sessions, so they survive a rotation of its keys. */
export function memory() {
  const kept = new Map()

  return function adapter(model) {
    const keyOf = (id) => `${model}:${id}`
    const first = (wanted) =>
      [...kept].find(([key, value]) => key.startsWith(`${model}:`) && wanted(value))?.[1]
    return {
      upsert: async (id, payload) => void kept.set(keyOf(id), payload),
      find: async (id) => kept.get(keyOf(id)),
      findByUid: async (uid) => first((payload) => payload.uid === uid),
      consume: async (id) => void (kept.get(keyOf(id)).consumed = Math.floor(Date.now() / 1000)),
      destroy: async (id) => void kept.delete(keyOf(id)),
      revokeByGrantId: async (grant) => {
        for (const [key, { grantId }] of kept) if (grantId === grant) kept.delete(key)
      },
    }
  }
}
