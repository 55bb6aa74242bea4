import { createClient } from './client'
import type { Client, Options } from './types'

export type * from './types'
export { uuid, type UuidOptions } from './uuid'
export { createClient }

let current: Client | undefined

/**
 * Starts the page's client. Calling it again closes the previous one, so nothing counts twice.
 *
 * @throws Error if `url` is set but nothing identifies the app.
 * @throws TypeError if `url` is neither an http(s) address nor a path on this host.
 */
export function init(options: Options): Client {
  if (current) current.close()
  current = createClient(options)
  return current
}
