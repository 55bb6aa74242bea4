import type { App } from '../../api/app'

/** Stands where the app's collect key belongs, for those who may not see it. */
export const KEY_PLACEHOLDER = 'YOUR_COLLECT_KEY'

export function snippetOf({
  endpoint,
  collect_key,
}: Pick<App, 'endpoint' | 'collect_key'>): string {
  const origin = endpoint.replace(/\/+$/, '')
  return [
    '<script async',
    `  src="${origin}/sdk/atrium.js"`,
    `  data-app-key="${collect_key ?? KEY_PLACEHOLDER}"></script>`,
  ].join('\n')
}
