import type { App } from '../../api/app'

/** Stands where the app's collect key belongs. */
export const KEY_PLACEHOLDER = 'YOUR_COLLECT_KEY'

export function snippetOf({ endpoint }: Pick<App, 'endpoint'>): string {
  const origin = endpoint.replace(/\/+$/, '')
  return [
    '<script async',
    `  src="${origin}/sdk/atrium.js"`,
    `  data-app-key="${KEY_PLACEHOLDER}"></script>`,
  ].join('\n')
}
