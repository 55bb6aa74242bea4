/**
 * What both chat vendors share: codes for the browser, tokens for the server, and failures on
 * demand.
 */
import { randomBytes } from 'node:crypto'

const FIVE_MINUTES = 5 * 60 * 1000

/** Single-use codes, valid for five minutes. */
export function codes() {
  const issued = new Map()
  return {
    issue(what) {
      const code = randomBytes(16).toString('hex')
      issued.set(code, { ...what, used: false, until: Date.now() + FIVE_MINUTES })
      return code
    },
    /** What the code was issued for, and its `problem`: unknown, used, expired, or none. */
    look(code) {
      const found = issued.get(code)
      if (!found) return { problem: 'unknown' }
      if (found.used) return { ...found, problem: 'used' }
      return { ...found, problem: found.until < Date.now() ? 'expired' : null }
    },
    use: (code) => void (issued.get(code).used = true),
    expire: () => issued.forEach((code) => (code.until = 0)),
  }
}

/** The app's own token: asking again returns the same one while it is valid. */
export function appToken(seconds) {
  let current
  const ended = new Map()
  return {
    get() {
      if (!current || current.until < Date.now()) {
        current = { value: randomBytes(24).toString('hex'), until: Date.now() + seconds * 1000 }
      }
      return { token: current.value, seconds: Math.ceil((current.until - Date.now()) / 1000) }
    },
    /** Null if the token is valid, otherwise the error it was revoked with, or `unknown`. */
    problem(token, unknown) {
      if (current?.value === token) return current.until < Date.now() ? unknown : null
      return ended.get(token) ?? unknown
    },
    end(error) {
      if (current) ended.set(current.value, error)
      current = undefined
    },
  }
}

/** Whether this call should fail. Counts down the failures left. */
export function isBusy(busy, call) {
  if (!busy?.times || (busy.call && busy.call !== call)) return false
  busy.times -= 1
  return true
}
