/** Snippets for sending an app its first data, filled in with the app's own keys. */
import { version as SDK_VERSION } from '../../../sdk/package.json'
import type { App } from '../api/app'

/** Used for people who may not see the app's collect key. */
export const KEY_PLACEHOLDER = 'YOUR_COLLECT_KEY'
export const ACCESS_KEY_PLACEHOLDER = 'YOUR_ACCESS_KEY_ID'
/** A secret is shown only once, when it is created, so nothing can fill it in later. */
export const SECRET_PLACEHOLDER = 'YOUR_ACCESS_KEY_SECRET'

/** A sample for the client version, which every event carries. */
const VERSION_EXAMPLE = '1.0.0'

type Target = Pick<App, 'endpoint' | 'collect_key'>

const originOf = ({ endpoint }: Pick<App, 'endpoint'>) => endpoint.replace(/\/+$/, '')

export function snippetOf(app: Target): string {
  return [
    '<script async',
    `  src="${originOf(app)}/sdk/atrium.js"`,
    `  data-app-key="${app.collect_key ?? KEY_PLACEHOLDER}"`,
    `  data-client-version="${VERSION_EXAMPLE}"></script>`,
  ].join('\n')
}

/**
 * Installs straight from the server: the package is on no public registry, so nobody can squat its
 * name.
 */
export function installOf(app: Pick<App, 'endpoint' | 'is_local'>): string {
  // Another region's server may have another version; this console's own version is here.
  const origin = app.is_local ? originOf(app) : window.location.origin
  return `npm install ${origin}/sdk/atrium-analytics-${SDK_VERSION}.tgz`
}

export function moduleSnippetOf(app: Target): string {
  return [
    "import { init } from 'atrium-analytics'",
    '',
    'const client = init({',
    `  url: '${originOf(app)}',`,
    `  appKey: '${app.collect_key ?? KEY_PLACEHOLDER}',`,
    `  clientVersion: '${VERSION_EXAMPLE}',`,
    '})',
    '',
    "client.track('signup', { plan: 'pro' })",
  ].join('\n')
}

/** Sends one event from any POSIX shell with openssl and curl. Each run sends a new one. */
export function curlOf(app: Target): string {
  return [
    `curl '${originOf(app)}/v1/collect' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"app_key": "${app.collect_key ?? KEY_PLACEHOLDER}", "messages": [{"type": "Event", "data": {`,
    `    "log_id": "'$(openssl rand -hex 16)'", "timestamp": '$(date +%s)000',`,
    `    "event": "signup", "device_id": "my-laptop", "client_version": "${VERSION_EXAMPLE}",`,
    `    "properties": {"plan": "pro"}}}]}'`,
  ].join('\n')
}

/** For any POSIX shell with openssl and curl; signs the request as docs/sdk.md describes. */
export function signedCallOf(app: Pick<App, 'endpoint'>, accessKeyId: string | null): string {
  return [
    `URL='${originOf(app)}'`,
    `KEY_ID='${accessKeyId ?? ACCESS_KEY_PLACEHOLDER}'`,
    `SECRET='${SECRET_PLACEHOLDER}'`,
    '',
    "LOG_ID=$(openssl rand -hex 16 | sed 's/./&-/20;s/./&-/16;s/./&-/12;s/./&-/8')",
    'TIMESTAMP=$(date +%s)000',
    "NONCE=$(printf '%06d' $((0x$(openssl rand -hex 3) % 1000000)))",
    'BODY=$(cat <<JSON',
    '{"messages": [{"type": "Event", "data": {',
    '  "log_id": "$LOG_ID", "event": "signup", "timestamp": $TIMESTAMP,',
    `  "device_id": "server-1", "client_version": "${VERSION_EXAMPLE}",`,
    '  "properties": {"plan": "pro"}',
    '}}]}',
    'JSON',
    ')',
    '',
    "SIGNATURE=$(printf '%s\\n%s\\n%s\\n%s\\n%s\\n%s' \\",
    '  POST /v1/collect "$KEY_ID" "$NONCE" "$TIMESTAMP" "$BODY" |',
    '  openssl dgst -sha256 -hmac "$SECRET" -binary | openssl base64 -A)',
    '',
    'curl "$URL/v1/collect" \\',
    "  -H 'Content-Type: application/json' \\",
    '  -H "X-Access-Key-Id: $KEY_ID" \\',
    '  -H "X-Timestamp: $TIMESTAMP" \\',
    '  -H "X-Nonce: $NONCE" \\',
    '  -H "X-Signature: $SIGNATURE" \\',
    '  --data-binary "$BODY"',
  ].join('\n')
}
