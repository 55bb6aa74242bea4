/** A new access key as environment variables for a server. */
import type { App } from '../../../api/app'
import type { NewAccessKey } from '../../../api/keys'

export function envFileOf(
  { endpoint }: Pick<App, 'endpoint'>,
  { id, name, secret }: Pick<NewAccessKey, 'id' | 'name' | 'secret'>,
): string {
  return [
    // A comment is a single line, whatever the name contains.
    `# ${name.replace(/\s+/g, ' ')}`,
    `ATRIUM_URL=${endpoint.replace(/\/+$/, '')}`,
    `ATRIUM_ACCESS_KEY_ID=${id}`,
    `ATRIUM_ACCESS_KEY_SECRET=${secret}`,
    '',
  ].join('\n')
}
