/**
 * Stands in for the package of this name, in which qs keeps notes about objects. The original
 * carries fallbacks for engines without WeakMap that weigh more than qs itself. CommonJS, because
 * that is how qs asks for it.
 */
module.exports = function sideChannel() {
  const notes = new WeakMap()
  return {
    assert(key) {
      if (!notes.has(key)) throw new TypeError('Side channel does not contain the given key')
    },
    delete: (key) => notes.delete(key),
    get: (key) => notes.get(key),
    has: (key) => notes.has(key),
    set: (key, value) => void notes.set(key, value),
  }
}
