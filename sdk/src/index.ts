import { createClient } from './client'
import type { Client, Options } from './types'

export type * from './types'
export { uuid, type UuidOptions } from './uuid'
export { createClient }

let current: Client | undefined

/**
 * Starts the page's client. Calling it again closes the one before, so that nothing counts twice.
 *
 * @throws Error where `url` is set but nothing says which app the events belong to.
 * @throws TypeError where `url` is neither an http(s) address nor a path on this host.
 */
export function init(options: Options): Client {
  if (current) current.close()
  current = createClient(options)
  return current
}
