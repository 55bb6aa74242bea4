import type { InstanceHealth } from '../../api/health'

const SHORT = 8

/** An instance's display name: its host, and enough of its ID to tell two on one host apart. */
export function instanceName({ instances }: InstanceHealth, holder: string): string {
  const [id = ''] = holder.split('/')
  const host = instances.find((instance) => instance.id === id)?.state.host
  const short = id.slice(0, SHORT)
  return host ? `${host} (${short})` : short
}
